// SyncTable.swift: the locks of objects, found by the object's identity; made at first use, given back with their last user.
//
// A stripe's lock guards only its list; a thread waits for an object in that object's own record, outside the stripe. A record
// counts its users: who holds it or waits for it. It keeps its object alive, so an address names one object for as long as
// there is a record of it. Records of life without a user go to a short list of the stripe, and beyond that to the allocator.
import SignalboxDiagnosis
import SignalboxSystem

/// The lock of one object.
// SAFETY of @unchecked: all but `core` is touched only under the stripe's lock.
final class SyncRecord: @unchecked Sendable {
  let core = RecursiveCore()
  // The object's address; 0 while nobody uses the record.
  var key: UInt = 0
  // One for each `enter` that has not been left, waiting ones included.
  var users = 0
  var object: AnyObject?
  var next: SyncRecord?
}

/// One part of the table.
// SAFETY of @unchecked: everything is touched only under `lock`.
final class SyncStripe: @unchecked Sendable {
  private let lock = UnfairLock()
  private var used: SyncRecord?
  private var spare: SyncRecord?
  private var spareCount = 0
  /// How many records a stripe keeps without users.
  static let mostSpare = 4

  /// The record of the object at `key`, with one more user.
  func join(_ key: UInt, _ object: AnyObject?) -> SyncRecord {
    lock.withLock {
      if let record = find(key) {
        record.users += 1
        return record
      }
      let record = takeSpare() ?? SyncRecord()
      record.key = key
      record.users = 1
      record.object = object
      record.next = used
      used = record
      return record
    }
  }

  /// What `leave` has done, and what is left to do outside the stripe: destroying an object runs the program's code.
  enum Departure {
    case notHeld
    /// Given back. What is no longer needed, to be let go of.
    case last(AnyObject?, SyncRecord?)
    /// The record has users: its lock is still to be given back.
    case others(SyncRecord)
  }

  /// Takes one use by the calling thread off the record of the object at `key`.
  func leave(_ key: UInt) -> Departure {
    lock.withLock {
      guard let record = find(key), record.core.isMine else { return .notHeld }
      record.users -= 1
      guard record.users == 0 else { return .others(record) }
      // Nobody waits: whoever does is a user. So this wakes nobody.
      _ = record.core.unlock(.synchronized, object: key)
      let object = record.object.take()
      return .last(object, retire(record))
    }
  }

  private func find(_ key: UInt) -> SyncRecord? {
    var here = used
    while let record = here, record.key != key { here = record.next }
    return here
  }

  private func takeSpare() -> SyncRecord? {
    guard let record = spare else { return nil }
    spare = record.next
    spareCount -= 1
    return record
  }

  /// Takes the record out of use; returned if there are spare ones enough.
  private func retire(_ record: SyncRecord) -> SyncRecord? {
    unlink(record)
    record.key = 0
    record.next = nil
    guard spareCount < Self.mostSpare else { return record }
    record.next = spare
    spare = record
    spareCount += 1
    return nil
  }

  private func unlink(_ record: SyncRecord) {
    guard used !== record else { return used = record.next }
    var here = used
    while let before = here, before.next !== record { here = before.next }
    here?.next = record.next
  }

  /// How many records there are, with users and without.
  var testsOnly_counts: (used: Int, spare: Int) {
    lock.withLock {
      var count = 0
      var here = used
      while let record = here { (count, here) = (count + 1, record.next) }
      return (count, spareCount)
    }
  }
}

/// All stripes.
enum SyncTable {
  static let stripeCount = 64
  static let stripes = (0..<stripeCount).map { _ in SyncStripe() }

  /// Objects are aligned to sixteen bytes and made side by side: multiplying spreads them.
  static func stripe(of key: UInt) -> SyncStripe {
    stripes[Int(truncatingIfNeeded: (UInt64(key >> 4) &* 0x9E37_79B9_7F4A_7C15) >> 58)]
  }

  static func enter(_ key: UInt, _ object: AnyObject?) {
    stripe(of: key).join(key, object).core.lock(.synchronized, object: key)
  }

  /// False if the calling thread is not inside.
  static func exit(_ key: UInt) -> Bool {
    switch stripe(of: key).leave(key) {
    case .notHeld: return false
    case .last: return true
    case .others(let record): return record.core.unlock(.synchronized, object: key)
    }
  }
}
