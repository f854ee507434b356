// DemoTests.swift: what the demo makes of its command line, of reports and of numbers.
import SignalboxCommandLine
import Testing

@testable import SignalboxDemo

@Suite("Demo: words and numbers") struct DemoTests {
  @Test(
    "Options say which acts are played, and how",
    arguments: [
      ([], [1, 2, 3, 4]), (["--act", "2"], [2]), (["--act", "4", "--act", "1", "--act", "4"], [1, 4]),
      (["--quick"], [1, 2, 3, 4]),
    ] as [([String], [Int])])
  func acts(_ arguments: [String], _ acts: [Int]) throws {
    #expect(try DemoOptions(arguments).action == .play(acts))
  }

  @Test(
    "A wrong command line is refused, with the reason",
    arguments: [
      (["--act"], "--act takes the number of an act, from 1 to 4"), (["--act", "5"], "there is no act \"5\""),
      (["--act", "two"], "there is no act \"two\""), (["--source", "0"], "there is no act \"0\""),
      (["--source", "1", "--json"], "--source stands alone"), (["--quick", "--source", "1"], "--source stands alone"),
      (["--svg"], "--svg takes a file's name"), (["--svg", "a.svg", "--act", "1"], "the times of act 4"),
      (["--fast"], "unknown option --fast"), (["waits"], "unexpected argument \"waits\""),
    ] as [([String], String)])
  func refused(_ arguments: [String], _ words: String) throws {
    let refusal = #expect(throws: DemoRefusal.self) { try DemoOptions(arguments) }
    #expect(refusal?.status == .usage)
    #expect(refusal?.message.contains(words) == true, "\(refusal?.message ?? "")")
  }

  @Test("Each act has its programs, and no line of them is wider than 100 columns")
  func programs() {
    for act in DemoOptions.acts {
      let programs = DemoProgram.of(act: act)
      #expect(!programs.isEmpty)
      for program in programs {
        #expect(program.source.hasPrefix("// "), "\(program.file) begins with what it is")
        #expect(!program.source.lowercased().contains("signalbox"), "\(program.file) knows nothing of Signalbox")
        for line in program.source.split(separator: "\n") { #expect(line.count <= 100, "\(program.file): \(line)") }
      }
      #expect(Demo.source(of: act).contains(programs[0].source))
    }
  }

  @Test("Of a report the main lines are left: who holds and wants what, where, and the fix")
  func mainLines() {
    let report = """
      signalbox (libdispatch.so): deadlock: 2 threads wait for one another, forever
        thread 2 on queue "requests" holds serial queue "journal" and wants serial queue "account", which thread 1 holds
        thread 2 on queue "requests", waiting for 0.0 s:
          inside: sync on serial queue "journal" < an item of concurrent queue "requests"
          holds: <DispatchQueue "journal" 0x55bb serial, taken by thread 2>
          wants: <DispatchQueue "account" 0x55bc serial, taken by thread 1>
          stack:
            (20 frames of Signalbox: DispatchQueue.sync(execute:))
            0 closure #1 in audit() at hang.swift:24
            1 audit() at hang.swift:22
        fix: make one of the calls async
      """
    #expect(
      HangAct.mainLines(of: report.split(separator: "\n").map(String.init)) == [
        "signalbox (libdispatch.so): deadlock: 2 threads wait for one another, forever",
        "  thread 2 on queue \"requests\":",
        "    holds: DispatchQueue \"journal\"",
        "    wants: DispatchQueue \"account\"",
        "    at: closure #1 in audit() at hang.swift:24",
        "  fix: make one of the calls async",
      ])
  }

  @Test("Of an inspection the tasks are left: how many, and where most of them wait")
  func taskLines() {
    let inspection = """
      process 7 (server): 3 threads

      9 tasks: 7 suspended, 2 queued
        tasks  which        state                     at
            6  4 "a", 5, …  waits for a continuation  lease() at server.swift:14
            1  1            waits for a task          main
            1  2            has not begun

      2 timers
      """
    #expect(
      HangAct.taskLines(of: inspection.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)) == [
        "9 tasks: 7 suspended, 2 queued", "      6  4 \"a\", 5, …  waits for a continuation  lease() at server.swift:14",
        "      1  1            waits for a task          main",
      ])
    #expect(HangAct.taskLines(of: ["process 7", "", "no such table"]).isEmpty)
  }

  @Test("Numbers have the digits that mean something")
  func numbers() {
    #expect(Page.seconds(0.127) == "0.13 s")
    #expect(Page.seconds(9.96) == "10.0 s")
    #expect(Page.decimal(3.006, 2) == "3.01")
    #expect(Page.decimal(.infinity, 1) == "?")
    #expect(Page.ratio(5.25) == "5.3 ×")
    #expect(Page.ratio(71.2) == "71 ×")
    #expect(TimesAct.median([3, 1, 2]) == 2)
    #expect(TimesAct.median([4, 1, 2, 3]) == 2.5)
    #expect(abs(TimesAct.geometricMean([2, 8]) - 4) < 1e-9)
    #expect(abs(TimesAct.geometricMean([0.5, 2, 3]) - 1.442249570307408) < 1e-9)
    #expect(TimesAct.geometricMean([]) == 0)
  }

  @Test("Bars are as long as their part, and never nothing")
  func bars() {
    #expect(Page.bar(1, columns: 4) == "████")
    #expect(Page.bar(0.5, columns: 4) == "██")
    #expect(Page.bar(0.125, columns: 4) == "▌")
    #expect(Page.bar(0, columns: 4) == "▏")
    #expect(Page.bar(7, columns: 4) == "████")
  }

  @Test("Words are wrapped at 80 columns")
  func wrapping() {
    let text = (1...60).map { "word\($0)" }.joined(separator: " ")
    let lines = Page.wrapped(text, indent: 3, hanging: 2)
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines[0].hasPrefix("   word1 ") && lines[1].hasPrefix("     word"))
    #expect(lines.flatMap { $0.split(separator: " ") }.joined(separator: " ") == text)
    #expect(Page.cut(text).count == 80)
  }

  @Test("The picture has a bar for each time, and its ratio")
  func picture() {
    let svg = TimesPicture(
      rows: [.init(name: "sync & more", toolchain: 300, signalbox: 100), .init(name: "slow", toolchain: 1, signalbox: 2)],
      note: "two processors"
    ).svg
    #expect(svg.contains("sync &amp; more") && svg.contains("100 ns, 3.0 ×") && svg.contains("2.0 ns, 0.5 ×"))
    #expect(svg.split(separator: "\n").count { $0.hasPrefix("<rect class=\"signalbox\" x=\"190\"") } == 2)
  }
}
