// LogarithmicScale.swift: where a ratio lies on the chart's axis, and which ratios get a line.
import Glibc

/// A logarithmic axis that covers some values and always 1.
struct LogarithmicScale: Sendable, Equatable {
  private let low: Double
  private let high: Double
  private let start: Double
  private let end: Double

  /// An axis for `values`, drawn between two coordinates; its ends are 1, 2 or 5 times a power of ten.
  init(covering values: [Double], from start: Double, to end: Double) {
    let usable = values.filter { $0.isFinite && $0 > 0 } + [1]
    low = Self.steps.last { $0 <= max(usable.min() ?? 1, Self.steps[0]) && $0 < 1 } ?? Self.steps[0]
    high = Self.steps.first { $0 >= usable.max() ?? 1 && $0 > 1 } ?? Self.steps[Self.steps.count - 1]
    self.start = start
    self.end = end
  }

  private static let steps = (-3...4).flatMap { power in [1.0, 2, 5].map { $0 * pow(10, Double(power)) } }

  /// The coordinate of a ratio; what lies outside the axis lands on its end.
  func position(_ ratio: Double) -> Double {
    let clamped = min(max(ratio, low), high)
    return start + (end - start) * (log(clamped) - log(low)) / (log(high) - log(low))
  }

  /// The ratios that get a line.
  var ticks: [Double] { Self.steps.filter { $0 >= low && $0 <= high } }
}
