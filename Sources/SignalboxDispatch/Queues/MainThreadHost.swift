// MainThreadHost.swift: what has the main thread, and how that thread learns that the main queue holds items. The queue
// and its API are MainQueue.swift; the protocol is README.md, "The main queue".
//
//   signalWord: 0 quiet   1 the main queue has items   2, 3 quiet, and our loop sleeps on the word, or on descriptors
//   hasLoop:    0 nobody or a loop that is not ours    1 our dispatchMain has the main thread
//   forwarded:  0 no call of ours lies in the other library's main queue   1 one does
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

package enum MainThreadHost {
  private static let signalWord = Atomic32(0)
  private static let hasLoop = Atomic32(0)
  private static let forwarded = Atomic32(0)
  private static let eventBits = Atomic64(0)
  private static let pollerBits = Atomic64(0)
  private static let bellBits = Atomic64(0)
  private static let making = UnfairLock()

  private static let isOneOfSeveral = Atomic32(0)

  /// How long our loop may be kept busy by our own queue before it checks the other one.
  private static let pollInterval: UInt64 = 100_000
  /// How often the other queue is checked when the process has no descriptor left to sleep on.
  private static let blindInterval: UInt64 = 10_000_000
  private static let otherToken: UInt64 = 1

  // MARK: the other library

  /// The other library; searched for once.
  static var other: OtherDispatch? { OtherDispatch.here }

  /// Whether there is another library, as far as anybody has checked.
  static var hasOther: Bool { OtherDispatch.isFound }

  /// Whether a drain must end after its budget: others want the main thread, too. relaxed: hints both.
  static var isShared: Bool { hasOther || isOneOfSeveral.loadRelaxed() == 1 }

  /// Somebody's loop drains the main queue beside work of its own. relaxed: a hint; the calling thread is the one that drains.
  static func sharesLoop() { if isOneOfSeveral.loadRelaxed() == 0 { isOneOfSeveral.storeRelaxed(1) } }

  private static func object<Object: AnyObject>(_ bits: UInt64) -> Object? {
    guard bits > 1, let raw = UnsafeRawPointer(bitPattern: UInt(bits)) else { return nil }
    return Unmanaged<Object>.fromOpaque(raw).takeUnretainedValue()
  }

  /// Whether the calling thread counts as the main one: the process's first, or whoever runs the other library's main queue
  /// after its `dispatch_main()` has ended the first.
  package static var isMainThread: Bool { Threads.isMain || other?.isCurrent == true }

  /// The owner value of a thread that counts as the main one, is not the process's first, and waits; 0: none.
  private static let substitute = Atomic64(0)

  /// The calling thread is about to wait, or has waited, for what the main queue may have to run. If it counts as the main one
  /// without being the first, whoever reads the waits must know that it is this one that does not come.
  package static func noteWait(isOver: Bool) {
    if Threads.isMain { return }
    // relaxed both: read by scans, which read what they find twice.
    if isOver {
      if substitute.loadRelaxed() != 0 { _ = substitute.casRelaxed(ThreadSlot.owner(), 0) }
    } else if isMainThread {
      substitute.storeRelaxed(ThreadSlot.owner())
    }
  }

  /// The kernel's number of the thread that is to come for the main queue, as far as is known.
  static var awaited: Int32 {
    let owner = substitute.loadRelaxed()  // relaxed: as in noteWait
    return owner == 0 ? Threads.mainID : ThreadTable.entry(owner: owner)?.thread ?? Threads.mainID
  }

  // MARK: telling

  /// The main queue has become enqueued: tells whoever has the main thread, or will have it.
  static func signal() {
    // release M1 (in the exchange): publishes the queue's enqueued state to the drainer's acquire M2.
    switch signalWord.exchangeAcqRel(1) {
    case 2: signalWord.wake()
    case 3: bell?.signal()  // there is one: whoever sleeps on it published it before the 3
    default: break
    }
    // seq_cst M3: after M1. Seen 1, a loop will check: its M2 comes after our M1, or finds the 1 before it sleeps. Or the loop ends:
    // threadEnds() clears hasLoop before it checks the queue, which is enqueued since before this check.
    if hasLoop.loadSeqCst() == 1 { return }
    event?.signal()
    poller?.wake()
    if let other, !other.isDead { forward(to: other) }
  }

  /// One call of ours at most lies in their main queue.
  private static func forward(to other: OtherDispatch) {
    // release F1: publishes the enqueued state to the call that is under way; pairs with F2. An exchange even if it is 1: a
    // load could be older than F2.
    guard forwarded.exchangeAcqRel(1) == 0 else { return }
    if !submitCall(to: other) { forwardLater(to: other) }
  }

  private static func submitCall(to other: OtherDispatch) -> Bool { other.submit { _ in MainThreadHost.runForwarded() } }

  /// The process has no descriptor left for their main queue. The call stays owed, so nobody else tries meanwhile.
  @inline(never) private static func forwardLater(to other: OtherDispatch) {
    Misuse.report(
      "the process has no descriptor left for the main queue of the toolchain's library: items of the main queue may have to wait; "
        + "close descriptors, or raise their limit (ulimit -n)")
    RetrySoon.call { RetrySoon.until { submitCall(to: other) } }
  }

  private static func runForwarded() {
    _ = forwarded.exchangeAcqRel(0)  // acquire F2: pairs with F1; who comes later forwards again
    // The first thread is a run loop's, perhaps, whose blocks and timers wait for the end of this call. Elsewhere nobody waits but
    // the other main queue.
    MainQueue.drain(Threads.isMain ? .whatIsThere : .budget)
  }

  /// The main thread's loop, or one that serves the main queue, is about to begin.
  private static func loopBegins() {
    _ = ThreadSlot.owner()  // the environment is read with the first
    Events.emit(.mainLoopBegan, 0)
  }

  // MARK: our loop

  /// Whether our loop has the main thread. seq_cst: before a check of what was left for another loop; see LoopHost.
  static var isServed: Bool { hasLoop.loadSeqCst() == 1 }

  /// Drains both main queues and sleeps in turn, forever.
  static func serve() -> Never {
    loopBegins()
    OtherDispatch.search()
    hasLoop.storeSeqCst(1)  // before M2 below: see M3
    LoopHost.isLost()
    var lastPoll: UInt64 = 0
    while true {
      _ = signalWord.exchangeAcqRel(0)  // acquire M2: pairs with M1; the drain sees what was signalled before
      MainQueue.drain(.budget)
      let isBusy = AdaptiveSpin.wait { signalWord.loadAcquire() == 1 }  // acquire M2: pairs with M1
      // Asleep both descriptors are polled; a loop that its own queue keeps awake checks now and then.
      let isDue = isBusy ? hasOther && Clock.uptime() &- lastPoll > pollInterval : sleep()
      if isDue, let other {
        runOther(other)
        lastPoll = Clock.uptime()
      }
    }
  }

  /// Whether our loop has the main thread and sleeps, or is about to: it wakes for items, and for what the other queue may hold.
  // seq_cst: hasLoop is set before the word is 2 or 3 for the first time (serve), and is read before it
  static var isIdleInLoop: Bool { hasLoop.loadSeqCst() == 1 && signalWord.loadSeqCst() >= 2 }

  /// Sleeps until signalled or until the other main queue may hold items: then true.
  private static func sleep() -> Bool {
    let other = other.flatMap { $0.isCurrent ? $0 : nil }
    guard let other, let theirs = other.descriptor, let bell = bell ?? makeBell() else {
      return sleepOnWord(other == nil ? .never : .uptime(Clock.uptime() &+ blindInterval))
    }
    // Silenced only now, so that the read does not delay the item that it was rung for. It is rung for a 3 only: for the one
    // below not yet, and for an earlier one in vain, because the drain since has seen what was signalled.
    bell.clear()
    // release: who finds the 3 finds the bell as well. After M1 it fails
    guard signalWord.casAcqRel(0, 3).exchanged else { return false }
    return bell.waitReadable(or: theirs)
  }

  private static func sleepOnWord(_ deadline: ParkDeadline) -> Bool {
    // acquire-release: M1 finds the 2, and wakes; or came before, and this fails
    guard signalWord.casAcqRel(0, 2).exchanged else { return false }
    while signalWord.loadAcquire() == 2 {  // acquire M2: pairs with M1
      let outcome = signalWord.park(expected: 2, deadline: deadline)
      if outcome == .timedOut { return true }
    }
    return false
  }

  /// What our loop is rung with while it sleeps on descriptors. Only the main thread makes it.
  private static var bell: EventDescriptor? { object(bellBits.loadAcquire()) }  // acquire: the object is whole
  private static func makeBell() -> EventDescriptor? {
    guard let made = try? EventDescriptor() else { return nil }
    publish(made, in: bellBits)
    return made
  }

  /// Runs what the other main queue holds, if that queue is this thread's: in a fork made by another thread it is nobody's.
  static func runOther(_ other: OtherDispatch) {
    guard Threads.isMain, other.isCurrent else { return }
    other.runPending()
  }

  // MARK: descriptors

  // acquire: the object behind the bits is whole; pairs with the store when it was made.
  private static var event: EventDescriptor? { object(eventBits.loadAcquire()) }
  private static var poller: Poller? { object(pollerBits.loadAcquire()) }  // acquire: as for `event`

  /// A descriptor that is readable while one of the main queues may hold items.
  static func descriptor() throws(SystemError) -> Int32 {
    if let event { return event.descriptor }
    loopBegins()
    OtherDispatch.search()
    return try making.withLock { () throws(SystemError) -> Int32 in
      if let event { return event.descriptor }
      if let poller = try sharedPollerAssumingLocked() { return poller.descriptor }
      let made = try EventDescriptor()
      publish(made, in: eventBits)
      if !MainQueue.queue.list.isEmpty { made.signal() }
      return made.descriptor
    }
  }

  // seq_cst: the object is published before the check of the queue, as a pusher's claim is before its check of the object.
  private static func publish(_ object: AnyObject, in bits: borrowing Atomic64) {
    bits.storeSeqCst(UInt64(UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())))
  }

  /// A poller for their descriptor; nil when there is no other library, or its main thread is not ours (see runOther).
  private static func sharedPollerAssumingLocked() throws(SystemError) -> Poller? {
    if let poller { return poller }
    guard let other, !Threads.isMain || other.isCurrent else { return nil }
    try other.prepare()
    guard let descriptor = other.descriptor else { return nil }
    let made = try Poller()
    try made.register(descriptor, for: .readable, token: otherToken)
    publish(made, in: pollerBits)
    if !MainQueue.queue.list.isEmpty { made.wake() }
    return made
  }

  /// Takes note of the signals until now: an item added from here on signals again.
  static func clearDescriptor() {
    event?.clear()
    poller?.clearWake()
  }

  // MARK: the end of a thread

  /// A thread ends, out of a main-queue item perhaps: the queue is given back. When it was the main thread (their
  /// `dispatch_main()` ends it) what the queue holds goes to the other library, whose main queue lives on.
  static func threadEnds() {
    // Before the queue is given back, and also where the limit was switched off meanwhile.
    Events.tellEnd(.mainThreadEnds, 0, to: .mainLimit)
    if Threads.isMain { hasLoop.storeSeqCst(0) }  // before the check below: pairs with M3
    defer { if Threads.isMain { LoopHost.isLost() } }
    let queue = MainQueue.queue
    let word = queue.state.loadSeqCst()  // seq_cst: after hasLoop was cleared; pairs with M3
    if word[QueueState.exclusive] == 1, word[QueueState.owner] == ThreadSlot.current.pointee.owner {
      return queue.releaseAndRecheck(queue.itemsOfOwnTurn())
    }
    if Threads.isMain, word[QueueState.enqueued] == 1 { signal() }
  }
}

// MARK: whether a run loop can have the main thread

// Where none can any more, items of the main queue serve what was left with the main loop (SignalboxClasses,
// Threads/README.md, "Without a loop").

package enum LoopHost {
  package enum Prospect {
    /// The first thread holds no slot: whether it is still there is not known.
    case unseen
    /// A loop may have the first thread, now or later.
    case possible
    /// Our dispatchMain() has the first thread, or that thread has ended.
    case none
  }

  /// What is known now. `none` is final but for a first thread that its own items end.
  package static var prospect: Prospect {
    if FirstThread.hasEnded || MainThreadHost.isServed { return .none }
    if FirstThread.isMet { return .possible }
    guard Threads.isMain else { return .unseen }
    _ = ThreadSlot.owner()  // from here on its end is noticed
    return .possible
  }

  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var hook: (@Sendable () -> Void)?

  /// Has `hook` called when no loop can have the main thread any more: who leaves something for a loop and then finds another
  /// `prospect` than `none` is followed by that call. One hook; it is called on the main thread, perhaps at its end.
  package static func whenLost(_ hook: @escaping @Sendable () -> Void) {
    _ = MainQueue.queue  // it notices the thread's end
    lock.withLock { self.hook = hook }
  }

  /// The prospect has become `none`.
  static func isLost() { lock.withLock { hook }?() }
}
