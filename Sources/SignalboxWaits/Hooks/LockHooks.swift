// LockHooks.swift: what the lock types tell the order of locks: about to take, taken, not taken, given back. Off: one
// read of a byte. What is done with it is in LockOrder/. The other subscribers hear of locks by events (Events.swift).
import SignalboxSystem
import SignalboxWords

/// One acquisition, as the instruments see it.
public struct LockHooks {
  /// How the lock is asked for.
  public enum Request: Sendable {
    case lock, timedLock, tryLock
  }

  private let address: UInt
  private let kind: WaitKind
  /// Whether the locks were tracked when the acquisition began.
  private let isOn: Bool
  private var holder: UInt64 = 0
  private var since: UInt64 = 0

  private init(_ kind: WaitKind, _ address: UInt, isOn: Bool) {
    self.kind = kind
    self.address = address
    self.isOn = isOn
  }

  /// Whether the caller's locks are tracked. Not in the child of a fork: what other threads had begun is never ended
  /// there. Nor where an explorer chooses, which tries the orders themselves and may leave a thread where it is.
  @inline(__always) package static var isOn: Bool {
    Instruments.byte & Instruments.lockTracking != 0 && !Instruments.isForkedChild && !Exploration.isOfCaller
  }

  /// Called before a lock is taken, in the out-of-line path only.
  ///
  /// `address` is that of the lock's word; `kind` says how it is wanted: `.readLock` beside others, all else alone.
  @inline(__always)
  public static func begin(_ request: Request, _ kind: WaitKind, _ address: UInt) -> LockHooks {
    if Instruments.byte & EventKind.lockAsked.subscribers.rawValue != 0 {
      Events.tell(kind == .once ? .onceAsked : .lockAsked, address, 0, 0)
    }
    guard isOn else { return LockHooks(kind, address, isOn: false) }
    if request == .lock { checkOrder(kind, address, isShared: kind == .readLock) }
    return LockHooks(kind, address, isOn: true)
  }

  @inline(never)
  private static func checkOrder(_ kind: WaitKind, _ address: UInt, isShared: Bool) {
    _ = ThreadSlot.owner()
    guard Instruments.byte & Instruments.lockOrder != 0 else { return }
    CallSite.here { Diagnosis.above?.isAskedFor(kind, address, isShared: isShared, at: $0) }
  }

  /// The lock is held by the thread `owner`, and has to be waited for; nothing if that is nobody.
  public mutating func meetsHolder(_ owner: UInt64) {
    if owner != 0 { meetsHolders(one: owner) }
  }

  /// The lock is held by others, and has to be waited for.
  ///
  /// - Parameter owner: the one of them who is alone inside; 0 if they are several, or not known.
  public mutating func meetsHolders(one owner: UInt64 = 0) {
    guard isOn, Instruments.byte & Instruments.lockStatistics != 0 else { return }
    holder = owner
    since = Clock.uptime()
  }

  /// The lock is held now.
  @inline(__always) public func acquired() { if isOn { noteAcquired() } }

  @inline(never) private func noteAcquired() {
    CallSite.here { Diagnosis.above?.isTaken(kind, address, behind: holder, since: since, at: $0) }
  }

  /// The lock was not got.
  @inline(__always) public func failed() {}

  /// Called by the holder before it gives the lock back.
  @inline(__always) public static func released(_ kind: WaitKind, _ address: UInt) {
    if isOn { noteReleased(address) }
    Events.emit(.lockReleased, address)
  }

  @inline(never) private static func noteReleased(_ address: UInt) { Diagnosis.above?.isGivenBack(address) }

  /// Called by a thread that gives back a lock which the thread `owner` holds, before it does.
  public static func released(_ kind: WaitKind, _ address: UInt, heldBy owner: UInt64) {
    Events.emit(.lockReleased, address)
    guard isOn else { return }
    if owner == ThreadSlot.owner() { return noteReleased(address) }
    Diagnosis.above?.isGivenBack(address, heldBy: owner)
  }

  // MARK: birth and death

  /// A lock was made at `address` and will stay there: it belongs with those that are made at the same place. Called
  /// behind the byte.
  @inline(never)
  public static func created(_ kind: WaitKind, _ address: UInt) {
    if isOn { CallSite.here { Diagnosis.above?.isMade(kind, address, for: nil, at: $0) } }
  }

  /// A lock was made at `address` for something that has had locks before: orders learnt of those are orders of this
  /// one.
  @inline(never)
  package static func created(_ kind: WaitKind, _ address: UInt, for identity: LockIdentity) {
    if isOn { CallSite.here { Diagnosis.above?.isMade(kind, address, for: identity, at: $0) } }
  }

  /// Nothing has this identity any more.
  package static func ended(_ identity: LockIdentity) {
    if isOn { Diagnosis.above?.ends(identity) }
  }

  /// The lock at `address` is no more: what is made there next is another. Called behind the byte.
  public static func destroyed(_ address: UInt) { Events.emit(.gone, address) }

  // MARK: waits

  /// Called before a thread waits for a condition, an operation or a queue of them; `timeLeft`: nanoseconds until it
  /// stops waiting.
  @inline(never)
  package static func waits(for kind: WaitKind, timeLeft: UInt64? = nil) {
    guard isOn, Instruments.byte & Instruments.lockOrder != 0 else { return }
    CallSite.here { Diagnosis.above?.waits(for: kind, timeLeft: timeLeft, at: $0) }
  }
}
