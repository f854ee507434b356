// ConditionCore.swift: the threads that wait for a condition, in a list, and waking them. Waiting is ConditionCore+Wait.swift.
//
// Each waiter brings its own place: a few words in its stack frame, with a gate of its own to sleep on. So a signal reaches the
// thread that has waited longest and no other, no thread wakes for nothing, and waiting needs no memory. Why no wake-up
// is lost: README.md, "Conditions".
import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

/// One thread's place in the list, in the stack frame of its wait.
struct ConditionPlace: ~Copyable {
  /// What the thread sleeps on: the three values below.
  let gate = Atomic32(Self.closed)
  /// What the waiter waits for, where signals choose.
  let tag: Int
  // SAFETY: the links and `isListed` are touched under the list's lock while the place is listed. A place that is off the list
  // keeps `next` for its own thread alone: the thread that a broadcast woke together with it, and that is still asleep.
  var next: UnsafeMutablePointer<ConditionPlace>?
  var previous: UnsafeMutablePointer<ConditionPlace>?
  var isListed = false

  init(tag: Int) { self.tag = tag }

  /// The thread has not been called and does not sleep.
  static let closed: UInt32 = 0
  /// The thread has been called. The last that any other thread does to the place.
  static let open: UInt32 = 1
  /// The thread has not been called, and sleeps or is about to.
  static let asleep: UInt32 = 2
}

/// A condition's waiters: no memory of its own beyond four words, no system call where no thread sleeps.
///
/// Thread safety: any thread. What the condition is, and the lock that protects it, belong to the types built on this one.
@usableFromInline package struct ConditionCore: ~Copyable, Sendable {
  typealias Place = UnsafeMutablePointer<ConditionPlace>
  /// A gate whose thread must be woken. Only a name to the kernel: the place may be gone by now.
  typealias Sleeper = UnsafePointer<Atomic32>

  // Addresses of places, 0 for none; the first with `told`.
  // relaxed: written under `guardian` only, which orders all writes and the reads of the places.
  @usableFromInline let first = Relaxed64(0)
  private let last = Relaxed64(0)  // relaxed: as `first`
  // The address of a gate that is open and whose thread still sleeps; 0 for none. Only the holder of the condition's lock puts one
  // here.
  @usableFromInline let owed = Atomic64(0)
  let guardian = UnfairLock()
  /// No thread waits.
  @inlinable package init() {}

  // A bit that no place's address has. While it is set, `isAwaited` is true even if no thread waits, so that the
  // explorer also hears of signals that reach no thread; conditions without it read no further byte.
  private static let told: UInt64 = 1

  /// The condition was made, and no other thread knows it yet. From now on the explorer hears of each wait and signal. Called on the cold path.
  @inline(never) package func isMade() { if Exploration.isOfCaller { first.store(Self.told) } }
  /// The calling thread's step depends on which threads wait here, or changes it: the explorer counts it as an
  /// operation on `lock`.
  func tell(_ lock: borrowing LockCore) { if isTold { ExplorerLink.touch(lock.address) } }
  var isTold: Bool { first.load() & Self.told != 0 }

  /// Whether a thread waits. A caller that has held the lock since a waiting thread released it gets true.
  // That thread listed itself before it gave the lock back, so the lock orders the two.
  @inlinable package var isAwaited: Bool { first.load() != 0 }

  /// Whether the thread that releases the lock must then wake another: `takeOwed` says which.
  // relaxed: the lock orders the holders, which alone write it.
  @inlinable package var isOwing: Bool { owed.loadRelaxed() != 0 }

  /// Signals the thread that has waited longest, if any. If the caller holds `lock`, the thread is woken when the lock is released; else here.
  @inlinable package func signal(_ lock: borrowing LockCore) { if isAwaited { signalSlow(lock) } }

  /// Calls all threads that wait now, and wakes one as above; each next one when the one before it gives the lock back.
  @inlinable package func broadcast(_ lock: borrowing LockCore) { if isAwaited { broadcastSlow(lock) } }

  @inline(never) @usableFromInline
  func signalSlow(_ lock: borrowing LockCore) {
    tell(lock)
    owe(guardian.withLock { firstPlace.flatMap { callAlone($0) } }, lock)
  }

  @inline(never) @usableFromInline
  func broadcastSlow(_ lock: borrowing LockCore) {
    tell(lock)
    owe(guardian.withLock { callAll() }, lock)
  }

  // A thread woken while its caller has the lock would only go to sleep again, on the lock.
  private func owe(_ sleeper: Sleeper?, _ lock: borrowing LockCore) {
    guard let sleeper else { return }
    if lock.isMine { oweAsHolder(sleeper) } else { wake(sleeper) }
  }

  /// Leaves a wake to the thread that gives back the lock, which the caller holds; one that is owed already is done
  /// now.
  // acquire-release: the lock orders its holders already; this is for a stranger that unlocks, whose `takeOwed` it pairs with.
  func oweAsHolder(_ sleeper: Sleeper) {
    wake(Sleeper(bitPattern: UInt(owed.exchangeAcqRel(UInt64(UInt(bitPattern: sleeper))))))
  }

  /// What is owed, for a caller that holds the lock and wakes it when that is free.
  // The exchange lets only one have it, even if a stranger unlocks beside the holder. acquire-release: pairs with `oweAsHolder`.
  func takeOwed() -> Sleeper? { isOwing ? Sleeper(bitPattern: UInt(owed.exchangeAcqRel(0))) : nil }

  /// Gives back `lock`, which a condition belongs to, and then wakes the thread that is owed that. False, and nothing
  /// has happened, if the calling thread does not hold it.
  @inlinable @inline(__always)
  package func unlock(_ lock: borrowing LockCore, _ kind: WaitKind, object: UInt) -> Bool {
    _fastPath(!isOwing) && lock.unlockFast() || unlockSlow(lock, kind, object)
  }

  @inline(never) @usableFromInline
  func unlockSlow(_ lock: borrowing LockCore, _ kind: WaitKind, _ object: UInt) -> Bool {
    guard lock.isMine else { return false }
    let sleeper = takeOwed()
    _ = lock.unlock(kind, object: object)
    wake(sleeper)
    return true
  }

  /// The same whichever thread holds the lock, for the types that tolerate it.
  package func unlockForAnybody(_ lock: borrowing LockCore, _ kind: WaitKind) {
    let sleeper = takeOwed()
    _ = lock.unlockForAnybody(kind)
    wake(sleeper)
  }

  /// Calls the thread that has waited longest for `tag`; the sleeper to wake for that, once the caller's lock is free.
  func call(tag: Int) -> Sleeper? {
    guardian.withLock {
      var place = firstPlace
      while let here = place, here.pointee.tag != tag { place = here.pointee.next }
      return place.flatMap { callAlone($0) }
    }
  }

  func wake(_ sleeper: Sleeper?) { if let sleeper { Parking.wake(sleeper) } }

  // MARK: the list, under `guardian`

  private var firstPlace: Place? {
    get { Place(bitPattern: UInt(first.load() & ~Self.told)) }
    nonmutating set { first.store(UInt64(UInt(bitPattern: newValue)) | first.load() & Self.told) }
  }
  private var lastPlace: Place? {
    get { Place(bitPattern: UInt(last.load())) }
    nonmutating set { last.store(UInt64(UInt(bitPattern: newValue))) }
  }

  /// Puts a place behind all others. The caller holds the condition's lock.
  func enlist(_ place: Place) {
    guardian.withLock {
      let before = lastPlace
      place.pointee.previous = before
      place.pointee.next = nil
      place.pointee.isListed = true
      lastPlace = place
      if let before { before.pointee.next = place } else { firstPlace = place }
    }
  }

  /// Takes a place off the list for a thread that stops waiting; false if it has been called: then its gate opens, if only after
  /// those before it.
  func leave(_ place: Place) -> Bool {
    guardian.withLock {
      guard place.pointee.isListed else { return false }
      unlink(place)
      return true
    }
  }

  private func unlink(_ place: Place) {
    let (next, previous) = (place.pointee.next, place.pointee.previous)
    if let previous { previous.pointee.next = next } else { firstPlace = next }
    if let next { next.pointee.previous = previous } else { lastPlace = previous }
    place.pointee.next = nil
    place.pointee.isListed = false
  }

  private func callAlone(_ place: Place) -> Sleeper? {
    unlink(place)
    return open(place)
  }

  private func callAll() -> Sleeper? {
    guard let head = firstPlace else { return nil }
    var place: Place? = head
    while let here = place {
      here.pointee.isListed = false
      place = here.pointee.next
    }
    firstPlace = nil
    lastPlace = nil
    return open(head)
  }

  /// Opens a gate; what to wake if its thread sleeps. The place may be gone at once.
  // release C1: publishes the links to C2, and the caller's last check of the place happens before its end.
  func open(_ place: Place) -> Sleeper? {
    let gate = withUnsafePointer(to: place.pointee.gate) { $0 }
    return gate.pointee.exchangeAcqRel(ConditionPlace.open) == ConditionPlace.asleep ? gate : nil
  }
}
