// InnerLock.swift: the lock of the lock instruments themselves. Alone: it lies below the locks that they validate.
// So it is not validated.
import SignalboxSystem

/// A mutual-exclusion lock for short sections that call nothing of the program's; not recursive.
///
///   0 free   1 held   2 held, and a thread may sleep
package struct InnerLock: ~Copyable, Sendable {
  private let word = Atomic32(0)

  package init() {}

  package borrowing func withLock<R>(_ body: () -> R) -> R {
    lock()
    defer { unlock() }
    return body()
  }

  // acquire I1: pairs with I2; what the last holder wrote is visible.
  private borrowing func lock() {
    for _ in 0..<spinRounds(100) {
      if word.casAcquire(0, 1).exchanged { return }
      spinPause()
    }
    // A thread that has slept takes it as 2: others may sleep still.
    // acquire-release: acquires as I1 does, from I2
    while word.exchangeAcqRel(2) != 0 { word.parkBriefly(expected: 2) }
  }

  // release I2 (in the exchange): publishes the holder's writes to I1.
  private borrowing func unlock() {
    if word.exchangeAcqRel(0) == 2 { word.wake() }
  }
}
