// MannersTests.swift: what `signalbox explore` keeps for the next time, when it stops, and what it shows and counts.
import SignalboxLaunch
import SignalboxSystem
import Testing

@testable import SignalboxExplorer

@Suite("Saved tokens of failures", .serialized) struct SavedTokensTests {
  private let folder: WorkingFolder
  init() throws { folder = try WorkingFolder() }

  private var saved: [Substring] {
    get throws {
      let names = try Programs.output(
        of: "/bin/ls", arguments: ["ls", RawString("\(folder.path)/.signalbox/explore")], environment: [])
      let files = String(decoding: names.bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasSuffix(".tokens") }
      return files.flatMap { folder.text(".signalbox/explore/\($0)").split(separator: "\n") }.filter { !$0.hasPrefix("#") }
    }
  }

  @Test("A failure's token is saved, and is the first that the next exploration runs") func kept() throws {
    let found = try Call("--seed 1", "lost-update", in: folder)
    let token = try #require(found.token, "\(found.text)")
    #expect(try saved == ["\(token) status"])
    #expect(folder.text(".signalbox/explore/.gitignore") == "*\n")
    // No new schedule is needed, and none is allowed.
    let again = try Call("--runs 1", "lost-update", in: folder)
    #expect(again.status == 1 && again.token == token, "\(again.text)")
    #expect(
      again.text.contains("in a saved schedule") && again.text.contains("explored 1 schedule and 1 saved in"), "\(again.text)")
    #expect(again.text.contains("(1 failed)") && !again.text.contains("this is not the run"), "\(again.text)")
    #expect(try saved == ["\(token) status"])
  }

  @Test("A token that no longer fails is reported and removed") func dropped() throws {
    let token = try #require(try Call("--seed 1", "lost-update", in: folder).token)
    let mended = try Call("--runs 50 --json a.json", "lost-update", in: folder, before: "PROBE_IS_MENDED=1")
    #expect(mended.status == 0, "\(mended.text)")
    #expect(mended.text.contains("the saved schedule \(token) (status) no longer fails: "), "\(mended.text)")
    #expect(mended.text.contains("explored 50 schedules and 1 saved in") && mended.text.contains("(none failed)"))
    #expect(folder.text("a.json").contains("\"dropped\":[\"\(token)\"]"))
    #expect(try saved == [])
    #expect(!(try Call("--runs 50", "lost-update", in: folder, before: "PROBE_IS_MENDED=1").text.contains("saved")))
  }

  @Test("Each program has its own, and so has each list of arguments") func apart() throws {
    #expect(try Call("--seed 1", "lost-update", in: folder).status == 1)
    let other = try Call("--runs 20", "ordered", in: folder)
    #expect(other.status == 0 && other.text.contains("explored 20 schedules in"), "\(other.text)")
    #expect(try saved.count == 1)
  }

  @Test("Another place may be named, or none") func places() throws {
    #expect(try Call("--seed 1 --no-save", "lost-update", in: folder).status == 1)
    #expect(!folder.has(".signalbox"))
    #expect(try Call("--seed 1 --saved mine/tokens", "lost-update", in: folder).status == 1)
    #expect(folder.has("mine/tokens") && !folder.has("mine/tokens/.gitignore") && !folder.has(".signalbox"))
    let again = try Call("--runs 1 --saved mine/tokens", "lost-update", in: folder)
    #expect(again.status == 1 && again.text.contains("in a saved schedule"), "\(again.text)")
    let none = try Call("--runs 1 --saved mine/tokens --no-save", "lost-update", in: folder)
    #expect(none.status == 0, "\(none.text)")
  }

  @Test("Where nothing can be written, that is reported, and so is the failure") func unwritable() throws {
    let call = try Call("--seed 1 --saved /proc/nowhere", "lost-update", in: folder)
    #expect(call.status == 1 && call.text.contains("note: tokens are not saved in /proc/nowhere"), "\(call.text)")
    #expect(call.token != nil)
  }

  @Test("Two explorations side by side keep the tokens of both, and drop their own alone") func sideBySide() throws {
    func open() -> SavedSchedules {
      SavedSchedules(in: "\(folder.path)/tokens", program: "/bin/true", arguments: ["true"], command: "true")
    }
    func entry(_ point: UInt32) -> SavedSchedules.Entry {
      let decision = Decision(thread: 1, point: point, next: 2, check: 3)
      let token = Token(
        strategy: 1, flags: 2, wall: 3, steps: StepNumber(seen: 4), hash: 5, decisions: [decision], checks: [6, 7, 8, 9])
      return .init(token: token, failure: "deadlock")
    }
    var one = open(), two = open()
    try one.add(entry(1))
    try two.add(entry(2))
    #expect(open().entries == [entry(2), entry(1)])
    try one.drop(entry(1).token)
    #expect(open().entries == [entry(2)])
    try two.drop(entry(2).token)
    #expect(open().entries == [])
  }

  @Test("With --keep-going each saved one is run, and new schedules behind them") func keepGoing() throws {
    #expect(try Call("--seed 1", "lost-update", in: folder).status == 1)
    let call = try Call("--keep-going --runs 60", "lost-update", in: folder)
    #expect(call.status == 1 && call.text.contains("explored 60 schedules and 1 saved in"), "\(call.text)")
  }
}

@Suite("The manners of signalbox explore", .serialized) struct MannersTests {
  @Test("A program that cannot be explored is refused, and the reason named", arguments: ["4755", "2755"])
  func privileged(_ mode: String) throws {
    let folder = try WorkingFolder()
    let probe = try Call.folder() + "ExploreProbe"
    let call = try Call(
      "cp '\(probe)' other && chmod \(mode) other && '\(Call.folder())signalbox' explore -- ./other abba", in: folder)
    #expect(call.status == 69, "\(call.text)")
    #expect(call.text.contains(mode == "4755" ? "the setuid bit" : "the setgid bit"), "\(call.text)")
  }

  @Test("So is one that is linked statically") func staticProgram() throws {
    let folder = try WorkingFolder()
    // An image without a loader: the program's, with the entry that names one made void.
    let probe = try FileBytes(RawString(try Call.folder() + "ExploreProbe"))
    let header = probe.read(at: 0, count: 64)
    let table = header[32..<40].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let entries = (0..<UInt64(header[56])).map { table + $0 * 56 }
    let loader = try #require(entries.first { probe.read(at: $0, count: 4) == [3, 0, 0, 0] })
    let call = try Call(
      "cp '\(Call.folder())ExploreProbe' other && printf '\\0' | dd of=other bs=1 seek=\(loader) conv=notrunc 2>/dev/null && "
        + "'\(Call.folder())signalbox' explore -- ./other abba", in: folder)
    #expect(call.status == 69 && call.text.contains("static"), "\(call.text)")
  }

  @Test("What the program prints is shown for the failing schedule only") func output() throws {
    let clean = try Call("--runs 20", "ordered")
    #expect(clean.status == 0 && !clean.text.contains("begun"), "\(clean.text)")
    let failed = try Call("--seed 1", "abba")
    #expect(failed.text.split(separator: "\n").filter { $0.contains("begun") }.count == 1, "\(failed.text)")
  }

  @Test("A file that cannot be written is reported before any schedule is run", arguments: ["--json", "--xunit"])
  func unwritableReport(_ option: String) throws {
    let call = try Call("\(option) /proc/nowhere/report --runs 1000000", "ordered")
    #expect(call.status == 69 && call.text.contains("/proc/nowhere/report cannot be written"), "\(call.text)")
    #expect(!call.text.contains("explored"), "\(call.text)")
  }

  @Test("Whatever a program prints, its report is XML") func anyOutput() throws {
    let folder = try WorkingFolder()
    let call = try Call("--xunit a.xml --runs 10", "odd-output", in: folder)
    #expect(call.status == 70, "\(call.text)")
    let xml = folder.text("a.xml")
    // What follows the characters that XML has no place for, which stand there as question marks.
    #expect(xml.contains("odd:") && xml.contains("&lt;&amp;&gt;??!"), "\(xml)")
    #expect(!xml.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0xFFFE || $0.value == 0xFFFF })
  }

  @Test("A program with one thread is explored, and told to have nothing to choose") func oneThread() throws {
    let call = try Call("--runs 10", "one-thread")
    #expect(call.status == 0 && call.text.contains("note: the program has one thread only"), "\(call.text)")
    #expect(!(try Call("--runs 10", "ordered").text.contains("note: ")))
  }

  @Test("A program with more threads than are kept is refused, and a hundred are none too many") func crowds() throws {
    let crowd = try Call("--runs 10", "crowd-1200")
    #expect(crowd.status == 69 && crowd.text.contains("starts more than 1023 threads"), "\(crowd.text)")
    let few = try Call("--runs 10", "crowd-100")
    #expect(few.status == 0 && few.text.contains("(none failed)"), "\(few.text)")
  }

  @Test("Progress is for terminals") func progress() throws {
    let plain = try Call("--runs 200", "ordered")
    #expect(!plain.text.contains("\u{1B}"), "\(plain.text)")
    let command = try "'\(Call.folder())signalbox' explore --runs 200 -- '\(Call.folder())ExploreProbe' ordered"
    let shown = try Call("script -qec \"\(command)\" /dev/null </dev/null", in: nil)
    #expect(shown.text.contains("\u{1B}[K") && shown.text.contains("explored 200 schedules"), "\(shown.text)")
  }

  @Test("A signal ends it with the summary, and no process stays", arguments: ["INT", "TERM"])
  func interrupt(_ signal: String) throws {
    let folder = try WorkingFolder()
    let tool = try Call.folder() + "signalbox"
    // A copy of its own, so that what is left of this one can be distinguished from others.
    let call = try Call(
      """
      cp '\(Call.folder())ExploreProbe' '\(folder.path)/probe'
      PROBE_FILE='\(folder.path)/begun' '\(tool)' explore --runs 1000000000 --json a.json -- '\(folder.path)/probe' marks &
      pid=$!
      until [ -e begun ]; do sleep 0.05; done
      kill -\(signal) $pid
      wait $pid
      echo "status $?"
      for process in /proc/[0-9]*; do
        case "$(readlink "$process/exe")" in '\(folder.path)'/*) echo "left: $process";; esac
      done
      true
      """, in: folder)
    #expect(call.text.contains("interrupted: explored ") && call.text.contains("status 0"), "\(call.text)")
    #expect(folder.text("a.json").contains("\"interrupted\":true"))
    #expect(!call.text.contains("left: "), "\(call.text)")
  }

  @Test("A schedule that waits for something unseen is abandoned, reported and counted separately") func stuck() throws {
    let call = try Call("--runs 6 --seed 1 --jobs 1 --json a.json", "unseen-late")
    #expect(call.status == 0, "\(call.text)")
    #expect(call.text.contains(" was abandoned: thread ") && call.text.contains("waits for something that is not seen"))
    #expect(call.text.contains(" stuck outside, abandoned"), "\(call.text)")
    #expect(call.text.contains("not deterministic: something outside"), "\(call.text)")
  }

  @Test("Where no schedule comes to an end the command says so and stops") func alwaysStuck() throws {
    let begin = Clock.uptime()
    let call = try Call("--runs 1000 --jobs 1", "unseen")
    #expect(call.status == 69 && call.text.contains("each of the first 5 schedules waits"), "\(call.text)")
    // Noticed after a second each, and not after the ten that computing may take, which would be fifty.
    #expect(Clock.uptime() - begin < 50_000_000_000)
  }

  @Test("A wait for what any process may make ready is no deadlock, though its descriptor's number was a pipe's before")
  func oldNumber() throws {
    let call = try Call("--runs 1 --jobs 1", "old-number")
    #expect(!call.text.contains("failure: ") && call.text.contains("was abandoned: "), "\(call.text)")
  }

  @Test("What a program does when the loader bids it farewell is done in each run") func farewell() throws {
    let call = try Call("", "farewell")
    #expect(call.status == 70 && call.text.contains("failure: exit status 9"), "\(call.text)")
  }

  @Test("The help names the limits") func help() throws {
    let call = try Call("'\(Call.folder())signalbox' explore --help", in: nil)
    #expect(call.status == 0)
    for word in [
      "linked statically", "raw system calls", "atomics", "Synchronization.Mutex", "memory shared", "data races", "--saved",
      "--no-save", "--keep-going", "--faults", "69", "70",
    ] {
      #expect(call.text.contains(word), "\(word)")
    }
  }
}

@Suite("Exact replay", .serialized) struct ExactReplayTests {
  private func replays(_ before: String) throws {
    for seed in 1...3 {
      let found = try Call("--seed \(seed) --no-save", "addresses", before: before)
      let token = try #require(found.token, "\(found.text)")
      for _ in 0..<3 {
        let again = try Call("--replay \(token)", "addresses", before: before)
        #expect(again.status == 1 && again.token == token && !again.text.contains("not the run"), "\(again.text)")
      }
    }
  }

  @Test("What is ordered by address comes out the same in another process") func addresses() throws { try replays("") }

  @Test("Also where nobody may ask for fixed addresses") func refused() throws {
    try replays("'\(Call.folder())ExploreProbe' refuse-personality /usr/bin/env")
  }
}
