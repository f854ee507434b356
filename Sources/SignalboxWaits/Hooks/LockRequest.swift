// LockRequest.swift: the events of a lock: asked for, taken, given back, made. Off: one read of a byte each. The order
// of locks and their statistics are subscribers (LockEvents in SignalboxDiagnosis).
import SignalboxSystem
import SignalboxWords

/// One request for a lock, from the asking to the taking. Made in the out-of-line path only.
public struct LockRequest {
  private let address: UInt
  private let kind: WaitKind
  private var holder: UInt64 = 0
  private var since: UInt64 = 0

  /// The lock is about to be asked for.
  ///
  /// - Parameters:
  ///   - kind: how it is wanted: `.readLock` beside others, all else alone.
  ///   - address: that of the lock's word.
  ///   - isPatient: whether the thread waits for as long as it takes.
  @inline(__always)
  public init(_ kind: WaitKind, _ address: UInt, isPatient: Bool) {
    (self.kind, self.address) = (kind, address)
    // Both kinds have the same subscribers; here `kind` is no constant.
    if Events.areWanted(.lockAsked) {
      Events.tell(
        kind == .once ? .onceAsked : .lockAsked, address, isPatient ? EventKind.withoutLimit : 0, UInt64(kind.rawValue))
    }
  }

  /// The lock is held by the thread `owner`, and has to be waited for; nothing if no thread has that value.
  @inline(__always) public mutating func meetsHolder(_ owner: UInt64) { if owner != 0 { meetsHolders(one: owner) } }

  /// The lock is held by other threads, and has to be waited for.
  ///
  /// - Parameter owner: the thread that is alone inside; 0 if they are several, or not known.
  @inline(__always) public mutating func meetsHolders(one owner: UInt64) {
    if _slowPath(Instruments.byte & Instruments.lockStatistics != 0) { (holder, since) = (owner, Clock.uptime()) }
  }

  /// The thread holds the lock now.
  @inline(__always) public func isGranted() {
    Events.emit(.lockTaken, address, holder, since << 8 | UInt64(kind.rawValue))
  }
}

/// What locks say of themselves beside that.
public enum LockEvent {
  /// The holder is about to give the lock back.
  ///
  /// - Parameter owner: the thread that holds it, if that may be another; 0: the calling one.
  @inline(__always) public static func released(_ address: UInt, heldBy owner: UInt64 = 0) {
    Events.emit(.lockReleased, address, owner)
  }

  /// A lock was made at `address` and will stay there: it belongs with those that are made at the same place.
  @inline(__always) public static func made(_ kind: WaitKind, _ address: UInt) {
    Events.emit(.lockMade, address, UInt64(kind.rawValue))
  }

  /// A lock was made at `address` for something that has had locks before: orders learnt of those are orders of this
  /// one.
  package static func made(_ kind: WaitKind, _ address: UInt, for identity: LockIdentity) {
    withUnsafePointer(to: identity) {
      Events.emit(.lockMade, address, UInt64(kind.rawValue), UInt64(UInt(bitPattern: $0)))
    }
  }

  /// Nothing has this identity any more.
  package static func ended(_ identity: LockIdentity) { Events.emit(.identityEnded, 0, identity.number) }

  /// The lock at `address` is no more: what is made there next is another.
  @inline(__always) public static func destroyed(_ address: UInt) { Events.emit(.gone, address) }

  /// The thread is about to wait without limit for a condition, an operation or a queue of them.
  @inline(__always) package static func waits(for kind: WaitKind) {
    Events.emit(.unownedWaitBegan, 0, UInt64(kind.rawValue))
  }
}

/// What a lock belongs to that is made again for each use.
package struct LockIdentity: Sendable {
  /// No other has it.
  package let number: UInt64
  /// Where reports find what it is.
  package let address: UInt
  package let type: String

  package init(number: UInt64, address: UInt, type: String) {
    self.number = number
    self.address = address
    self.type = type
  }
}
