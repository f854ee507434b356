// DispatchQueue+Retarget.swift: changing what a queue's items run on. Hierarchies have no cycles. Who reads the target meanwhile, and
// how, is DispatchQueue+Target; README.md, "Targets", tells why no item runs outside of its target's turn.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

/// One change of a target at a time in the whole process, so that two changes cannot close a cycle between them.
private let retargetLock = UnfairLock()

extension DispatchQueue {
  final func retarget(to queue: DispatchQueue?) {
    if isWorkloop || isRunLoops { return }  // they stay where they are
    Events.emit(.retargeted, address)
    Events.emit(.untoldUsed, 0)
    let target = queue ?? GlobalQueues.queue(for: ownQoS.qosClass)
    switch kind {
    case .global, .main: Misuse.stop("the target of \(kind) queue \"\(name)\" cannot be set: retarget a queue of your own")
    case .serial, .concurrent, .runLoop: break
    }
    // relaxed: who sets a queue up and who activates it are ordered by the caller
    let isInactive = state.hint()[QueueState.inactive] == 1
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
    if list.isEmpty, let items = takeOver(alone: true, me) {
      setTargetAssumingQuiet(target)
      if isConcurrent { set { $0.afterBarrierRan() } }
      return releaseAndRecheck(items)
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
      let old = exchangeTarget(DispatchQueue.bits(retaining: target))
      rootWord.store(target.rootWord.load())
      tellSanitizer(target: target)
      let complex: UInt64 = target.isRoot ? 0 : 1
      set { $0.with(QueueState.complex, complex) }
      return old
    }
    TargetRelease.release(bits: old)
  }

  private final func stopIfCycle(_ target: DispatchQueue) {
    guard wasTarget || target === self else { return }
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

  // MARK: where the queue lies

  /// Whether this drain was begun for an earlier target, which does not matter any more. The queue was taken off the list of
  /// `around`, of the pool if that is nil. A moment's view, but for the queue's owner.
  @inline(__always) final func isOutOfPlace(_ around: UnsafeMutablePointer<ThreadFrame>?) -> Bool {
    isLegacy && !lies(in: around)
  }

  @inline(never) private final func lies(in around: UnsafeMutablePointer<ThreadFrame>?) -> Bool {
    // relaxed, both: whoever owns the queue has seen the last change, and others check again when they do.
    guard let around else { return state.hint()[QueueState.complex] == 0 }
    return targetBits.loadRelaxed() == UInt64(around.pointee.object)
  }

  /// The item that has run has changed the target, and the owner goes: what follows runs in the new target's turn. If the queue is
  /// enqueued it is so with the old one, where it is out of place.
  final func releaseToNewTarget(_ items: consuming OwnedList) {
    if update({ $0.afterRetarget() }) { wakeGate() }
    wakeIfNeeded()
  }
}
