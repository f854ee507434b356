// Waits.swift: waiting times of sampled items as a histogram, with its quantiles. How they are sampled is FigureSampling.swift in
// SignalboxDispatch.
import SignalboxWords

extension Snapshot {
  /// A histogram of waiting times. A bucket is a quarter of the power of two below it at most, so a quantile is too high by a quarter at
  /// most.
  ///
  /// ```swift
  /// let waits = Snapshot.take().queues.reduce(Snapshot.Waits()) { $0 + $1.waits }
  /// if let seconds = waits.quantile(0.95) { print("95 of 100 items waited less than", seconds, "s, of", waits.count) }
  /// ```
  public struct Waits: Sendable {
    let counts: [UInt32]
    let secondsPerTick: Double

    init(counts: [UInt32], secondsPerTick: Double) { (self.counts, self.secondsPerTick) = (counts, secondsPerTick) }

    /// No waiting times.
    ///
    /// ```swift
    /// let none = Snapshot.Waits()
    /// print(none.count, none.quantile(0.5) == nil)  // 0 true
    /// ```
    public init() { self.init(counts: [], secondsPerTick: 0) }

    /// The waiting times of both, of one snapshot.
    ///
    /// ```swift
    /// let queues = Snapshot.take().queues
    /// let all = queues.map(\.waits).reduce(Snapshot.Waits(), +)
    /// print(all.count)
    /// ```
    public static func + (one: Waits, other: Waits) -> Waits {
      let (long, short) = one.counts.count < other.counts.count ? (other, one) : (one, other)
      var sum = long.counts
      for index in short.counts.indices { sum[index] &+= short.counts[index] }
      return Waits(counts: sum, secondsPerTick: max(one.secondsPerTick, other.secondsPerTick))
    }

    /// The number of items sampled.
    public var count: Int { counts.reduce(0) { $0 + Int($1) } }

    /// The buckets that hold items: the upper end of each, in seconds, and its number of items.
    public var buckets: [(end: Double, count: Int)] {
      counts.indices.filter { counts[$0] > 0 }.map { (Double(WaitBucket.end($0)) * secondsPerTick, Int(counts[$0])) }
    }

    /// The longest time, in seconds, that the given fraction of the items has waited; nil if there are no items.
    ///
    /// ```swift
    /// let half = Snapshot.take().queues.compactMap { $0.waits.quantile(0.5) }.max()
    /// print(half ?? 0, "s at most, for half of the items of each queue")
    /// ```
    ///
    /// - Parameter part: the fraction, from 0 to 1; 0.5 gives the median. A value outside that range counts as the nearest end of it.
    public func quantile(_ part: Double) -> Double? {
      let count = count
      guard count > 0 else { return nil }
      let wanted = max(1, Int((min(max(part, 0), 1) * Double(count)).rounded(.up)))
      var seen = 0
      for bucket in buckets {
        seen += bucket.count
        if seen >= wanted { return bucket.end }
      }
      return nil
    }
  }
}
