// LockChartTests.swift: the chart of locks: well formed, a panel for each load, every lock's bar in it.
import BenchSupport
import Testing

@Suite("The chart of locks") struct LockChartTests {
  private func row(_ lock: String, threads: Int, ours: Double, theirs: Double, peers: Int = 0, section: Section = .short)
    -> RowResult
  {
    var row = Row("lock-\(lock)", .locks, "a lock", bar: .ratio(1), floor: .swapPair) { .timed { _ in } }
    row.contest = LockContest(lock: lock, opponent: "pthread <mutex>", threads: threads, section: section)
    func lane(_ nanoseconds: Double) -> LaneResult { LaneResult(samples: steady(nanoseconds), operationsPerSample: 9) }
    return RowResult(
      row: row, signalbox: lane(ours), toolchain: lane(theirs), floor: lane(4), reference: nil,
      peers: (0..<peers).map { PeerResult(name: "peer \($0)", lane: lane(7)) }, isJudged: true)
  }

  private func report(_ rows: [RowResult]) -> Report {
    let machine = Machine(processors: 2, load: 0.25, kernel: "6.1 & \"more\"", architecture: "x86_64")
    var report = Report(
      machine: machine, toolchainLibrary: "libdispatch.so", subjectName: "Signalbox", rounds: 11, pace: .full)
    report.rows = rows
    return report
  }

  @Test("The chart of locks is well-formed and has every bar")
  func itIsWellFormedAndComplete() throws {
    let svg = report([
      row("A & B", threads: 1, ours: 30, theirs: 60, peers: 3), row("C", threads: 1, ours: 10, theirs: 60),
      row("A & B", threads: 16, ours: 2e5, theirs: 3e6), row("C", threads: 16, ours: 1, theirs: 1, section: .long),
    ]).chart
    #expect(unbalancedTag(in: svg) == nil)
    // One more of each in the legend.
    #expect(svg.components(of: "<rect class=\"ours\"") == 5)
    #expect(svg.components(of: "<rect class=\"theirs\"") == 5)
    #expect(svg.components(of: "<rect class=\"peer\"") == 4)
    #expect(svg.components(of: "class=\"panel\"") == 3)
    for part in [
      "uncontended, short section", "16 threads at once, short section", "16 threads at once, held for about 1.5 us",
    ] {
      #expect(svg.contains(part), "\(part)")
    }
    #expect(svg.contains("A &amp; B") && svg.contains("pthread &lt;mutex&gt;") && svg.contains("6.1 &amp; &quot;more&quot;"))
    #expect(svg.contains("prefers-color-scheme:dark"))
    let quick = try #require(svg.position(of: ">C<")), slow = try #require(svg.position(of: ">A &amp; B<"))
    #expect(quick < slow, "the quickest lock comes first")
  }

  @Test(
    "Extreme values stay on the chart's paper",
    arguments: [(0.0, 0.0), (1e-9, 1e15), (.infinity, 5), (1, 1)] as [(Double, Double)])
  func extremesStayOnThePaper(ours: Double, theirs: Double) {
    let svg = report([row("A", threads: 1, ours: ours, theirs: theirs)]).chart
    #expect(unbalancedTag(in: svg) == nil)
    #expect(!svg.contains("=\"nan") && !svg.contains("=\"inf") && !svg.contains("=\"-"))
  }

  @Test("A lock that was not measured has no bar")
  func whatWasNotMeasuredHasNoBar() throws {
    let svg = report([
      row("broken", threads: 1, ours: .infinity, theirs: 5), row("sound", threads: 1, ours: 1_234, theirs: 5e6),
    ]).chart
    #expect(svg.contains(">not measured (bar missed)<") && svg.contains(">1.23 us <") && svg.contains(">5.00 ms pthread"))
    #expect(svg.components(of: "<rect class=\"ours\"") == 2, "the sound one and the legend's")
    let sound = try #require(svg.position(of: ">sound<")), broken = try #require(svg.position(of: ">broken<"))
    #expect(sound < broken)
  }

  @Test("Long lines of the chart are broken, and its ticks do not meet")
  func longLinesAreBrokenAndTicksDoNotMeet() {
    let machine = Machine(processors: 128, load: 250, kernel: String(repeating: "6.1-long", count: 8), architecture: "x86_64")
    var wide = Report(
      machine: machine, toolchainLibrary: "libdispatch.so", subjectName: "Signalbox", rounds: 11, pace: .smoke)
    wide.rows = [row("A", threads: 1, ours: 1, theirs: 9e9)]
    #expect(wide.chart.components(of: "<text class=\"quiet\"") == 3, "the head in two lines, and the foot")
    // Ten powers of ten with three lines each; every other one at most has room for words.
    let ticks = wide.chart.components(of: "<text class=\"tick\"")
    #expect((5...11).contains(ticks) && wide.chart.components(of: "<line class=\"grid\"") > 2 * ticks)
  }

  @Test("Rows without locks keep the chart of ratios")
  func otherRowsKeepTheChartOfRatios() {
    let mixed = report([
      row("A", threads: 1, ours: 3, theirs: 6), rowResult(bar: .ratio(8), ours: steady(10), theirs: steady(140)),
    ])
    #expect(mixed.chart.contains("times faster than the toolchain"))
    #expect(report([]).chart.contains("times faster than the toolchain"))
  }
}

extension String {
  /// Where a text begins.
  fileprivate func position(of part: String) -> Int? {
    let characters = Array(utf8), wanted = Array(part.utf8)
    return (0...max(0, characters.count - wanted.count)).first { characters[$0...].starts(with: wanted) }
  }
}
