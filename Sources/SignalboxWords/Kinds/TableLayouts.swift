// TableLayouts.swift: how rows of words lie that one part of Signalbox writes and another reads, in the process or from
// outside. They hold names of locks, samples, lists of a timer wheel, counts of waiting times.

// MARK: the table of the names of locks

// NameTable (SignalboxDiagnosis) writes it, NameReader (SignalboxView) reads it.
//
//   head     0: how many buckets there are, less 1: a power of 2 less 1
//   bucket   eight entries, of four words each; an address stands in the bucket that its hash names, or nowhere
//   entry    0: sequence, odd while the others change   1: address, 0: none   2, 3: the words of a string of Swift's
//
// A table that is full is followed by one of more buckets, and keeps its memory: a word that is described says where
// the address of the present one stands.
/// The places in a table of names.
package enum NameLayout {
  package static var headWords: Int { 1 }
  package static var entryWords: Int { 4 }
  package static var bucketEntries: Int { 8 }
  package static var bucketWords: Int { entryWords * bucketEntries }
  /// No table that is read has more buckets.
  package static var mostBuckets: UInt64 { 1 << 24 }

  /// The number of the bucket of an address.
  package static func bucket(_ address: UInt64, mask: UInt64) -> UInt64 {
    ((address >> 2) &* 0x9E37_79B9_7F4A_7C15) >> 32 & mask
  }
  /// How far behind the table's beginning the first word of a bucket lies, in words.
  package static func place(ofBucket bucket: UInt64) -> UInt64 { UInt64(headWords) &+ bucket &* UInt64(bucketWords) }
}

// MARK: the tables of samples

// In them a process notes once a second what its threads run, and how many items its queues have had. SampleTables
// (SignalboxDiagnosis) writes them, SampleReader (SignalboxView) reads them.
//
//   head     0: the uptime of the last sample   1: where the threads' table lies   2: its entries
//            3: where the queues' table lies    4: how many of its entries were ever used
//   thread   by the slot of the thread: 0: sequence   1: owner value, 0: nothing is noted   2 - 4: ItemStamp
//            5: since when, in uptime
//   queue    0: sequence   1: the address of the queue's figures, 0: none   2: how many of the samples count
//            3, 4: a sample: how many items had been submitted at least, and when; and so on
//
// A sequence is odd while the entry changes, and another afterwards. Times are nanoseconds of uptime.
/// The places in the tables of samples.
package enum SampleLayout {
  /// Words of the head, of a thread's entry, and of a queue's.
  package static var headWords: Int { 5 }
  package static var threadWords: Int { 6 }
  package static var queueWords: Int { firstSample + 2 * mostSamples }
  /// Where in a queue's entry its samples begin, and how many there are at most.
  package static var firstSample: Int { 3 }
  package static var mostSamples: Int { 16 }
  /// As many queues are noted at most.
  package static var mostQueues: Int { 4_096 }
}

/// The words of the head, by their place.
package enum SampleHead: Int {
  case last = 0, threads, threadCount, queues, queuesUsed
}

// MARK: the lists of a timer wheel

// In which of them it has a key. The wheel is TimerWheel.swift (SignalboxDispatch); TimersView.swift (SignalboxView)
// reads one from outside.
//
//   list   0 … 575   the slots: 64 of each level, those of the lowest first
//          576       opened: keys that are due, or that a turn has reached and that may be
/// The lists of a wheel.
@usableFromInline package enum WheelLayout {
  @inlinable package static var levels: Int { 9 }
  @inlinable package static var bitsPerLevel: UInt64 { 6 }
  @inlinable package static var bitsOfGrain: UInt64 { 10 }
  @inlinable package static var slotsPerLevel: Int { 64 }
  /// The list behind those of all slots; also how many slots there are.
  @inlinable package static var opened: Int { levels * slotsPerLevel }

  /// The level of a key that lies after the base: that of the highest group of bits in which they differ.
  @inlinable @inline(__always) package static func level(of key: UInt64, after base: UInt64) -> UInt64 {
    let difference = (key ^ base) &>> bitsOfGrain
    return difference == 0 ? 0 : (63 - UInt64(difference.leadingZeroBitCount)) / bitsPerLevel
  }

  /// The slot of a key on its level, which that group of bits names.
  @inlinable @inline(__always) package static func slot(of key: UInt64, on level: UInt64) -> UInt64 {
    (key &>> (bitsOfGrain + level * bitsPerLevel)) & 63
  }

  /// The list in which a wheel turned to `base` has a key, once it is no longer in `opened`; nil: in no slot's.
  package static func list(of key: UInt64, after base: UInt64) -> Int? {
    guard key > base else { return nil }
    let level = level(of: key, after: base)
    return Int(level) * slotsPerLevel + Int(slot(of: key, on: level))
  }
}

// MARK: the buckets in which the waiting times of sampled items are counted

// Four in each doubling. The counts of a queue are WaitCounts (SignalboxDispatch). Pure.
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
