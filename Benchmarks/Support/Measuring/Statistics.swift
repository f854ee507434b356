// Statistics.swift: medians, and an interval for the median that presumes no distribution.

/// A median with the interval that holds the true one.
public struct Estimate: Sendable, Equatable {
  /// The median of the values.
  public let median: Double
  /// Lower end of the interval.
  public let low: Double
  /// Upper end of the interval.
  public let high: Double
  /// The probability that an interval made this way holds the true median; at least 0.9 when there are five values or more.
  public let coverage: Double

  /// The median of `values` with its 90 % interval.
  ///
  /// The interval's ends are two of the values themselves: whatever the distribution, the true median lies between the
  /// k-th smallest and the k-th largest of n values with probability 1 − 2·P(fewer than k of n fair coins show heads).
  /// k is the largest that keeps 90 %; with fewer than five values the whole range must do and covers less.
  public init(of values: [Double]) {
    precondition(!values.isEmpty, "a median needs at least one value")
    let sorted = values.sorted()
    let rank = Self.rank(for: sorted.count)
    median = Self.median(ofSorted: sorted)
    low = sorted[rank - 1]
    high = sorted[sorted.count - rank]
    coverage = 1 - 2 * Self.tail(fewerThan: rank, of: sorted.count)
  }

  /// The median of the ratios of values measured side by side, with its 90 % interval.
  public init(ofPairs numerators: [Double], over denominators: [Double]) {
    precondition(numerators.count == denominators.count, "pairs need two values each")
    self.init(of: zip(numerators, denominators).map { $0 / max($1, .leastNormalMagnitude) })
  }

  /// The median of the differences of values measured side by side, with its 90 % interval.
  public init(ofPairs values: [Double], less others: [Double]) {
    precondition(values.count == others.count, "pairs need two values each")
    self.init(of: zip(values, others).map { $0 - $1 })
  }

  static let wantedCoverage = 0.9

  /// The largest k for which [k-th smallest, k-th largest] keeps the wanted coverage; 1 if none does.
  static func rank(for count: Int) -> Int {
    var rank = 1
    while rank < (count + 1) / 2, 2 * tail(fewerThan: rank + 1, of: count) <= 1 - wantedCoverage { rank += 1 }
    return rank
  }

  /// The probability that fewer than `limit` of `count` fair coins show heads.
  static func tail(fewerThan limit: Int, of count: Int) -> Double {
    var term = 1.0, sum = 0.0
    for _ in 0..<count { term /= 2 }
    for heads in 0..<limit {
      sum += term
      term *= Double(count - heads) / Double(heads + 1)
    }
    return sum
  }

  static func median(ofSorted sorted: [Double]) -> Double {
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// The median of some values.
public func median(of values: [Double]) -> Double { Estimate.median(ofSorted: values.sorted()) }
