// DispatchQueue+Target.swift: the word that says what a queue's items run on: how it may be followed, and how it
// changes.
//
// The word counts one reference. It changes while the queue is inactive; of a queue made under a C name, and of a
// source, also later, by whoever has the queue alone. The old target is let go of at once. So there are three ways to
// follow the word:
//   with a turn     whoever has the queue's turn, alone or as a reader: `targetReference`, nothing is counted
//   for good        of a queue whose target changes no more: `targetReference` as well
//   by counting     everybody else: `heldTarget`, `target`, `firstInChain`
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension DispatchQueue {
  /// The target without counting a reference; nil on global, main and run-loop queues.
  @inline(__always) final var targetReference: Lent<DispatchQueue>? {
    // SAFETY: the reference in the word is ours; it stays while the caller has a turn here, or for good.
    // relaxed: the last change came before what permits the caller to follow the word, and is seen by that: the state's swap that gave
    // the turn, or that made the target fixed (T1), or the lock.
    .inWord(targetBits.loadRelaxed())
  }

  /// Like `targetReference`, of a queue that has a target: all but global, main and run-loop queues.
  @inline(__always) final var ownTarget: Lent<DispatchQueue> {
    Lent(at: targetBits.loadRelaxed())  // relaxed: as above
  }

  /// Whether the target changes no more.
  // acquire T1: pairs with the swap that activates; the last change of the target came before it.
  final var hasFixedTarget: Bool { !isLegacy && state.load()[QueueState.inactive] == 0 }

  /// The queue whose items' turn decides ours; nil on global, main and run-loop queues.
  final var target: DispatchQueue? {
    guard let held = heldTarget() else { return nil }
    return held.isCounted ? held.queue.reference.takeRetainedValue() : held.queue.kept
  }

  /// The target, kept alive for the caller, who must let go of it.
  final func heldTarget() -> HeldQueue? {
    if hasFixedTarget { return targetReference.map { HeldQueue($0) } }
    return withTargetLock { targetReference.map { HeldQueue($0) } }
  }

  /// Like `heldTarget()`, of a queue that has a target.
  final func heldOwnTarget() -> HeldQueue { hasFixedTarget ? HeldQueue(ownTarget) : withTargetLock { HeldQueue(ownTarget) } }

  /// Calls `body` with this queue, its target and so on, until it returns something or there is no further one; each lives for
  /// the length of its call.
  final func firstInChain<R>(_ body: (DispatchQueue) -> R?) -> R? {
    var here = HeldQueue(lent: Lent(self))
    defer { here.letGo() }
    while true {
      if let result = here.queue.use(body) { return result }
      // What is kept alive by a counted one alone is counted as well.
      let next = here.queue.use { queue in
        !here.isCounted && queue.hasFixedTarget ? queue.targetReference.map { HeldQueue(lent: $0) } : queue.heldTarget()
      }
      guard let next else { return nil }
      here.letGo()
      here = next
    }
  }

  // MARK: the word

  /// Puts another target's word in place of the old one, whose reference is the caller's from now on.
  final func exchangeTarget(_ bits: UInt64) -> UInt64 {
    withTargetLock {
      defer { targetBits.storeRelaxed(bits) }  // relaxed: the lock publishes it to those who count, the state's swap to others
      return targetBits.loadRelaxed()  // relaxed: under the lock
    }
  }

  /// Holds the word's lock, for a few instructions.
  // acquire: pairs with the release at the end; who counts finds the target that stands there alive, because its reference is given back only after
  // the exchange.
  private final func withTargetLock<R>(_ body: () -> R) -> R {
    var spinner = Spinner()
    var seen = targetLock.loadRelaxed() & TargetMark.wasTarget  // relaxed: the swap re-checks
    while true {
      let swap = targetLock.casAcquire(seen, seen | TargetMark.locked)  // acquire: pairs with the release below
      if swap.exchanged { break }
      seen = swap.original & TargetMark.wasTarget
      spinner.wait()
    }
    defer { targetLock.storeRelease(seen) }  // release: pairs with the acquire above
    return body()
  }

  /// Whether the queue is or was somebody's target: no other can be part of a cycle.
  // relaxed: changes of targets come one after another, under a lock, and a new queue is not a target's target before it is known.
  final var wasTarget: Bool { targetLock.loadRelaxed() & TargetMark.wasTarget != 0 }

  private final func noteIsTarget() {
    var spinner = Spinner()
    // relaxed: the bit orders nothing, and nothing is done under it
    while !wasTarget, !targetLock.casRelaxed(0, TargetMark.wasTarget).exchanged { spinner.wait() }
  }

  /// A target's word, with a reference. Global queues and the main queue live forever: theirs are not counted.
  static func bits(retaining queue: DispatchQueue) -> UInt64 {
    let reference = Unmanaged.passUnretained(queue)
    if !queue.isShared {
      queue.noteIsTarget()
      _ = reference.retain()
    }
    return UInt64(UInt(bitPattern: reference.toOpaque()))
  }
}

/// Bits of a queue's `targetLock`.
private enum TargetMark {
  static let locked: UInt32 = 1, wasTarget: UInt32 = 2
}

/// A queue that lives until it is let go of.
struct HeldQueue {
  let queue: Lent<DispatchQueue>
  let isCounted: Bool

  /// With a reference, unless it lives forever.
  init(_ queue: Lent<DispatchQueue>) {
    self.queue = queue
    isCounted = queue.use { !$0.isShared }
    if isCounted { _ = queue.reference.retain() }
  }
  /// Kept alive by others.
  init(lent queue: Lent<DispatchQueue>) { (self.queue, isCounted) = (queue, false) }

  func letGo() { if isCounted { queue.reference.release() } }
}

/// Letting go of a target. Its end lets go of its own target, and so on: one after another, or the end of a long chain would need
/// as much stack.
///
///   thread's left_target: nil nothing is under way   1 a target is let go of   else one that was left meanwhile
enum TargetRelease {
  static func release(bits: UInt64) {
    guard let raw = UnsafeRawPointer(bitPattern: UInt(bits)) else { return }
    let target = Unmanaged<DispatchQueue>.fromOpaque(raw)
    if Lent(target).use({ $0.isShared }) { return }
    let thread = ThreadSlot.current
    switch UInt(bitPattern: thread.pointee.left_target) {
    case 0: releaseAll(from: target, thread)
    case underWay: thread.pointee.left_target = target.toOpaque()
    default: target.release()
    }
  }

  private static let underWay: UInt = 1

  private static func releaseAll(from first: Unmanaged<DispatchQueue>, _ thread: ThreadPointer) {
    defer { thread.pointee.left_target = nil }
    var next: Unmanaged<DispatchQueue>? = first
    while let target = next {
      thread.pointee.left_target = UnsafeMutableRawPointer(bitPattern: underWay)
      target.release()
      let left = thread.pointee.left_target
      next = UInt(bitPattern: left) == underWay ? nil : left.map { .fromOpaque($0) }
    }
  }
}

// MARK: changing it

// Hierarchies have no cycles. README.md, "Targets", tells why no item runs outside of its target's turn.

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
