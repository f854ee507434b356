// ForeignLocks.swift: the lock objects of the toolchain's Foundation in an unmodified program: their mutexes are the C library's, and take
// part in the order of locks as Signalbox's do. Where they are seen is hooked.c.
import CSignalbox
import SignalboxSystem
import SignalboxWaits

/// Foundation's `NSLock`, `NSRecursiveLock` and `NSCondition`, as far as the program makes them.
///
/// Each is a class of its own, from the moment its mutex is made to the moment it is destroyed: the next at its address is another.
/// What Foundation makes for itself is not seen, nor is a mutex that no lock object has: the program does not choose their order.
package enum ForeignLocks {
  /// Begins to see them if the environment asks for the order of locks to be validated. Called by the loader, before the program begins:
  /// a Foundation that is loaded later is not seen.
  package static func watch() {
    let asked = Environment.value("SIGNALBOX_LOCK_ORDER")
    guard asked == "report" || asked == "stop" else { return }
    let watch = sb_mutex_watch(
      made: { ForeignLocks.made($0, $1) }, gone: { ForeignLocks.gone($0) }, wanted: { ForeignLocks.wanted($0) },
      taken: { ForeignLocks.taken($0) }, given: { ForeignLocks.given($0) }, waits: { ForeignLocks.waits($0, isTimed: $1 != 0) })
    if sb_watch_mutexes(watch) == Int32(SB_WATCH_FAILED) {
      Misuse.report("this Foundation is not one that is known: the order of its locks is not validated")
    }
  }

  // MARK: what the thread that uses the mutex tells

  @inline(never)
  private static func made(_ address: UInt, _ kind: Int32) {
    _ = ThreadSlot.owner()  // the environment has been read
    let snapshot = Instruments.snapshot
    guard isOn(snapshot) else { return }
    let site = CallSite.here { $0.addresses }
    guard let maker = site.first(where: { sb_watched_maker($0) == Int32(SB_MUTEX_NONE) }), sb_is_watched_image(maker) == 0
    else {
      return gone(address)
    }
    let noun =
      switch kind {
      case Int32(SB_MUTEX_RECURSIVE): "NSRecursiveLock"
      case Int32(SB_MUTEX_CONDITION): "NSCondition"
      default: "NSLock"
      }
    LockWorld.lock.withLock { LockRegistry.createdAssumingLocked(mutex: address, noun, site: site, epoch: snapshot >> 8) }
  }

  private static func gone(_ address: UInt) {
    let snapshot = Instruments.snapshot
    guard lockClass(of: address, snapshot) != nil else { return }
    // The last reference may have gone while the thread held it.
    if let stack = HeldStack.current(epoch: snapshot >> 8) { while stack.pop(address) {} }
    LockWorld.lock.withLock { LockRegistry.destroyedAssumingLocked(address) }
  }

  @inline(never)
  private static func wanted(_ address: UInt) {
    guard lockClass(of: address, Instruments.snapshot) != nil else { return }
    _ = ThreadSlot.owner()
    CallSite.here { NotedLocks.isAskedFor(.foreignMutex, address, isShared: false, at: $0) }
  }

  @inline(never)
  private static func taken(_ address: UInt) {
    let snapshot = Instruments.snapshot
    guard lockClass(of: address, snapshot) != nil, let stack = HeldStack.current(epoch: snapshot >> 8) else { return }
    CallSite.here { stack.push(address, .foreignMutex, .exclusive, $0) }
  }

  /// A mutex that the thread is not known to hold is another thread's to give back: code that uses it so signals by it,
  /// and no order is learnt of it any more.
  @inline(never)
  private static func given(_ address: UInt) {
    let snapshot = Instruments.snapshot
    guard let lockClass = lockClass(of: address, snapshot), let stack = HeldStack.current(epoch: snapshot >> 8) else { return }
    if stack.pop(address) || lockClass.has(LockClass.isUnordered) { return }
    LockWorld.lock.withLock { LockRegistry.exceptAssumingLocked(lockClass) }
  }

  @inline(never)
  private static func waits(_ address: UInt, isTimed: Bool) {
    guard lockClass(of: address, Instruments.snapshot) != nil else { return }
    given(address)
    if !isTimed { CallSite.here { NotedLocks.waits(for: .condition, timeLeft: nil, at: $0) } }
  }

  private static func isOn(_ snapshot: UInt64) -> Bool {
    UInt8(truncatingIfNeeded: snapshot) & Instruments.lockOrder != 0 && LockEvents.areOn
  }

  /// The class of a mutex that was seen being made, while orders are validated.
  private static func lockClass(of address: UInt, _ snapshot: UInt64) -> LockClassPointer? {
    guard isOn(snapshot), let entry = LockRegistry.find(address, epoch: snapshot >> 8) else { return nil }
    let lockClass = entry.lockClass
    return lockClass.has(LockClass.isForeign) ? lockClass : nil
  }
}
