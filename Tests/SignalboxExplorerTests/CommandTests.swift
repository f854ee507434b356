// CommandTests.swift: `signalbox explore` as a user calls it, on small programs with fixed seeds.
import SignalboxExplorer
import SignalboxLaunch
import SignalboxSystem
import Testing

/// A folder that goes with its owner.
final class WorkingFolder: Sendable {
  let path: String
  init() throws { path = try Files.makeFreshFolder("/tmp/signalbox-explore-test-").description }
  deinit { _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(path)], environment: []) }

  /// What a file in it holds.
  func text(_ name: String) -> String { Files.text(RawString("\(path)/\(name)")) ?? "" }
  /// Whether something of that name is in it.
  func has(_ name: String) -> Bool { (try? FileStatus(of: RawString("\(path)/\(name)"))) != nil }
}

/// One call of the command, in a working folder of its own unless one is given.
struct Call {
  let text: String
  let status: Int32?

  /// `signalbox explore OPTIONS -- ExploreProbe WORD`, behind the words `before` of a shell.
  init(
    _ options: String, _ word: String, program: String? = nil, in working: WorkingFolder? = nil, before: String = ""
  ) throws {
    let folder = try Self.folder()
    try self.init(
      "\(before) timeout 500 '\(folder)signalbox' explore \(options) -- '\(program ?? folder + "ExploreProbe")' \(word)",
      in: working)
  }

  /// A line for the shell.
  init(_ line: String, in working: WorkingFolder?) throws {
    let working = try working ?? WorkingFolder()
    var environment = EnvironmentList(ProcessInput.environment)
    environment.set("SIGNALBOX_LIBRARY", nil)
    let line = "cd '\(working.path)'; \(line); echo \"status $?\""
    let printed = try Programs.output(
      of: "/bin/sh", arguments: ["sh", "-c", RawString(line)], environment: environment.entries, seconds: 510)
    text = String(decoding: printed.bytes, as: UTF8.self)
    status = text.split(separator: "\n").last { $0.hasPrefix("status ") }.flatMap { Int32($0.dropFirst(7)) }
  }

  /// The same of the program in C++.
  init(_ options: String, cxx word: String) throws {
    try self.init(options, word, program: Self.folder() + "ExploreCxxProbe")
  }

  static func folder() throws -> String {
    let tests = try Files.realPath("/proc/self/exe").description
    return String(tests[...(tests.lastIndex(of: "/") ?? tests.startIndex)])
  }

  /// The token that the report names.
  var token: String? {
    text.split(separator: " ").first { $0.hasPrefix("xp1:") }.map(String.init)
  }
  /// What is reported, without the summary, whose times differ.
  var told: String {
    text.split(separator: "\n").filter { !$0.hasPrefix("explored ") && !$0.hasPrefix("status ") }.joined(separator: "\n")
  }
}

extension Call {
  /// The same without the token, which holds the time of day.
  fileprivate var toldWithoutToken: String {
    told.split(separator: "\n").filter { !$0.contains("  replay: ") }.joined(separator: "\n")
  }
}

@Suite("The command signalbox explore", .serialized) struct CommandTests {
  @Test("A deadlock of two locks is found, and told with its cycle") func deadlock() throws {
    let call = try Call("--seed 1", "abba")
    #expect(call.status == 1, "\(call.text)")
    #expect(call.text.contains("failure: deadlock after"))
    #expect(call.text.contains("thread 2 holds mutex 1") || call.text.contains("thread 3 holds mutex"), "\(call.text)")
    #expect(call.text.contains("the switches that matter:"))
    #expect(call.text.contains("main.c:"), "\(call.text)")
    #expect(call.text.contains("| begun: abba"))
  }

  @Test("A lost update shrinks to one switch or two") func lostUpdate() throws {
    let call = try Call("--seed 3", "lost-update")
    #expect(call.status == 1 && call.text.contains("failure: exit status 2"), "\(call.text)")
    let switches = call.text.split(separator: "\n").filter { $0.contains(" stops before ") || $0.contains(" waits at ") }
    #expect((1...2).contains(switches.count), "\(call.text)")
  }

  @Test("A token comes out the same in a fresh process, again and again", arguments: ["abba", "lost-update", "limit"])
  func replay(_ word: String) throws {
    let found = try Call("--seed 5", word)
    let token = try #require(found.token, "\(found.text)")
    var told: Set<String> = []
    for _ in 0..<3 {
      let again = try Call("--replay \(token)", word)
      #expect(again.status == 1, "\(again.text)")
      #expect(again.token == token && !again.text.contains("not the run"), "\(again.text)")
      told.insert(again.told)
    }
    #expect(told.count == 1)
  }

  @Test("A token of another program is told to part from it") func foreignToken() throws {
    let token = try #require(try Call("--seed 1", "abba").token)
    let call = try Call("--replay \(token)", "condition")
    #expect(call.text.contains("this is not the run that the token names"), "\(call.text)")
  }

  @Test("A token of one build is tried on another, and the step is named at which they part", arguments: [1, 2])
  func otherBuild(_ more: Int) throws {
    let folder = try WorkingFolder()
    // The second build does more: before the switches that matter, or after.
    let build = """
      clang="$(dirname "$(readlink -f "$(command -v swiftc)")")/clang"
      cat >seats.c <<'END'
      \(Self.seats)
      END
      "$clang" -g -O0 -pthread -DMORE=0 seats.c -o seats && "$clang" -g -O0 -pthread -DMORE=\(more) seats.c -o more
      """
    #expect(try Call(build, in: folder).status == 0)
    let found = try Call("--seed 1 --no-save", "", program: "./seats", in: folder)
    let token = try #require(found.token, "\(found.text)")
    let other = try Call("--replay \(token)", "", program: "./more", in: folder)
    let note = try #require(other.text.split(separator: "\n").first { $0.contains("not the run that the token names") })
    // The first step that differs is the one that is not in the first build.
    let line = Self.seats.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains("MORE == \(more)") }
    #expect(note.contains("seats.c:\(try #require(line) + 1)"), "\(note)")
    // Named by a handful at most, not by a part of the run.
    #expect(!note.contains("…"), "\(note)")
  }

  private static let seats = """
    #include <pthread.h>
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
    static int seats = 1, sold;
    static void glance(void) { pthread_mutex_lock(&other); pthread_mutex_unlock(&other); }
    static int is_free(void) { pthread_mutex_lock(&lock); int count = seats; pthread_mutex_unlock(&lock); return count > 0; }
    static void *book(void *unused) {
      for (int i = 0; i < 5; i++) glance();
      if (MORE == 1) { pthread_mutex_lock(&other); pthread_mutex_unlock(&other); }
      if (!is_free()) return unused;
      pthread_mutex_lock(&lock);
      seats--;
      sold++;
      if (MORE == 2) { pthread_mutex_lock(&other); pthread_mutex_unlock(&other); }
      pthread_mutex_unlock(&lock);
      return unused;
    }
    int main(void) {
      pthread_t threads[2];
      for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, book, 0);
      for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
      return sold == 1 ? 0 : 3;
    }
    """

  @Test("The same seed finds the same failure; several processors change nothing") func seeds() throws {
    #expect(try Call("--seed 9 --jobs 1", "abba").toldWithoutToken == Call("--seed 9", "abba").toldWithoutToken)
  }

  @Test(
    "What is right is right in every schedule",
    arguments: ["ordered", "sum", "condition", "kinds", "short-set", "yields", "sleeps"])
  func noFalseAlarm(_ word: String) throws {
    let call = try Call("--runs 300 --seed 2", word)
    #expect(call.status == 0 && call.text.contains("explored 300 schedules"), "\(call.text)")
    #expect(call.text.contains("(none failed)"), "\(call.text)")
  }

  @Test("Each strategy finds the deadlock alone", arguments: ["random", "sticky", "pos", "pct2", "pct3", "pct5"])
  func strategies(_ name: String) throws {
    let call = try Call("--strategy \(name) --runs 1000", "abba")
    #expect(call.status == 1 && call.text.contains("(\(name))"), "\(call.text)")
  }

  @Test("Sleeps take no time: a hundred schedules of ten seconds are over in a few") func virtualTime() throws {
    let begin = Clock.uptime()
    let call = try Call("--runs 100", "sleeps")
    #expect(call.status == 0, "\(call.text)")
    // Asleep they would take a thousand: the machine may be busy.
    #expect(Clock.uptime() - begin < 120_000_000_000)
  }

  @Test("What fails when nobody is interrupted ends with 70", arguments: ["status", "stuck"]) func plain(_ word: String) throws
  {
    let call = try Call("", word)
    #expect(call.status == 70 && call.text.contains("found at schedule 1 (plain)"), "\(call.text)")
  }

  @Test("Schedules with another process in them are counted apart") func outside() throws {
    let call = try Call("--runs 5", "spawns")
    #expect(call.status == 0 && call.text.contains("not deterministic"), "\(call.text)")
  }

  @Test("A schedule is not abandoned while a process that it has started works") func busyOutside() throws {
    let call = try Call("--runs 2 --jobs 1", "spawns-busy")
    #expect(call.status == 0 && call.text.contains("explored 2 schedules"), "\(call.text)")
    #expect(!call.text.contains("abandoned"), "\(call.text)")
  }

  @Test(
    "Sleep takes no time beside a wait for what only the program can send", arguments: ["old-pipe", "stream", "datagram"])
  func ownDescriptors(_ word: String) throws {
    let call = try Call("--runs 20 --jobs 1", word)
    #expect(call.status == 0 && call.text.contains("explored 20 schedules"), "\(call.text)")
    #expect(!call.text.contains("abandoned"), "\(call.text)")
  }

  @Test("What fails once beside another process, and not again, is counted apart and is no failure") func onceOutside() throws {
    let folder = try WorkingFolder()
    let call = try Call(
      "--runs 5 --json a.json", "chance-outside", in: folder, before: "PROBE_FILE='\(folder.path)/made'")
    #expect(call.status == 0 && !call.text.contains("failure: "), "\(call.text)")
    #expect(call.text.contains("note: schedule 1 ended with exit status 5, and with "), "\(call.text)")
    #expect(call.text.contains("1 of these failed, and not when run again"), "\(call.text)")
    #expect(call.text.contains("explored 5 schedules") && call.text.contains("(none failed, "), "\(call.text)")
    #expect(folder.text("a.json").contains("\"unrepeated\":1"))
  }

  @Test("With --keep-going every schedule is run, and a failure that is met again is reported once") func keepGoing() throws {
    let call = try Call("--keep-going --runs 100", "lost-update")
    #expect(call.status == 1 && call.text.contains("explored 100 schedules"), "\(call.text)")
    let told = call.text.split(separator: "\n").filter { $0.hasPrefix("failure: ") }.count
    #expect(told >= 1 && told < 40, "\(call.text)")
    // What is counted is what is reported; where schedules fail alike, both numbers are printed.
    let failed = told == 1 ? "1 different failure in " : "\(told) different failures in "
    #expect(call.text.contains("(\(told) failed)") || call.text.contains(failed), "\(call.text)")
  }

  @Test("Wrong usage ends with 64", arguments: ["--runs x", "--strategy best", "--replay xp1:AAAA", "--colour", "--json"])
  func usage(_ options: String) throws { #expect(try Call(options, "abba").status == 64) }

  @Test("What cannot be explored ends with 69") func refusals() throws {
    #expect(try Call("", "", program: "/nowhere/at-all").status == 69)
    #expect(try Call("", "", program: "/dev/null").status == 69)
  }

  @Test("The files for programs: an object for the failure, one for the summary; XML for test runners") func files() throws {
    let folder = try WorkingFolder()
    let call = try Call("--jobs 1 --json a.json --xunit a.xml", "abba", in: folder)
    let lines = folder.text("a.json").split(separator: "\n")
    #expect(call.status == 1 && lines.count == 2, "\(lines)")
    for member in [
      "\"failure\":\"deadlock\"", "\"token\":\"xp1:", "\"schedule\":", "\"steps\":", "\"switches\":", "\"text\":\"",
    ] {
      #expect(lines.first?.contains(member) == true, "\(member)")
    }
    #expect(lines.last?.contains("\"summary\":true") == true && lines.last?.contains("\"failed\":1") == true)
    let xml = folder.text("a.xml")
    #expect(xml.contains("<failure message=\"deadlock xp1:") && xml.contains("failures=\"1\""), "\(xml)")
  }
}
