// InnerLock.swift: the lock of the lock instruments themselves: they lie below the locks that they validate, and are not validated.
import SignalboxSystem

/// A mutual-exclusion lock for short sections that call nothing of the program's; not recursive.
///
///   0 free   1 held   2 held, and somebody may sleep
struct InnerLock: ~Copyable, Sendable {
  private let word = Atomic32(0)

  borrowing func withLock<R>(_ body: () -> R) -> R {
    lock()
    defer { unlock() }
    return body()
  }

  /// The same for whoever must not wait for a thread that may be stuck: nil if the lock is not free for 20 ms.
  borrowing func withLockSoon<R>(_ body: () -> R) -> R? {
    let deadline = Clock.uptime() &+ 20_000_000
    // acquire I1: as in `lock`. Nobody sleeps, so the lock need not say so.
    while !word.casAcquire(0, 1).exchanged {
      if Clock.uptime() >= deadline { return nil }
      Parking.yield()
    }
    defer { unlock() }
    return body()
  }

  // acquire I1: pairs with I2; what the last holder wrote is visible.
  private borrowing func lock() {
    for _ in 0..<spinRounds(100) {
      if word.casAcquire(0, 1).exchanged { return }
      spinPause()
    }
    // Who has slept takes it as 2: others may sleep still.
    // acquire-release: acquires as I1 does, from I2
    while word.exchangeAcqRel(2) != 0 { word.parkBriefly(expected: 2) }
  }

  // release I2 (in the exchange): publishes the holder's writes to I1.
  private borrowing func unlock() {
    if word.exchangeAcqRel(0) == 2 { word.wake() }
  }
}
