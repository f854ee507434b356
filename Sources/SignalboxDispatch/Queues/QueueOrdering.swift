// QueueOrdering.swift: what the lock instruments hear of queues: turns that are asked for. What comes with a turn is
// DispatchLayer.turn(of:).
//
// While a thread has a turn its frames say so (ThreadFrame.swift), whether or not anything was switched on when it got it, and they lie
// in the stack where it took the turn. So neither getting nor giving back a turn tells the instruments anything.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// A thread asks for a turn, and instruments are on.
  @inline(never)
  final func turnIsAsked(alone: Bool) {
    InstrumentHooks.pass(.sync, object: address)
    guard !isRoot else { return }
    LockHooks.beginTurn(turnKind(alone: alone), address, alone ? .alone : .shared)
    // No turn is held yet that would keep the targets.
    let _: Void? = firstInChain { queue in
      if queue !== self, !queue.isRoot {
        LockHooks.beginTurn(.sync, queue.address, queue.isConcurrent ? .shared : .alone)
      }
      return nil
    }
  }

  private final func turnKind(alone: Bool) -> WaitKind { alone && isConcurrent ? .barrierSync : .sync }
}
