// DispatchTimeInterval.swift: spans of time in a unit of the caller's choice. Adding them to points in time is Time+Operators.swift.

/// A length of time, which may be negative.
///
/// Two intervals are equal if they have the same length, whatever their units. Lengths beyond the range of 64-bit nanoseconds
/// (292 years) are clamped to it; `never` is equal only to itself.
///
/// Thread safety: a value.
public enum DispatchTimeInterval: Equatable, Sendable {
  /// Whole seconds.
  case seconds(Int)
  /// Thousandths of a second.
  case milliseconds(Int)
  /// Millionths of a second.
  case microseconds(Int)
  /// Billionths of a second.
  case nanoseconds(Int)
  /// An interval without end: any time plus this is `distantFuture`.
  case never

  /// The length in nanoseconds, cut to the range of 64 bits; `never` is the upper end.
  package var clampedNanoseconds: Int64 {
    switch self {
    case .seconds(let count): Self.clamp(count, times: 1_000_000_000)
    case .milliseconds(let count): Self.clamp(count, times: 1_000_000)
    case .microseconds(let count): Self.clamp(count, times: 1000)
    case .nanoseconds(let count): Int64(count)
    case .never: .max
    }
  }

  private static func clamp(_ count: Int, times unit: Int64) -> Int64 {
    let (product, overflows) = Int64(count).multipliedReportingOverflow(by: unit)
    guard overflows else { return product }
    return count < 0 ? .min : .max
  }

  /// Whether two intervals have the same length; `never` is equal only to itself.
  public static func == (lhs: DispatchTimeInterval, rhs: DispatchTimeInterval) -> Bool {
    switch (lhs, rhs) {
    case (.never, .never): true
    case (.never, _), (_, .never): false
    default: lhs.clampedNanoseconds == rhs.clampedNanoseconds
    }
  }
}
