// LockTuning.swift: what the locks' ways of waiting share: the numbers, how urgent a wait is, and whom an unlock wakes.
import SignalboxSystem

/// The numbers that trade latency against waste.
enum LockTuning {
  static let canSpin = Processors.available() > 1
  #if Explore
  // SAFETY: tests set them before their threads come to the lock.
  nonisolated(unsafe) static var rounds = canSpin ? 10 : 0
  nonisolated(unsafe) static var patience: UInt64 = 10_000_000
  #else
  /// Exponential rounds of barging before a thread sleeps: some 10 µs in all.
  static let rounds = canSpin ? 10 : 0
  /// How long a sleeper lets others barge before the lock is kept for it: 10 ms, as at a queue's gate.
  static let patience: UInt64 = 10_000_000
  #endif
  /// Pauses for a condition's signal, as long as that is worth it: about 10 µs.
  static let answerSpins = canSpin ? 400 : 0
  /// How long a sleeper sleeps at most where the kernel has no barrier for it: 1 ms.
  static let unorderedSleep: UInt64 = 1_000_000
  /// What sleepers tell the kernel about themselves, so that a wake can pick those whose patience has run out.
  static let ordinarySleepers: UInt32 = 1
  static let starvingSleepers: UInt32 = 2
}

/// How urgently a thread wants a lock.
enum LockPatience { case fresh, hasSlept, starving }

/// Whom a thread that gives a lock back, or stops waiting for it, has to wake.
enum LockWake {
  case nobody, one, starving

  /// Wakes them. `address`: what they sleep on; only a name, the lock may be gone by now.
  func happen(at address: UnsafePointer<Atomic32>) {
    switch self {
    case .nobody: break
    case .one: Parking.wake(address)
    case .starving: Parking.wake(address, set: LockTuning.starvingSleepers)
    }
  }
}
