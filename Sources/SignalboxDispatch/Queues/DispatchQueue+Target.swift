// DispatchQueue+Target.swift: changing what a queue's items run on. Hierarchies have no cycles, and no reader of `target`
// ever sees one that is gone.
import SignalboxLocks
import SignalboxSystem

/// One change of a target at a time in the whole process, so that two changes cannot close a cycle between them.
private let retargetLock = UnfairLock()

extension DispatchQueue {
  final func retarget(to queue: DispatchQueue?) {
    if isWorkloop || kind == .runLoop { return }  // they stay where they are
    let target = queue ?? GlobalQueues.queue(for: ownQoS.qosClass)
    switch kind {
    case .global, .main: Misuse.stop("the target of \(kind) queue \"\(name)\" cannot be set: retarget a queue of your own")
    case .serial, .concurrent, .runLoop: break
    }
    let isInactive = QueueState(rawValue: state.loadRelaxed())[QueueState.inactive] == 1
    if isInactive { return setTargetAssumingQuiet(target) }
    guard isLegacy else {
      Misuse.stop(
        "queue \"\(name)\" is retargeted after it was activated: set the target before activate(), or at creation")
    }
    retargetActive(target)
  }

  /// A queue made under C names: the change is itself an item that runs alone, so items before it run on the old target.
  private final func retargetActive(_ target: DispatchQueue) {
    let me = ThreadSlot.owner()
    // An idle queue changes at once: what is submitted next runs on the new target.
    let taken: Bool? = isStoreEmpty ? tryUpdate { state in state.afterTakeOver(me, alone: true).map { ($0, true) } } : nil
    if taken == true {
      setTargetAssumingQuiet(target)
      if kind == .concurrent { set { $0.afterBarrierRan() } }
      return releaseAndLook()
    }
    let box = Unmanaged.passRetained(self)
    let targetBox = Unmanaged.passRetained(target)
    submit(
      RawWork(taking: {
        let queue = box.takeRetainedValue()
        queue.setTargetAssumingQuiet(targetBox.takeRetainedValue())
      }), group: nil, flags: .barrier)
  }

  /// Nothing of this queue runs elsewhere meanwhile: it is inactive, or the caller runs alone on it.
  final func setTargetAssumingQuiet(_ target: DispatchQueue) {
    let old = retargetLock.withLock { () -> UInt64 in
      stopIfCycle(target)
      let old = targetBits.exchangeAcqRel(DispatchQueue.bits(retaining: target))
      let complex: UInt64 = target.kind == .global ? 0 : 1
      set { $0.with(QueueState.complex, complex) }
      return old
    }
    // While inactive nobody walks through this queue; an active one's old target may be walked to without a reference.
    if isLegacy { retire(old) } else { DispatchQueue.release(bits: old) }
  }

  /// The old target lives as long as this queue does.
  private final func retire(_ old: UInt64) { extrasMade().with { $0.retiredTargets.append(old) } }

  private final func stopIfCycle(_ target: DispatchQueue) {
    var chain = [name]
    var queue: DispatchQueue? = target
    while let here = queue {
      chain.append(here.name)
      if here === self {
        Misuse.stop(
          "the target of queue \"\(name)\" would lead back to itself: "
            + chain.map { "\"\($0)\"" }.joined(separator: " -> ") + "; targets must form a tree")
      }
      queue = here.target
    }
  }
}
