// OnceToken.swift: running something once, with a word of the caller's as the only state. C's dispatch_once, behind all its faces.
//
//   0 not yet   ~0 done   owner << 2 | 1 running   owner << 2 | 3 running, and somebody waits
// C promises 0 and ~0; the rest is ours. Waiters wait in a group, so the pool knows that they do not run; the group is found by
// the word's address, and only while somebody waits. Why no waiter is left: it sets the waiting bit and enters its group under
// the table's lock. The runner swaps in ~0 first: either the bit is set by then, and taking the lock shows the runner the
// group, or setting the bit fails and the waiter sees ~0.
import SignalboxWaits
import SignalboxLocks
public import SignalboxSystem
import SignalboxWords

/// Run-once on a plain word, by address.
@usableFromInline package enum OnceToken {
  @usableFromInline static let done: UInt64 = ~0
  private static let isRunning: UInt64 = 1, isAwaited: UInt64 = 2

  static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var waiters: [UInt: DispatchGroup] = [:]

  // SAFETY: an atomic word has the layout of the integer it holds, and the caller keeps the token alive and in place; while a
  // call runs it is touched as an atomic only.
  @inlinable @inline(__always)
  static func word(_ token: UnsafeMutablePointer<Int>) -> UnsafePointer<Atomic64> {
    UnsafeRawPointer(token).assumingMemoryBound(to: Atomic64.self)
  }

  /// Whether the run has ended; its effects are visible then.
  // acquire O1: pairs with the exchange in runAssumingOwned.
  @inlinable @inline(__always)
  package static func isDone(_ token: UnsafeMutablePointer<Int>) -> Bool { word(token).pointee.loadAcquire() == done }

  /// Whether a caller may go on without `run`: that has ended, and no instrument wants to know who asks.
  @inlinable @inline(__always)
  package static func isPassed(_ token: UnsafeMutablePointer<Int>) -> Bool { Instruments.areOff && isDone(token) }

  /// Runs `body` if nobody has begun yet; otherwise returns when that one has ended.
  @usableFromInline @inline(never)
  package static func run(_ token: UnsafeMutablePointer<Int>, _ body: () -> Void) {
    let me = ThreadSlot.owner()
    // Also once it has run: in another run of the program this caller may come first.
    let request = LockRequest(.once, UInt(bitPattern: token), isPatient: true)
    // acquire O1, when it fails because the run has ended; when it does not, nobody has written anything
    var seen = word(token).pointee.casAcqRel(0, me << 2 | isRunning)
    if seen.exchanged { return runAssumingOwned(token, request, body) }
    while seen.original != done {
      if seen.original >> 2 == me { stopRecursion() }
      // Checked again afterwards: the token may be a new one where a freed one was, whose runner was late to leave the group.
      if let group = join(token, seen.original) { group.wait(once: UInt(bitPattern: token)) }
      seen = word(token).pointee.casAcqRel(0, me << 2 | isRunning)  // acquire O1, as above
      if seen.exchanged { return runAssumingOwned(token, request, body) }
    }
  }

  private static func runAssumingOwned(_ token: UnsafeMutablePointer<Int>, _ request: LockRequest, _ body: () -> Void) {
    request.isGranted()
    Events.emit(.onceBegan, UInt(bitPattern: token))
    body()
    Events.emit(.onceEnded, UInt(bitPattern: token))
    LockEvent.released(UInt(bitPattern: token))
    // release O1: publishes what `body` wrote; pairs with isDone.
    guard word(token).pointee.exchangeAcqRel(done) & isAwaited != 0 else { return }
    lock.withLock { waiters.removeValue(forKey: UInt(bitPattern: token)) }?.leave()
  }

  /// The group to wait in, or nil if the word is no longer `seen`.
  private static func join(_ token: UnsafeMutablePointer<Int>, _ seen: UInt64) -> DispatchGroup? {
    lock.withLock {
      // relaxed: before the runner's exchange, which finds the bit then, and the group by the lock; after it, this fails
      guard word(token).pointee.casRelaxed(seen, seen | isAwaited).exchanged else { return nil }
      if let group = waiters[UInt(bitPattern: token)] { return group }
      let group = DispatchGroup()
      group.enter()
      waiters[UInt(bitPattern: token)] = group
      return group
    }
  }

  /// The thread that runs under the token at an address, for a caller who waits for that.
  static func runner(of token: UInt) -> UInt64? {
    guard let place = UnsafeMutablePointer<Int>(bitPattern: token) else { return nil }
    let value = word(place).pointee.loadRelaxed()  // relaxed: a name, through which nothing is read
    return value == done || value & isRunning == 0 ? nil : value >> 2
  }

  private static func stopRecursion() -> Never {
    Misuse.stop(
      "dispatch_once was called with a token whose block is running on this very thread: it would wait for itself forever; "
        + "let the block call what it needs directly")
  }
}
