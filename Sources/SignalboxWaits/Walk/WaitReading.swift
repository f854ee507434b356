// WaitReading.swift: one reading of one wait, by its record: the same for all code that walks from wait to wait
// (WaitGraph, MixedWalk) and for the search for stalls; and the threads for which one thread waits in turn. The way
// along its words is OwnerTrail.swift.
import SignalboxSystem
import SignalboxView

/// A wait without limit that has not been answered, as its record has it at this moment.
package struct WaitReading {
  package let record: Record
  /// The thread that waits.
  package let owner: UInt64
  /// The same in two readings: it is the same wait.
  package let sequence: UInt64

  /// nil: the thread is in no wait of Signalbox's, or in one with a limit, or is about to wake.
  package init?(of owner: UInt64) {
    let record = Record(of: owner)
    guard let sequence = record.stableSequence else { return nil }
    guard record[.owner] == owner, record.kind != .none, !record.isTimed else { return nil }
    (self.record, self.owner, self.sequence) = (record, owner, sequence)
    if isAnswered { return nil }
  }

  /// Whether it is the calling thread's: then what it waits for is alive, and so is the word that it is about to sleep
  /// on, in its own stack or in what it waits for. Nothing that lies behind it is.
  private var isOwn: Bool { ThreadSlot.current.pointee.owner == owner }

  /// Whether the word slept on has changed.
  private var isAnswered: Bool {
    let park = UInt(record[.park])
    return park != 0 && SafeMemory.word32(park, isAlive: isOwn) != UInt32(truncatingIfNeeded: record[.parkValue])
  }

  /// Whether it is the same wait still. Asked last: what was read belongs to the wait that it was read for.
  package var stillStands: Bool { record.stableSequence == sequence }

  /// The way to the thread that could end it; it may be empty.
  package var trail: OwnerTrail { OwnerTrail(record.ownerWords, keepsFirst: isOwn) }
}

extension WaitRecord {
  /// Whether `isWanted` says so of one of the threads that wait while they are inside `object`, by a frame or as one of
  /// its readers: of its record and its owner value. Of the first `most` slots.
  package static func contains(inside object: UInt, atMost most: UInt64 = .max, where isWanted: (Record, UInt64) -> Bool)
    -> Bool
  {
    let end = min(highest, most)
    var slot: UInt64 = 1
    while slot <= end {
      let record = Record(slot: slot)
      if record[.what] != 0, record.isInside(object), isWanted(record, record[.owner]) { return true }
      slot += 1
    }
    return false
  }
}

// MARK: the threads for which one thread waits in turn

// For code that would help them. Whether they form a cycle is WaitGraph.swift's question.

package enum OwnerChain {
  /// How far the chain is followed.
  package static let limit = 8

  /// The thread for which `owner` waits without limit at this moment, the one for which that one does, and so on. What
  /// lies on the way may change meanwhile: each was right for a moment.
  package static func behind(_ owner: UInt64) -> [UInt64] {
    var found: [UInt64] = []
    var here = owner
    while found.count < limit, let next = next(after: here), next != owner, !found.contains(next) {
      found.append(next)
      here = next
    }
    return found
  }

  private static func next(after owner: UInt64) -> UInt64? {
    guard let reading = WaitReading(of: owner) else { return nil }
    var trail = reading.trail
    guard !trail.isEmpty, case .owner(let next) = trail.follow(for: owner, places: .endThere), reading.stillStands else {
      return nil
    }
    return next
  }
}
