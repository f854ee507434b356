// SyncTable.swift: the locks of objects, found by the object's identity; made at first use, given back with their last user.
//
// A stripe's lock guards only its list; a thread waits for an object in that object's own record, outside the stripe. A record
// counts its users: the threads that hold it or wait for it. It keeps its object alive, so an address names one object
// for as long as there is a record of it. Records without a user go to a short list of the stripe, and beyond that to
// the allocator.
import SignalboxWaits
import SignalboxSystem

/// What is known of one object's lock: touched only under the stripe's lock.
struct SyncRecord {
  /// The lock, in memory of its own: threads take it and give it back outside the stripe, while others change the rest.
  let core: SyncCore
  // The object's address.
  var key: UInt = 0
  // One for each `enter` that has not been left, waiting ones included.
  var users = 0
  var object: Unmanaged<AnyObject>?
  var next: UnsafeMutablePointer<SyncRecord>?
}

/// The lock of one object. SAFETY: it is freed with its record, which has no users then, and a thread that uses it is
/// one.
typealias SyncCore = UnsafeMutablePointer<RecursiveCore>
/// Where a record is. SAFETY: used only under the stripe's lock, or by the last user once it is in no list.
typealias SyncRecordPointer = UnsafeMutablePointer<SyncRecord>

/// One part of the table.
// SAFETY of @unchecked: everything is touched only under `lock`.
final class SyncStripe: @unchecked Sendable {
  private let lock = UnfairLock()
  private var used: SyncRecordPointer?
  private var spare: SyncRecordPointer?
  private var spareCount = 0
  private var lives = SyncLives()
  /// How many records a stripe keeps without users.
  static let mostSpare = 4

  /// The lock of the object at `key`, with one more user.
  func join(_ key: UInt, _ object: AnyObject?) -> SyncCore {
    lock.withLock {
      if let record = find(key) {
        record.pointee.users += 1
        return record.pointee.core
      }
      let record = takeSpare() ?? Self.make()
      record.pointee.key = key
      record.pointee.users = 1
      record.pointee.object = object.map { .passRetained($0) }
      record.pointee.next = used
      used = record
      if !Instruments.areOff { lives.begin(record.pointee.core.pointee.address, key, object) }
      return record.pointee.core
    }
  }

  /// What `leave` has done, and what is left to do outside the stripe: letting go of an object runs the program's code.
  enum Departure {
    case notHeld
    /// Given back, and the record with it. What is no longer needed.
    case last(Unmanaged<AnyObject>?, SyncRecordPointer?)
    /// The calling thread has the lock more than once: one `unlock` is still to be made, and the record stays.
    case again(SyncCore)
    /// Others use the record. The lock is still to be given back, and only then the use, by `leaveFree`.
    case others(SyncCore)
  }

  /// Takes one use by the calling thread off the record of the object at `key`.
  func leave(_ key: UInt) -> Departure {
    lock.withLock {
      guard let record = find(key), record.pointee.core.pointee.isMine else { return .notHeld }
      if record.pointee.core.pointee.isTakenAgain {
        record.pointee.users -= 1
        return .again(record.pointee.core)
      }
      guard record.pointee.users == 1 else { return .others(record.pointee.core) }
      record.pointee.users = 0
      // No thread waits: a waiter is a user. So this wakes no thread.
      _ = record.pointee.core.pointee.unlock(.synchronized, object: key)
      let object = record.pointee.object
      return .last(object, retire(record))
    }
  }

  /// Takes the use of a thread that has given the lock back off the record of the object at `key`.
  func leaveFree(_ key: UInt) -> Departure {
    lock.withLock {
      guard let record = find(key) else { return .notHeld }
      record.pointee.users -= 1
      guard record.pointee.users == 0 else { return .last(nil, nil) }
      let object = record.pointee.object
      return .last(object, retire(record))
    }
  }

  private static func make() -> SyncRecordPointer {
    let (record, core) = (SyncRecordPointer.allocate(capacity: 1), SyncCore.allocate(capacity: 1))
    core.initialize(to: RecursiveCore())
    record.initialize(to: SyncRecord(core: core))
    return record
  }

  /// Frees a record that is in no list.
  static func free(_ record: SyncRecordPointer) {
    record.pointee.core.deallocate()
    record.deallocate()
  }

  private func find(_ key: UInt) -> SyncRecordPointer? {
    var here = used
    while let record = here, record.pointee.key != key { here = record.pointee.next }
    return here
  }

  private func takeSpare() -> SyncRecordPointer? {
    guard let record = spare else { return nil }
    spare = record.pointee.next
    spareCount -= 1
    return record
  }

  /// Takes the record out of use; returned if there are spare ones enough.
  private func retire(_ record: SyncRecordPointer) -> SyncRecordPointer? {
    unlink(record)
    record.pointee.core.pointee.core.isGone()
    guard spareCount < Self.mostSpare else { return record }
    record.pointee.next = spare
    spare = record
    spareCount += 1
    return nil
  }

  private func unlink(_ record: SyncRecordPointer) {
    guard used != record else { return used = record.pointee.next }
    var here = used
    while let before = here, before.pointee.next != record { here = before.pointee.next }
    here?.pointee.next = record.pointee.next
  }

  /// How many records there are, with users and without.
  var testsOnly_counts: (used: Int, spare: Int) {
    lock.withLock {
      var count = 0
      var here = used
      while let record = here { (count, here) = (count + 1, record.pointee.next) }
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
    stripe(of: key).join(key, object).pointee.lock(.synchronized, object: key)
  }

  /// False if the calling thread is not inside.
  static func exit(_ key: UInt) -> Bool {
    let stripe = stripe(of: key)
    switch stripe.leave(key) {
    case .notHeld: return false
    case .last(let object, let record): letGo(object, record)
    case .again(let core): _ = core.pointee.unlock(.synchronized, object: key)
    case .others(let core):
      _ = core.pointee.unlock(.synchronized, object: key)
      if case .last(let object, let record) = stripe.leaveFree(key) { letGo(object, record) }
    }
    return true
  }

  private static func letGo(_ object: Unmanaged<AnyObject>?, _ record: SyncRecordPointer?) {
    if let record { SyncStripe.free(record) }
    object?.release()
  }
}
