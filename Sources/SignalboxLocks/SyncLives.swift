// SyncLives.swift: which object is which to the instruments: its record comes and goes with its users, the orders learnt of it stay.
// The records are SyncTable.swift.
import SignalboxWaits
import SignalboxSystem

/// The objects of one stripe that were locked while instruments were on. Guarded by the stripe's lock.
///
/// An object's end is not announced to any code, so the object is known weakly: one that is found at the address of
/// another that has ended begins a life of its own. Classes never end.
struct SyncLives {
  private struct Life {
    let identity: LockIdentity
    let isClass: Bool
    weak var object: AnyObject?
  }
  private var lives: [UInt: Life] = [:]
  // Beyond that all are forgotten, and with them what was learnt.
  static let most = 1_000
  private static let count = Relaxed64(0)  // relaxed: gives out numbers, each once

  /// Tells the instruments that the lock at `address` is that of the object, or class, at `key`. The caller holds the object.
  mutating func begin(_ address: UInt, _ key: UInt, _ object: AnyObject?) {
    LockEvent.made(.synchronized, address, for: identity(key, object))
  }

  private mutating func identity(_ key: UInt, _ object: AnyObject?) -> LockIdentity {
    if let known = lives[key] {
      // No last reference is let go of here: the object in question is the caller's, or there is none.
      if known.isClass ? object == nil : object != nil && known.object === object { return known.identity }
      LockEvent.ended(known.identity)
    }
    if lives.count >= Self.most { forgetAll() }
    let identity = LockIdentity(number: Self.count.add(1), address: key, type: Self.typeName(key, object))
    lives[key] = Life(identity: identity, isClass: object == nil, object: object)
    return identity
  }

  private mutating func forgetAll() {
    for life in lives.values { LockEvent.ended(life.identity) }
    lives = [:]
  }

  private static func typeName(_ key: UInt, _ object: AnyObject?) -> String {
    if let object { return _typeName(type(of: object), qualified: false) }
    // SAFETY: a key without an object is a class, by the address of its metadata, which is what a class value is.
    return _typeName(unsafeBitCast(key, to: AnyClass.self), qualified: false) + ".Type"
  }
}
