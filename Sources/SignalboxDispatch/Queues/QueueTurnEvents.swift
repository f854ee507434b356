// QueueTurnEvents.swift: the events of a queue's turns: asked for, got, given back. What comes with a turn is
// DispatchLayer.turn(of:).
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// A thread asks for a turn, and a subscriber hears of it.
  @inline(never)
  final func turnIsAsked(alone: Bool) {
    let kind: WaitKind = isRoot ? .none : alone && isConcurrent ? .barrierSync : .sync
    Events.tell(.turnAsked, address, alone ? 1 : 0, UInt64(kind.rawValue))
    guard !isRoot, Events.areWanted(.targetTurnAsked) else { return }
    // No turn is held yet that would keep the targets.
    let _: Void? = firstInChain { queue in
      if queue !== self, !queue.isRoot {
        Events.tell(.targetTurnAsked, queue.address, queue.isConcurrent ? 0 : 1, UInt64(WaitKind.sync.rawValue))
      }
      return nil
    }
  }

  /// The same around the taking of a turn by `sync`. While a turn lasts whose end a subscriber wants to hear of, the
  /// inlined way out is closed.
  @inline(never)
  final func enterTelling(_ me: UInt64, alone: Bool) -> Bool {
    if Events.areWanted(.turnAsked) { turnIsAsked(alone: alone) }
    guard enterPlainly(me, alone: alone) else { return false }
    guard Events.areWanted(.turnBegan) else { return true }
    // relaxed: set once, and the swap re-checks
    if !isRoot, state.hint()[QueueState.recorded] == 0 {
      set { $0.with(QueueState.recorded, 1) }
    }
    Events.tell(.turnBegan, address, alone ? 1 : 0, 0)
    return true
  }

  /// The turn is about to be given back.
  @inline(__always) final func turnEnds() {
    if Events.areWanted(.turnEnded) { return Events.tell(.turnEnded, address, 0, 0) }
    // No subscriber any more: the inlined paths are open again.
    // relaxed: a thread that sets it meanwhile has seen another recording begin, of which a turn's end may be missing
    if _slowPath(state.hint()[QueueState.recorded] != 0) {
      set { $0.with(QueueState.recorded, 0) }
    }
  }
}
