// IOPolicy.swift: how often an operation reports: the marks and the interval of a channel. An operation takes those of the
// moment it is scheduled; what they lead to is IOProgress.swift.

struct IOPolicy: Equatable, Sendable {
  /// Bytes a report is worth; nil until somebody sets it.
  private(set) var low: Int?
  /// The most bytes of one report.
  private(set) var high = Int.max
  /// Nanoseconds; the largest number is none.
  var interval = UInt64.max
  /// At the interval also what is less than the low mark, or nothing.
  var isStrict = false

  /// A high mark below the low one takes that along. None is less than a byte; more than the largest number counts as that.
  mutating func setHigh(_ bytes: Int) {
    high = bytes < 0 ? .max : max(1, bytes)
    if let old = low, old > high { low = high }
  }

  /// A low mark above the high one takes that along.
  mutating func setLow(_ bytes: Int) {
    let mark = bytes < 0 ? Int.max : bytes
    low = mark
    high = max(high, mark)
  }
}
