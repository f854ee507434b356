// VerdictTests.swift: the one rule for bars: missed only when the whole interval lies on the wrong side.
import BenchSupport
import Testing

@Suite("The rule for bars") struct VerdictTests {
  @Test(
    "A row passes when its whole interval lies above its bar",
    arguments: [
      ([80, 90, 100, 110, 120], Verdict.met), ([60, 70, 75, 78, 90], .open), ([40, 50, 60, 70, 79], .missed),
      ([80, 80, 80, 80, 80], .met),
    ] as [([Double], Verdict)])
  func ratioBars(theirs: [Double], verdict: Verdict) {
    #expect(rowResult(bar: .ratio(8), ours: [10, 10, 10, 10, 10], theirs: theirs).verdict == verdict)
  }

  @Test("A row that may not be slower has the rule's allowance")
  func notSlowerHasTheAllowanceOfTheRule() {
    #expect(rowResult(bar: .notSlower, ours: steady(100), theirs: steady(95)).verdict == .met)
    #expect(rowResult(bar: .notSlower, ours: steady(100), theirs: steady(94)).verdict == .missed)
  }

  @Test("A row that the kernel bounds may be near the floor instead")
  func kernelBoundRowsMayBeNearTheFloorInstead() {
    let slower = rowResult(bar: .notSlowerOrNearFloor, ours: steady(100), theirs: steady(50), floor: steady(90))
    #expect(slower.verdict == .met)
    let slowerAndFar = rowResult(bar: .notSlowerOrNearFloor, ours: steady(100), theirs: steady(50), floor: steady(70))
    #expect(slowerAndFar.verdict == .missed)
    let faster = rowResult(bar: .notSlowerOrNearFloor, ours: steady(100), theirs: steady(120), floor: steady(10))
    #expect(faster.verdict == .met)
  }

  @Test("A row of own cost is judged against the other row only")
  func ownCostIsJudgedAgainstTheOtherRowOnly() {
    let bar = Bar.ownCost(atMost: 5, of: "sync-serial")
    #expect(rowResult(bar: bar, ours: steady(50), theirs: steady(1), reference: steady(10)).verdict == .met)
    #expect(rowResult(bar: bar, ours: steady(51), theirs: steady(999), reference: steady(10)).verdict == .missed)
    #expect(rowResult(bar: bar, ours: [40, 45, 55, 60, 61], theirs: steady(9), reference: steady(10)).verdict == .open)
  }

  @Test("A row may cost a given number of nanoseconds more than another one, whatever that costs")
  func differences() {
    let bar = Bar.ownCostAnd(nanoseconds: 1, of: "async-serial")
    #expect(rowResult(bar: bar, ours: steady(11), theirs: steady(1), reference: steady(10)).verdict == .met)
    #expect(rowResult(bar: bar, ours: steady(11.1), theirs: steady(999), reference: steady(10)).verdict == .missed)
    #expect(rowResult(bar: bar, ours: [9, 10.5, 11.5, 12, 13], theirs: steady(9), reference: steady(10)).verdict == .open)
    #expect(rowResult(bar: bar, ours: steady(1), theirs: steady(9)).verdict == .notJudged)
    #expect(bar.referenceRow == "async-serial" && bar.requiredRatio == nil && bar.text == "≤ async-serial + 1.00 ns")
  }

  @Test("A row may cost a given number of nanoseconds, and no more")
  func times() {
    let bar = Bar.time(atMost: 20_000)
    #expect(rowResult(bar: bar, ours: steady(20_000), theirs: steady(1)).verdict == .met)
    #expect(rowResult(bar: bar, ours: steady(20_001), theirs: steady(1)).verdict == .missed)
    #expect(rowResult(bar: bar, ours: [1, 2, 30_000, 40_000, 50_000], theirs: steady(1)).verdict == .open)
    #expect(bar.referenceRow == nil && bar.requiredRatio == nil)
  }

  @Test("A run that means nothing is not judged")
  func runsThatMeanNothingAreNotJudged() {
    #expect(rowResult(bar: .ratio(8), ours: steady(1), theirs: steady(100), isJudged: false).verdict == .notJudged)
  }
}

func steady(_ nanoseconds: Double) -> [Double] { Array(repeating: nanoseconds, count: 5) }

/// A row with the given figures.
func rowResult(
  _ name: String = "sync-serial", bar: Bar, ours: [Double], theirs: [Double], floor: [Double]? = nil,
  reference: [Double]? = nil, isJudged: Bool = true
) -> RowResult {
  func lane(_ samples: [Double], allocations: Double? = nil) -> LaneResult {
    LaneResult(samples: samples, operationsPerSample: 100, allocationsPerOperation: allocations)
  }
  let row = Row(name, .sync, "sync on an \"idle\" queue & <nothing> else", bar: bar, floor: .swapPair) { .timed { _ in } }
  return RowResult(
    row: row, signalbox: lane(ours, allocations: 0), toolchain: lane(theirs, allocations: 2.004),
    floor: lane(floor ?? steady(4)), reference: reference.map { lane($0) }, isJudged: isJudged)
}
