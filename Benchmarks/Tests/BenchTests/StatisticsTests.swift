// StatisticsTests.swift: the median and its interval, against values computed by hand.
import BenchSupport
import Testing

@Suite("The median and its interval") struct StatisticsTests {
  @Test(
    "The median is the middle value",
    arguments: [([3.0], 3.0), ([1, 2], 1.5), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5)] as [([Double], Double)])
  func medianIsTheMiddle(values: [Double], expected: Double) {
    #expect(median(of: values) == expected)
  }

  /// n, then the rank of the interval's lower end, by the binomial distribution: the table of every textbook.
  @Test(
    "The interval's ends are the textbook ranks of the binomial distribution",
    arguments: [(1, 1), (4, 1), (5, 1), (7, 1), (8, 2), (9, 2), (11, 3), (15, 4), (21, 7), (101, 42)])
  func intervalEndsAreTheTextbookRanks(count: Int, rank: Int) {
    let estimate = Estimate(of: (1...count).map(Double.init).shuffled())
    #expect(estimate.low == Double(rank))
    #expect(estimate.high == Double(count + 1 - rank))
  }

  @Test("The interval covers at least 90 percent", arguments: 5...200)
  func intervalCoversAtLeastNinetyPercent(count: Int) {
    let estimate = Estimate(of: (0..<count).map(Double.init))
    #expect(estimate.coverage >= 0.9 && estimate.coverage < 1)
    #expect(estimate.low <= estimate.median && estimate.median <= estimate.high)
  }

  @Test("An interval of too few values says that it covers less")
  func tooFewValuesSayThatTheyCoverLess() {
    #expect(Estimate(of: [1]).coverage == 0)
    #expect(Estimate(of: [1, 2, 3, 4]).coverage == 0.875)
  }

  /// A disturbance that hits both halves of a pair leaves the ratio alone: that is what pairs are for.
  @Test("Ratios are taken pair by pair, so that a disturbance of both halves leaves them alone")
  func ratiosAreTakenPairByPair() {
    let theirs = [60.0, 120, 61, 62, 600], ours = [6.0, 12, 6, 6.2, 60]
    let estimate = Estimate(ofPairs: theirs, over: ours)
    #expect(estimate.median == 10)
    #expect(estimate.high < 10.2)
  }

  /// The interval holds the true median as often as it claims, for a lopsided distribution, too.
  @Test("The interval holds the true median as often as it claims for lopsided values too")
  func coverageHoldsForLopsidedValues() {
    var generator = SplitMix(state: 7)
    let trials = 4_000
    var hits = 0
    for _ in 0..<trials {
      // The fourth power of a uniform value: its median is 1/16, its mean 1/5.
      let values = (0..<11).map { _ in
        let uniform = Double.random(in: 0..<1, using: &generator)
        return uniform * uniform * uniform * uniform
      }
      let estimate = Estimate(of: values)
      if estimate.low <= 1 / 16, estimate.high >= 1 / 16 { hits += 1 }
    }
    #expect(Double(hits) / Double(trials) > 0.9)
    #expect(Double(hits) / Double(trials) < 0.96)
  }
}

/// A generator with a seed, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
