// UnfairLock.swift: the small lock the engine itself uses: one word, three states. Apple's lock types build on the same word.
//
//   0 free   1 held   2 held, and a thread may sleep
// A thread that has slept takes the lock as 2: it cannot know whether others still sleep, and a needless wake is cheap while a
// missing one strands a sleeper.
public import SignalboxSystem

/// A four-byte mutex: not recursive, not fair; never allocates, and makes no system call while threads do not compete.
///
/// ```swift file
/// final class HitCounter: Sendable {
///   private let lock = UnfairLock()
///   nonisolated(unsafe) private var hits = 0  // guarded by `lock`
///   func hit() { lock.withLock { hits += 1 } }
///   var count: Int { lock.withLock { hits } }
/// }
/// ```
public struct UnfairLock: ~Copyable, Sendable {
  @usableFromInline let word = Atomic32(0)
  /// Creates a free lock.
  ///
  /// ```swift
  /// let lock = UnfairLock()
  /// lock.withLock { print("no other thread is here") }
  /// ```
  @inlinable public init() {}

  /// Runs `body` while holding the lock. Thread safety: any thread. Not recursive: a nested call by the same thread hangs.
  ///
  /// ```swift file
  /// final class Numbers: Sendable {
  ///   private let lock = UnfairLock()
  ///   nonisolated(unsafe) private var last = 0  // guarded by `lock`
  ///   func next() -> Int { lock.withLock { () -> Int in last += 1; return last } }
  /// }
  /// ```
  ///
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  public borrowing func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lock()
    defer { unlock() }
    return try body()
  }

  /// The same for a caller that must not wait for a thread that may be stuck: nil if the lock is not free for 20 ms.
  package borrowing func withLockSoon<R>(_ body: () -> R) -> R? {
    let deadline = Clock.uptime() &+ 20_000_000
    // acquire L1: as in `lock`. This thread does not sleep, so the lock need not say so.
    while !word.casAcquire(0, 1).exchanged {
      if Clock.uptime() >= deadline { return nil }
      Parking.yield()
    }
    defer { unlock() }
    return body()
  }

  // acquire L1: pairs with L2; what the last holder wrote is visible.
  @inlinable @inline(__always) borrowing func lock() { if !word.casAcquire(0, 1).exchanged { lockSlow() } }

  // release L2 (in the exchange): publishes the holder's writes to L1.
  @inlinable @inline(__always) borrowing func unlock() { if word.exchangeAcqRel(0) == 2 { unlockSlow() } }

  @inline(never) @usableFromInline borrowing func lockSlow() {
    for round in 0..<spinRounds(10) {
      if word.loadRelaxed() == 0, word.casAcquire(0, 1).exchanged { return }  // relaxed: the swap re-checks; acquire L1
      for _ in 0..<(1 << min(round, 6)) { spinPause() }
    }
    while word.exchangeAcqRel(2) != 0 { word.parkBriefly(expected: 2) }  // acquire L1, in the exchange
  }

  @inline(never) @usableFromInline borrowing func unlockSlow() { word.wake() }
}
