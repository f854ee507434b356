// Thread+Loop.swift: a thread's loop, and what was left for one that has not made its loop yet. Who leaves it is Perform.swift.
import SignalboxLocks

/// What was left with a thread that has no loop yet.
struct EarlyPerform {
  let modes: [RunLoop.Mode]
  let block: @Sendable () -> Void
}

extension Thread {
  /// The thread has made its loop: what was left for it goes there.
  final func hasMade(_ loop: RunLoop) {
    let waiting = lock.withLock { () -> [EarlyPerform] in
      self.loop = loop
      defer { early = [] }
      return early
    }
    for one in waiting { loop.perform(inModes: one.modes, block: one.block) }
  }

  /// The thread has no loop any more.
  final func hasLostLoop() {
    let dropped = lock.withLock { () -> [EarlyPerform] in
      isOver = true
      loop = nil
      defer { early = [] }
      return early
    }
    withExtendedLifetime(dropped) {}
  }
}
