// WaitCounts.swift: how long sampled items have waited, counted in buckets that grow with the time: four in each doubling. Whose they are
// is QueueFigures.swift.
import SignalboxSystem
import SignalboxWords

/// The buckets of waiting times, in ticks of the processor's counter. Pure.
package enum WaitBucket {
  /// The first bucket ends with the first quarter above 2^7 ticks; the last takes all from 2^42 ticks on: about half an hour.
  static let firstOctave = 7, octaves = 36
  /// How many there are.
  package static let count = 4 * octaves

  /// The bucket of a time.
  static func index(_ ticks: UInt64) -> Int {
    let ticks = max(ticks, 1 << firstOctave)
    let octave = 63 - ticks.leadingZeroBitCount
    return min(4 * (octave - firstOctave) + Int(ticks >> UInt64(octave - 2) & 3), count - 1)
  }

  /// The first time that lies above the bucket; of the last one as if it ended there.
  package static func end(_ index: Int) -> UInt64 { UInt64(5 + index % 4) << UInt64(index / 4 + firstOctave - 2) }
}

/// One queue's counts. Thread safety: any thread.
struct WaitCounts: ~Copyable, Sendable {
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
