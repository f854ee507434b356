// DispatchQueue+Async.swift: submitting work. The common case is one claim, two stores and a check of the state word.
// At a later time: DispatchQueue+After.swift.
public import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension DispatchQueue {
  /// Submits `work` and returns at once.
  ///
  /// - Parameters:
  ///   - group: entered now, and left when `work` has run and its captures are released.
  ///   - qos: the item's class; a workloop takes the most urgent item next. Unspecified means the queue's class.
  ///   - flags: `.barrier` makes the item run alone on a concurrent queue.
  ///   - work: runs once, later, in the queue's turn, and is then released.
  /// - Complexity: O(1); allocates nothing in the steady state except the closure's own context.
  @inlinable
  public final func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping @Sendable () -> Void
  ) {
    if group == nil && flags.isEmpty && qos.qosClass == .unspecified { return submit(RawWork(taking: work)) }
    submit(RawWork(taking: work), group: group.map { Lent($0) }, flags: flags, qos: qos)
  }

  /// Submits a work item and returns at once. If the item is cancelled before it starts, it does not run.
  public final func async(execute workItem: DispatchWorkItem) {
    workItem.noteSubmission(to: self)
    let slot = Slot.workItem(Unmanaged.passRetained(workItem).toOpaque())
    if workItem.qos.qosClass != .unspecified { return pushByClass(slot) }
    push(slot)
  }

  /// Submits a work item as a member of `group`.
  public final func async(group: DispatchGroup, execute workItem: DispatchWorkItem) {
    group.enterKeeping()
    workItem.noteSubmission(to: self)
    let node = NodeCache.take()
    node.pointee.take(Unmanaged.passRetained(workItem))
    node.pointee.group = Lent(group)
    node.pointee.isBarrier = workItem.flags.contains(.barrier)
    if workItem.qos.qosClass != .unspecified { return pushByClass(.node(node)) }
    push(.node(node))
  }

  // MARK: the engine's entry

  @usableFromInline final func submit(_ work: RawWork) { push(Slot(work)) }

  /// The group is lent for the call.
  @usableFromInline
  final func submit(
    _ work: RawWork, group: Lent<DispatchGroup>?, flags: DispatchWorkItemFlags, qos: DispatchQoS = .unspecified
  ) {
    let node = NodeCache.take()
    node.pointee.work = work
    node.pointee.isBarrier = flags.contains(.barrier)
    if let group {
      group.use { $0.enterKeeping() }
      node.pointee.group = group
    }
    if qos.qosClass != .unspecified {
      node.pointee.takeClass(flags.ownClass(qos), flags)
      return pushByClass(.node(node))
    }
    push(.node(node))
  }

  /// Adds an item and wakes whoever must know. The caller may have no reference but one that the item gives back.
  @inline(__always) final func push(_ slot: Slot) {
    let byte = Instruments.byte
    if _slowPath(byte != 0) { return pushSeen(slot, byte) }
    add(slot)
  }

  /// The same, while instruments are on. A sample is another item than the one that was submitted: it becomes so before any instrument
  /// hears of it, so that its run has the words of its submission.
  @inline(never) private final func pushSeen(_ slot: Slot, _ byte: UInt8) {
    var slot = slot
    let mayBeJob = !slot.isClosure
    if byte & Instruments.figures != 0, FigureSampling.isDue(ThreadSlot.current) {
      slot = Self.stamped(slot)
    }
    if mayBeJob || !Events.areForJobsAlone {
      Events.emit(.submitted, address, slot.first, slot.second)
      if let other = standIn {
        Events.emit(.queueTouched, other.address)
        return other.add(slot)
      }
    }
    add(slot)
  }

  /// The queue that takes this one's place for the calling thread, which has a private engine; nil: this one is meant.
  final var standIn: DispatchQueue? { PrivateQueues.standIn(for: self) }

  /// The same, untold to instruments.
  @inline(__always) final func add(_ slot: Slot) {
    if _slowPath(isRoot) { return addToPool(slot) }
    let claimed = list.claim()
    // seq_cst: after the claim S1 in the single order. An owner that we still see will see our claim when it lets go.
    if state.loadSeqCst().needsWake { return addAndTell(claimed, slot) }
    claimed.fill(slot)
  }

  /// Nobody seems bound to check. All that is to be known of the queue is found out, and its place on the target's list gets its
  /// reference, before the item can be seen.
  @inline(never) private final func addAndTell(_ claimed: consuming ClaimedSlot, _ slot: Slot) {
    if fill(claimed, slot) { tellTargetKept(.soon) }
  }

  /// A global queue's items are the pool's.
  @inline(never) private final func addToPool(_ slot: Slot) {
    Pools.serving(self).use { $0.submit(slot, of: serviceClass) }
  }

  /// Fills the claimed slot. True: the queue has become enqueued, and the caller is to tell the target, with the
  /// reference that was taken for that.
  final func fill(_ claimed: consuming ClaimedSlot, _ slot: Slot) -> Bool {
    let isTold: Bool = tryUpdate { state in state.afterPush().map { ($0, true) } } ?? false
    if isTold { keepForTarget() }
    claimed.fill(slot)
    return isTold
  }

  // MARK: items somebody waits for

  /// Runs `work` on the main thread in this queue's turn, and waits for it.
  @inline(never) @usableFromInline
  final func performElsewhere<T, E: Error>(_ work: () throws(E) -> T) throws(E) -> T {
    try resultOfItem(isBarrier: false, work)
  }

  /// Runs `work` as an item of this queue, waits for it, and returns or throws what it did.
  final func resultOfItem<T, E: Error>(isBarrier: Bool, _ work: () throws(E) -> T) throws(E) -> T {
    var result: Result<T, E>?
    withoutActuallyEscaping({
      do throws(E) { result = .success(try work()) } catch { result = .failure(error) }
    }) { submitAndWait($0, isBarrier: isBarrier) }
    return try result!.get()  // the item has run
  }

  /// Submits an item and sleeps until it has run. The closure outlives the call by nothing.
  final func submitAndWait(_ body: @escaping () -> Void, isBarrier: Bool) {
    let node = NodeCache.take()
    node.pointee.work = RawWork(taking: body)
    node.pointee.isBarrier = isBarrier
    submitAndWait(node)
  }

  /// Submits a work item and sleeps until it has run.
  final func submitAndWait(_ workItem: DispatchWorkItem) {
    stopIfInsideChain(alone: true)
    workItem.noteSubmission(to: self)
    let node = NodeCache.take()
    node.pointee.take(Unmanaged.passRetained(workItem))
    submitAndWait(node)
  }

  private final func submitAndWait(_ node: ItemNodePointer) {
    let completion = CompletionWaiter()
    withUnsafePointer(to: completion) { pointer in
      node.pointee.completion = pointer
      if !LentPlace.isFilled(with: node, in: self) { push(.node(node)) }
      FlushBeforeSleep.run()  // after the push, which may have put this very queue into the worker's own slot
      _ = whileRaised { whileWaiting { pointer.pointee.answer.wait(for: self, .asyncAndWait) } }
    }
  }
}

// MARK: closures that the compiler does not know to be safe to send

extension DispatchQueue {
  /// Like `async(group:qos:flags:execute:)`, but the closure need not be `Sendable`: the caller makes sure that its captures are
  /// used by one thread at a time.
  @inlinable
  public final func asyncUnsafe(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping () -> Void
  ) { async(group: group, qos: qos, flags: flags, execute: Self.assumingSendable(work)) }

  @inlinable @inline(__always)
  static func assumingSendable(_ work: consuming @escaping () -> Void) -> @Sendable () -> Void {
    // SAFETY: both types have one representation; whether the closure may be called elsewhere is the caller's to know.
    unsafeBitCast(Plain(closure: work), to: Sent.self).closure
  }

  // In a structure a closure is cast as it is. By itself it would be wrapped for the generic function, twice.
  @frozen @usableFromInline struct Plain {
    @usableFromInline let closure: () -> Void
    @inlinable init(closure: @escaping () -> Void) { self.closure = closure }
  }
  @frozen @usableFromInline struct Sent { @usableFromInline let closure: @Sendable () -> Void }
}
