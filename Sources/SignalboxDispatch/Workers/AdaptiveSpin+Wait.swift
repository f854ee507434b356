// AdaptiveSpin+Wait.swift: how long a thread of the engine spins for an answer. The budget itself is AdaptiveSpin.swift's.
import SignalboxSystem

extension AdaptiveSpin {
  /// Spins until `isAnswered` or the end of the thread's budget; returns whether it was answered.
  @inline(__always) static func wait(_ isAnswered: () -> Bool) -> Bool {
    run(&ThreadSlot.current.pointee.wait_spin, limit: Tuning.spins, isAnswered)
  }
}
