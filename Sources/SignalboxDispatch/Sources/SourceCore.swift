// SourceCore.swift: the life of a source of any kind: activation, handlers, checks for events, the end. What is monitored, and how,
// is the kinds' (subclasses); the object that users hold is DispatchSource.
//
// It is a serial queue itself, on the target, and runs everything that the source calls as an item of its own; its suspension and
// activation are the source's. One object and not two: a crowd of sources is as many places in memory to go to.
// What a kind does: it overrides start(), stop(), takeData() and handled(), and calls signalEvent() and stopped().
// The states are SourceState's; README.md tells why nothing is lost.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

package class SourceCore: DispatchQueue, @unchecked Sendable {
  // SAFETY of @unchecked: handlers are guarded by `lock`; life and data are atomic; the queue and the context guard themselves.

  package enum HandlerKind { case registration, event, cancel }

  // In the single order throughout: a turn takes its bit away and then checks for data, a signaller writes data and then checks for
  // the bit; one of the two sees the other.
  private final let life = AtomicState(SourceState(rawValue: 0))
  private final let lock = UnfairLock()
  private final let isMandatory = Atomic32(0)
  /// Whether a registration handler may be due; written under `lock`.
  private final let isAnnounced = Atomic32(0)
  private final var handlers = SourceHandlers()
  private final let latest = Atomic64(0)
  private final let contextPlace = CContextPlace()
  package final let handle: UInt
  package final let mask: UInt
  private final let hasFailed = Atomic32(0)
  /// For messages: "timer".
  final let noun: StaticString

  /// Inactive. As a queue it carries the target's label, because people expect that.
  init(kind: StaticString, target: DispatchQueue, handle: UInt = 0, mask: UInt = 0) {
    (noun, self.handle, self.mask) = (kind, handle, mask)
    Events.emit(.untoldUsed, 0)
    super.init(
      name: target.label, kind: .serial, qos: .unspecified, isInactive: true, isLegacy: true, target: .queue(target),
      isListed: false)
  }

  // MARK: as a turn that is no queue of the program's

  override final var isKnownToProgram: Bool { false }

  /// It has its target's name, which the thread has already. Sources on one queue often come due together, and each lies in a place of its
  /// own: fetches the next while this one runs.
  override final func drainBegins(inside around: UnsafeMutablePointer<ThreadFrame>, _ thread: ThreadPointer) {
    if around.pointee.kind == .drainAlone { Self.reference(of: around.pointee).use { $0.prefetchNextQueue() } }
  }

  /// Its items are few and short.
  override final var leavesTargetAtOnce: Bool { true }

  deinit {
    guard contextPlace.isUsed else { return }
    sourceContext.setTarget(target)
    contextPlace.objectIsGone(of: self)
  }

  /// Made at first need: few have one.
  final var sourceContext: CContext { contextPlace.made }
  /// What the context points to; nil without one.
  final var sourceContextValue: UnsafeMutableRawPointer? { contextPlace.value }

  // MARK: what a kind says

  /// Begins to monitor. Called once, on the activating thread, before any handler runs; not at all if cancelled before.
  func start() {}

  /// Ends monitoring, and calls `stopped()`, at once or later. Called once, after `start()` has returned, on any thread.
  func stop() { stopped() }

  /// What the event handler shall find as data; nil: there is nothing to call it for. Called on the source's queue.
  func takeData() -> UInt? { nil }

  /// The event handler has returned. Called on the source's queue, unless the source has ended meanwhile.
  func handled() {}

  /// Like `handled()`, for an event without a handler.
  func unheard() { handled() }

  /// Merges the program's own data; false where data comes from elsewhere. Any thread.
  func merge(_ data: UInt64) -> Bool { false }

  /// There is a handler for events now. Any thread.
  func handlerCame() {}

  /// Sees to it that `takeData()` is called once more than now. Any thread; checks that have not run yet count for all.
  final func signalEvent() {
    guard life.tryUpdateSeqCst({ $0.afterSignal().map { ($0, ()) } }) != nil else { return }
    submit { Lent<SourceCore>(at: $0).use { $0.takeTurn() } }
  }

  /// Puts `item` into this queue, without an allocation; it is given this object's address.
  private final func submit(_ item: @escaping @convention(c) (UnsafeMutableRawPointer) -> Void) {
    // SAFETY: a queue with items lives: on its target's list it is referred to, and inactive or suspended it may not be freed.
    push(Slot(CWork(item, Unmanaged.passUnretained(self).toOpaque()).raw))
  }

  /// Nothing is monitored any more: the handle is the program's again, and the cancel handler may run.
  final func stopped() { act(on: life.updateSeqCst { $0.afterStopped() }) }

  /// The system is out of what `deed` needs: said once, tried again a little later unless the source has ended.
  final func retrySoon(_ deed: String, _ error: SystemError, _ body: @escaping @Sendable () -> Void) {
    if hasFailed.exchangeAcqRel(1) == 0 {  // acquire-release: said by one; nothing is read through it
      Misuse.report("\(sourceName) cannot \(deed) now (\(error)); it tries again until it can")
    }
    RetrySoon.call { if !self.isOver { body() } }
  }

  /// Whether no further event handler is to be called.
  final var isOver: Bool { life.load().isOver }

  /// Data that a handler has seen counts no more.
  final func forgetData() { latest.storeRelaxed(0) }  // relaxed: as in `data`

  // MARK: life

  final func activateSource() {
    Events.emit(.activated, address)
    guard let action = life.tryUpdateSeqCst({ $0.afterActivate() }) else { return }
    if action == .start {
      start()
      act(on: life.updateSeqCst { $0.afterStarted() })
    }
    // Only now, so that a source that calls a handler has been started.
    activate()
  }

  final func resumeSource() {
    // The queue's word tells suspensions and inactivity apart: an inactive one that is also suspended is resumed first.
    // acquire: pairs with the swaps of suspend() and resume()
    if state.load()[QueueState.suspendCount] == 0 {
      if !life.load()[has: SourceState.active] { return activateSource() }
      Misuse.stop(
        "\(sourceName) is resumed more often than suspended: every resume() needs an earlier "
          + "suspend(), but for the one that activates it")
    }
    resume()
  }

  package final var isCancelled: Bool { life.load()[has: SourceState.cancelled] }

  package final func cancel() {
    Events.emit(.sourceCancelled, address)
    if let action = life.tryUpdateSeqCst({ $0.afterCancel() }) { act(on: action) }
  }

  /// The users' last reference is gone.
  final func abandon() {
    // acquire: pairs with the swaps of suspend() and resume()
    if state.load()[QueueState.suspendCount] > 0 {
      Misuse.stop("\(sourceName) is freed while suspended: balance every suspend() with a resume() first")
    }
    if mustBeCancelled && !isCancelled {
      Misuse.stop(
        "\(sourceName) is freed without having been cancelled, although its cancel handler is mandatory: cancel it first")
    }
    let action = life.updateSeqCst { $0.afterAbandon() }
    // Cancelled before: the cancel handler is still to run, and releases the rest.
    let released = isCancelled ? nil : lock.withLock { handlers.take() }
    act(on: action)
    activate()  // an inactive queue may not be freed
    // Last, when nothing is monitored any more: what a handler holds may own the handle and close it.
    _ = consume released
  }

  /// The source as messages call it.
  final var sourceName: String { "a \(noun) source on queue \"\(label)\"" }

  // MARK: handlers

  package final func setHandler(_ kind: HandlerKind, _ handler: SourceHandler?) {
    Events.emit(.handlerSet, address)
    let (old, isLate) = lock.withLock { () -> (SourceHandler?, Bool) in
      if kind == .cancel && handlers.isFinished { return (handler, true) }
      if kind == .registration { isAnnounced.storeRelease(1) }  // release: pairs with the acquire in takeTurn()
      // The header: a registration handler is invoked at once if the source is registered already.
      return (handlers.set(kind, handler), kind == .registration && handlers.isRegistered)
    }
    switch kind {
    // The source has ended: invoked at once as well.
    case .cancel where isLate: if let old { async { old.call(self) } }
    case .registration where isLate: async { self.callRegistration() }
    default: break
    }
    _ = consume old  // released outside the lock
    if kind == .event && handler != nil { handlerCame() }
  }

  final var hasEventHandler: Bool { lock.withLock { handlers.event != nil } }
  final var hasCancelHandler: Bool { lock.withLock { handlers.cancel != nil } }

  /// Whether letting go of the source before it is cancelled stops the program.
  final var mustBeCancelled: Bool {
    get { isMandatory.loadAcquire() != 0 }  // acquire: pairs with the store below
    set { isMandatory.storeRelease(newValue ? 1 : 0) }  // release: pairs with the load above
  }

  /// Of use inside the event handler.
  package final var data: UInt { UInt(latest.loadRelaxed()) }  // relaxed: written on the same thread, or not to be relied on

  // MARK: items of the queue

  private final func takeTurn() {
    life.updateSeqCst { ($0.afterTurn(), ()) }
    // acquire: comes after the handler was set; one that is set from now on is called by an item of its own.
    if isAnnounced.loadAcquire() != 0 { callRegistration() }
    guard !isOver, let data = takeData() else { return }
    latest.storeRelaxed(UInt64(data))  // relaxed: as in `data`
    let handler = lock.withLock { handlers.event }
    if Events.areWanted(.sourceBegan), let handler {
      callTelling(handler, UInt64(data))
    } else {
      handler?.call(self)
    }
    if isOver { return }
    if handler == nil { unheard() } else { handled() }
  }

  @inline(never) private final func callTelling(_ handler: SourceHandler, _ data: UInt64) {
    let place = recordedPlace
    Events.emit(.sourceBegan, place, data, handler.function)
    handler.call(self)
    Events.emit(.sourceEnded, place)
  }

  /// What the source is called in a recording: its address alone is that of a queue.
  final var recordedPlace: UInt { address | 1 }
  package final var recordedName: String { "\(noun) source" + (handle == 0 ? "" : " on \(handle)") + " of queue \"\(label)\"" }

  /// Before the first event, and once.
  private final func callRegistration() {
    let handler = lock.withLock { () -> SourceHandler? in
      guard handlers.isRegistered, !isOver else { return nil }
      defer { handlers.registration = nil }
      isAnnounced.storeRelease(0)  // release: as in setHandler
      return handlers.registration
    }
    handler?.call(self)
  }

  /// The last item of a cancelled source.
  private final func finish() {
    var all = lock.withLock { () -> SourceHandlers in
      handlers.isFinished = true
      return handlers.take()
    }
    (all.registration, all.event) = (nil, nil)  // captures go before the cancel handler comes
    all.cancel?.call(self)
  }

  private final func act(on action: SourceState.Action) {
    switch action {
    case .nothing, .start: break
    case .announce:
      let isExpected = lock.withLock { () -> Bool in
        handlers.isRegistered = true
        return handlers.registration != nil
      }
      if isExpected { async { self.callRegistration() } }
    case .stop: stop()
    // As an item: after the handler that runs, and not while suspended.
    case .end: submit { Lent<SourceCore>(at: $0).use { $0.finish() } }
    }
  }
}

// Sources are queues: readers of the process's memory are to call them what they are (QueueDescription.swift). The
// loader calls what stands in this section. The address of the type alone is written: nothing else is there yet.
@used @section(".init_array")
private let description: @convention(c) @Sendable () -> Void = {
  ProcessDescription.write(.sourceType, UInt(bitPattern: unsafeBitCast(SourceCore.self, to: UnsafeRawPointer.self)))
}
