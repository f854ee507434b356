// ConditionCore.swift: the threads that wait for a condition, in a list, and waking them. Waiting is ConditionCore+Wait.swift.
//
// Each waiter brings its own place: a few words in its stack frame, with a gate of its own to sleep on. So a signal reaches the
// thread that has waited longest and no other, nobody wakes for nothing, and waiting needs no memory. Why no wake-up is lost:
// README.md, "Conditions".
public import SignalboxSystem

/// One thread's place in the list, in the stack frame of its wait.
struct ConditionPlace: ~Copyable {
  /// What the thread sleeps on: the three values below.
  let gate = Atomic32(Self.closed)
  /// What the waiter waits for, where signals choose.
  let tag: Int
  // SAFETY: the links and `isListed` are touched under the list's lock while the place is listed. A place that is off the list
  // keeps `next` for its own thread alone: whom a broadcast woke together with it, and who is still asleep.
  var next: UnsafeMutablePointer<ConditionPlace>?
  var previous: UnsafeMutablePointer<ConditionPlace>?
  var isListed = false

  init(tag: Int) { self.tag = tag }

  /// The thread has not been called and does not sleep.
  static let closed: UInt32 = 0
  /// The thread has been called. The last that anybody else does to the place.
  static let open: UInt32 = 1
  /// The thread has not been called, and sleeps or is about to.
  static let asleep: UInt32 = 2
}

/// A condition's waiters: no memory of its own beyond three words, no system call where nobody sleeps.
///
/// Thread safety: any thread. What the condition is, and the lock that protects it, belong to the types built on this one.
@usableFromInline package struct ConditionCore: ~Copyable, Sendable {
  typealias Place = UnsafeMutablePointer<ConditionPlace>
  /// A gate whose thread must be woken. Only a name to the kernel: the place may be gone by now.
  typealias Sleeper = UnsafePointer<Atomic32>

  // Addresses of places, 0 for none; written under `guardian` only.
  @usableFromInline let first = Atomic64(0)
  private let last = Atomic64(0)
  let guardian = UnfairLock()
  /// Nobody waits.
  @inlinable package init() {}

  /// Whether somebody waits. Who knows that somebody does because he held the lock after that thread gave it back gets true.
  // relaxed: that thread listed itself before it gave the lock back, so the lock orders the two.
  @inlinable package var isAwaited: Bool { first.loadRelaxed() != 0 }

  /// Wakes the thread that has waited longest, if any.
  @inlinable package func signal() { if isAwaited { signalSlow() } }

  /// Wakes all threads that wait now: one here, each next one by the one before it, once that has the lock again.
  @inlinable package func broadcast() { if isAwaited { broadcastSlow() } }

  @inline(never) @usableFromInline
  func signalSlow() {
    wake(guardian.withLock { firstPlace.flatMap { callAlone($0) } })
  }

  @inline(never) @usableFromInline
  func broadcastSlow() {
    wake(guardian.withLock { callAll() })
  }

  /// Calls the thread that has waited longest for `tag`; whom to wake for that, once the caller's lock is free.
  func call(tag: Int) -> Sleeper? {
    guardian.withLock {
      var place = firstPlace
      while let here = place, here.pointee.tag != tag { place = here.pointee.next }
      return place.flatMap { callAlone($0) }
    }
  }

  func wake(_ sleeper: Sleeper?) { if let sleeper { Parking.wake(sleeper) } }

  // MARK: the list, under `guardian`

  // relaxed: `guardian` orders all writes and these reads.
  private var firstPlace: Place? {
    get { Place(bitPattern: UInt(first.loadRelaxed())) }
    nonmutating set { first.storeRelaxed(UInt64(UInt(bitPattern: newValue))) }
  }
  private var lastPlace: Place? {
    get { Place(bitPattern: UInt(last.loadRelaxed())) }
    nonmutating set { last.storeRelaxed(UInt64(UInt(bitPattern: newValue))) }
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
  // release C1: publishes the links to C2, and the caller's last look at the place happens before its end.
  func open(_ place: Place) -> Sleeper? {
    let gate = withUnsafePointer(to: place.pointee.gate) { $0 }
    return gate.pointee.exchangeAcqRel(ConditionPlace.open) == ConditionPlace.asleep ? gate : nil
  }
}
