// ScanSchedule.swift: when a scan for cycles is due: 1, 2 and 4 seconds after a wait or an item began, or at other ages. Pure: no
// clock, no threads.

/// What is outstanding, and how often it has been scanned.
struct ScanSchedule {
  /// Nanoseconds after its beginning at which something is scanned.
  let ages: [UInt64]

  init(ages: [UInt64] = [1_000_000_000, 2_000_000_000, 4_000_000_000]) { self.ages = ages }

  /// Something that lasts.
  enum Key: Hashable {
    /// The wait in the record of this slot.
    case wait(slot: UInt64)
    /// What this thread of the pool runs.
    case item(thread: Int32)
  }

  /// What is owed for something that lasts: `nothing` but to come back at `next`; the same, for the first time; a scan.
  enum Due { case nothing, begun, scan }

  private struct Entry {
    var stamp: UInt64
    var since: UInt64
    var scans = 0
    var isSeen = true
  }
  private var entries: [Key: Entry] = [:]

  private func next(_ entry: Entry) -> UInt64? { entry.scans < ages.count ? entry.since &+ ages[entry.scans] : nil }

  /// Notes that `key` is there now, and says what is due for it. Another `stamp` than the last time means another wait or item.
  mutating func note(_ key: Key, stamp: UInt64, since: UInt64, now: UInt64) -> Due {
    let known = entries[key].flatMap { $0.stamp == stamp ? $0 : nil }
    var entry = known ?? Entry(stamp: stamp, since: since)
    entry.isSeen = true
    var due = known == nil ? Due.begun : Due.nothing
    while let next = next(entry), now >= next {
      entry.scans += 1
      due = .scan
    }
    entries[key] = entry
    return due
  }

  /// Everything that is there has been noted: what was not is over.
  mutating func endRound() {
    entries = entries.compactMapValues { entry in
      guard entry.isSeen else { return nil }
      var entry = entry
      entry.isSeen = false
      return entry
    }
  }

  /// When the next scan is due; nil if none will be for what is there.
  var next: UInt64? { entries.values.compactMap(next).min() }
}
