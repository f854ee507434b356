// LockTuning.swift: what the locks' ways of waiting share: the numbers, how urgent a wait is, and which sleepers an
// unlock wakes.
import SignalboxSystem
import SignalboxWords

/// The numbers that trade latency against waste.
enum LockTuning {
  /// Not under an explorer, where no other thread runs meanwhile.
  static let canSpin = Processors.available() > 1 && !Exploration.isOfProgram
  #if Explore
  // SAFETY: tests set them before their threads come to the lock.
  nonisolated(unsafe) static var rounds = canSpin ? 10 : 0
  nonisolated(unsafe) static var patience: UInt64 = 10_000_000
  /// Scenes without spinning are about announced sleeps.
  static var polls: Int { rounds == 0 ? 0 : 300 }
  static var shortestDoze: UInt64 { rounds == 0 ? 0 : 50_000 }
  #else
  /// Exponential rounds of barging before a thread sleeps: some 10 µs in all.
  static let rounds = canSpin ? 10 : 0
  /// How long a sleeper lets others barge before the lock is kept for it: 10 ms, as at a queue's gate.
  static let patience: UInt64 = 10_000_000
  /// How often a thread polls a lock closely before it sleeps: some 10 µs.
  static let polls = canSpin ? 300 : 0
  /// For how long a thread sleeps unannounced after a wake in vain: 50 µs, and twice as long each time up to `longestDoze`.
  static let shortestDoze: UInt64 = 50_000
  #endif
  /// 800 µs: long beside what a wake costs its maker, short beside the patience.
  static let longestDoze: UInt64 = 800_000
  /// A section that outlasts this many polls is not short: some 300 ns.
  static let pollsOfALongSection = 8
  /// Of how many polls one asks whether polling is still worth it.
  static let pollsBetweenQuestions = 64
  /// Pauses for a condition's signal, as long as that is worth it: about 10 µs.
  static let answerSpins = canSpin ? 400 : 0
  /// How long a sleeper sleeps at most where the kernel has no barrier for it: 1 ms.
  static let unorderedSleep: UInt64 = 1_000_000
  /// What sleepers tell the kernel about themselves, so that a wake can pick those whose patience has run out.
  static let ordinarySleepers: UInt32 = 1
  static let starvingSleepers: UInt32 = 2
}

extension LockWake {
  /// Wakes the thread. `word`: what it sleeps on; only a name, the lock may be gone by now.
  func happen(on word: borrowing Atomic32) {
    switch self {
    case .nobody: break
    case .one: word.wake()
    case .starving: word.wake(set: LockTuning.starvingSleepers)
    }
  }
}
