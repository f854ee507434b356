// WaitBucket.swift: the buckets in which the waiting times of sampled items are counted: four in each doubling. The
// counts of a queue are WaitCounts (SignalboxDispatch). Pure.

/// The buckets of waiting times, in ticks of the processor's counter.
package enum WaitBucket {
  /// The first bucket ends with the first quarter above 2^7 ticks; the last takes all from 2^42 ticks on: about half an
  /// hour.
  static let firstOctave = 7, octaves = 36
  /// How many there are.
  package static let count = 4 * octaves

  /// The bucket of a time.
  package static func index(_ ticks: UInt64) -> Int {
    let ticks = max(ticks, 1 << firstOctave)
    let octave = 63 - ticks.leadingZeroBitCount
    return min(4 * (octave - firstOctave) + Int(ticks >> UInt64(octave - 2) & 3), count - 1)
  }

  /// The first time that lies above the bucket; of the last one as if it ended there.
  package static func end(_ index: Int) -> UInt64 { UInt64(5 + index % 4) << UInt64(index / 4 + firstOctave - 2) }

  /// The time, in ticks, that `percent` of a hundred sampled items have waited at most; nil without a sample.
  package static func time(of percent: UInt64, in counts: [UInt32]) -> UInt64? {
    let total = counts.reduce(UInt64(0)) { $0 + UInt64($1) }
    guard total > 0 else { return nil }
    var seen: UInt64 = 0
    let bucket = counts.firstIndex { count in
      seen += UInt64(count)
      return seen * 100 >= total * percent
    }
    return end(min(bucket ?? 0, count - 1))
  }
}
