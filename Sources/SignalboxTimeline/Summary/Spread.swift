// Spread.swift: many times of one kind, and what of them counts: half, 95 and 99 of a hundred, the longest.
import SignalboxSystem

/// Times in nanoseconds.
struct Spread {
  private var times: [ReadNumber] = []
  /// All together.
  private(set) var total: ReadNumber = 0
  /// The longest.
  private(set) var longest: ReadNumber = 0

  /// True: none was longer before.
  @discardableResult mutating func add(_ time: ReadNumber) -> Bool {
    times.append(time)
    total += time
    guard time >= longest else { return false }
    longest = time
    return true
  }

  var count: Int { times.count }

  /// What `figures` are called.
  static let names = ["p50", "p95", "p99", "longest"]
  /// For each the least time that this percentage of all does not exceed; 0 if there are none.
  var figures: [ReadNumber] {
    let sorted = times.sorted()
    return [50, 95, 99, 100].map { hundredth in
      sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, max(0, (sorted.count * hundredth + 99) / 100 - 1))]
    }
  }
}
