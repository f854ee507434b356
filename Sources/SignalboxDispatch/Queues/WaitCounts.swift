// WaitCounts.swift: how long sampled items have waited, counted in buckets that grow with the time (WaitBucket,
// SignalboxWords). Whose they are is QueueFigures.swift.
import SignalboxSystem
import SignalboxWords

/// One queue's counts. Thread safety: any thread.
struct WaitCounts: ~Copyable, Sendable {
  /// Where the counts lie is described to readers from outside.
  private let counts = InlineArray<144, Atomic32> { _ in Atomic32(0) }

  // relaxed, both: statistics
  func add(_ ticks: UInt64) { _ = counts[WaitBucket.index(ticks)].addRelaxed(1) }

  /// All counts up to the last that is not 0.
  var all: [UInt32] {
    var found: [UInt32] = []
    var index = WaitBucket.count
    while index > 0 {
      index -= 1
      let count = counts[index].loadRelaxed()  // relaxed: a count, and nothing is read through it
      if found.isEmpty {
        if count == 0 { continue }
        found = [UInt32](repeating: 0, count: index + 1)
      }
      found[index] = count
    }
    return found
  }
}
