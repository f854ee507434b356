// LogarithmicScale.swift: where a ratio or a time lies on a chart's axis, and which values get a line.
import Glibc

/// A logarithmic axis; its ends are 1, 2 or 5 times a power of ten.
struct LogarithmicScale: Sendable, Equatable {
  private let steps: [Double]
  private let low: Double
  private let high: Double
  private let start: Double
  private let end: Double

  /// An axis for ratios, which covers `values` and always 1, drawn between two coordinates.
  init(covering values: [Double], from start: Double, to end: Double) {
    self.init(values + [1], steps: Self.steps(-3...4), from: start, to: end) {
      $0 < 1
    } isHigh: {
      $0 > 1
    }
  }

  /// An axis for nanoseconds, which covers `times` and at least a factor of two.
  init(coveringTimes times: [Double], from start: Double, to end: Double) {
    self.init(times, steps: Self.steps(-1...10), from: start, to: end)
  }

  private init(
    _ values: [Double], steps: [Double], from start: Double, to end: Double, isLow: (Double) -> Bool = { _ in true },
    isHigh: (Double) -> Bool = { _ in true }
  ) {
    let usable = values.filter { $0.isFinite && $0 > 0 }
    let smallest = usable.min() ?? 1, largest = usable.max() ?? 1
    let low = steps.last { $0 <= max(smallest, steps[0]) && isLow($0) } ?? steps[0]
    let last = steps[steps.count - 1]
    self.low = min(low, steps[steps.count - 2])
    high = steps.first { $0 >= largest && $0 > low && isHigh($0) } ?? last
    self.steps = steps
    self.start = start
    self.end = end
  }

  private static func steps(_ powers: ClosedRange<Int>) -> [Double] {
    powers.flatMap { power in [1.0, 2, 5].map { $0 * pow(10, Double(power)) } }
  }

  /// The coordinate of a value; what lies outside the axis lands on its end.
  func position(_ value: Double) -> Double {
    let clamped = min(max(value, low), high)
    return start + (end - start) * (log(clamped) - log(low)) / (log(high) - log(low))
  }

  /// The values that get a line.
  var ticks: [Double] { steps.filter { $0 >= low && $0 <= high } }
}
