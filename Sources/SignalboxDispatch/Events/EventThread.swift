// EventThread.swift: the one thread that waits for the machine: for descriptors of ours, for the program's (DescriptorTable)
// and for times by alarms (ClockTimers). It runs nothing of the program's; it tells who is to check. Made at first need.
//
// A subscription has a number that is never used again, and events carry it: one that the kernel had ready for a subscription that is gone
// finds nobody. README.md tells the protocol.
import SignalboxLocks
import SignalboxSystem

/// Those that run what the event thread reports: the pool's workers.
protocol Workforce: AnyObject, Sendable {
  /// Whether every processor has a worker with work, as far as is known.
  var isSaturated: Bool { get }
  /// Whether work waits for a worker. It may be one that was woken and that others keep from a processor.
  var hasSharedWork: Bool { get }
}

final class EventThread: @unchecked Sendable {
  // SAFETY of @unchecked: what changes is guarded by `lock`; the poller is safe by itself.
  static let shared = EventThread()

  /// One set for what is ours, and one for the program's descriptors, which contains the first. Files of ours whose events are
  /// urgent are in the second as well: they tell each event once, to whoever asks first.
  private struct Pollers {
    let own: Poller
    let program: Poller

    init() throws(SystemError) {
      own = try Poller()
      program = try Poller(around: own, token: EventThread.ownToken)
    }
  }

  private struct State {
    var pollers: Pollers?
    var isStarted = false
    var lastToken: UInt64 = 0
    var watches: [UInt64: EventSubscription] = [:]
    /// Events of ours that workers have found.
    var found: [(token: UInt64, events: Poller.Events)] = []
    /// Whose handler runs now; 0: nobody's.
    var running: UInt64 = 0
    /// What is to be called once the running handler has returned.
    var afterwards: (@Sendable () -> Void)?
    /// nil while there are no workers. It lives forever.
    var workforce: (any Workforce)?
  }
  /// Of the program's set: something of ours has happened. No subscription has it, and no descriptor.
  private static let ownToken: UInt64 = 0
  private let lock = UnfairLock()
  // Unchecked: the lock excludes what the exclusivity check detects, and each event passes it several times.
  @exclusivity(unchecked) private var state = State()
  /// The kernel's number of the thread; 0 before it runs.
  let threadID = Atomic32(0)
  /// The number of `watchedCount`, written under the lock; its address is described to readers from outside.
  private let others = Atomic64(0)
  /// How many descriptors of ours are monitored that are no alarm: signals, processes, files.
  var watchedCount: Int { Int(truncatingIfNeeded: others.loadAcquire()) }  // acquire: a moment's view

  private init() {
    ProcessDescription.write(.otherEvents, withUnsafePointer(to: others) { UInt(bitPattern: $0) })
  }

  /// Under the lock: puts a subscription into the list, or takes it out.
  private func list(_ watch: EventSubscription, isIn: Bool) {
    state.watches[watch.token] = isIn ? watch : nil
    // release: written under the lock only; who reads it has nothing else from here
    if !watch.isAlarm { others.storeRelease(others.loadRelaxed() &+ (isIn ? 1 : .max)) }  // relaxed: as above
  }

  /// Monitors a descriptor of ours until the subscription is cancelled; the descriptor stays open until then.
  ///
  /// - Parameters:
  ///   - isAlarm: whether it is for timers, which are counted where they are armed.
  ///   - handler: called on the event thread while the descriptor is ready, again and again: to be brief.
  func watch(
    _ descriptor: Int32, for events: Poller.Events, isAlarm: Bool = false,
    _ handler: @escaping @Sendable (Poller.Events) -> Void
  ) throws(SystemError) -> EventSubscription {
    let pollers = try pollers()
    let poller = events.contains(.urgent) ? pollers.program : pollers.own
    let watch = lock.withLock { () -> EventSubscription in
      state.lastToken += 1
      let watch = EventSubscription(state.lastToken, descriptor, isAlarm: isAlarm, poller, handler)
      list(watch, isIn: true)
      return watch
    }
    do {
      try poller.register(descriptor, for: events, token: watch.token)
    } catch {
      lock.withLock { list(watch, isIn: false) }
      throw error
    }
    return watch
  }

  /// The poller of the program's descriptors, with the thread that serves it. What the system refuses now is tried again at the
  /// next call.
  func prepare() throws(SystemError) -> Poller { try pollers().program }

  private func pollers() throws(SystemError) -> Pollers {
    try lock.withLock { () throws(SystemError) -> Pollers in
      let pollers = if let made = state.pollers { made } else { try Pollers() }
      state.pollers = pollers
      if !state.isStarted {
        ForkGuard.arm()
        try Threads.spawn(name: "signalbox.event", stackSize: 256 * 1024) { self.threadBody(pollers) }
        state.isStarted = true
      }
      return pollers
    }
  }

  /// There are workers now, and forever.
  func isServed(by workforce: any Workforce) { lock.withLock { state.workforce = workforce } }

  // MARK: the thread

  private func threadBody(_ pollers: Pollers) {
    // release: pairs with the acquire of who asks what the thread does, for whom 0 means that there is none yet
    threadID.storeRelease(UInt32(bitPattern: ThreadSlot.kernelID()))
    var known: (any Workforce)?
    while true {
      var isBehind: Bool?
      let found = pollers.program.wait(untilUptime: nil) { token, events in
        if isBehind == nil { isBehind = known?.hasSharedWork ?? false }  // before there is more
        if DescriptorToken.isOne(token) {
          DescriptorTable.shared.deliver(token, events)
        } else if token == EventThread.ownToken {
          pollOwn(pollers, until: 0)
        } else {
          deliver(token, events)
        }
      }
      if found == 0 { continue }
      if known == nil { known = lock.withLock { state.workforce } }
      if let known, isBehind == true || known.isSaturated { stayAway(pollers, known) }
    }
  }

  private func pollOwn(_ pollers: Pollers, until deadline: UInt64) {
    pollers.own.wait(untilUptime: deadline) { token, events in deliver(token, events) }
    let found = lock.withLock { () -> [(token: UInt64, events: Poller.Events)] in
      defer { state.found = [] }
      return state.found
    }
    for (token, events) in found { deliver(token, events) }
  }

  // MARK: busy workers poll for themselves

  /// Whether the event thread leaves the program's descriptors to workers.
  private let isAway = Atomic32(0)
  /// How often workers have polled.
  let polls = Atomic64(0)
  /// How long the thread leaves descriptors to busy workers before it asks whether they still are, and at most from one poll of
  /// theirs to the next, in nanoseconds.
  private static let shortAbsence: UInt64 = 100_000, longAbsence: UInt64 = 400_000

  /// Workers are behind, or run on all processors: each event would push one of them aside, or whoever sends the next, only to leave
  /// work to it. So the thread waits for what is ours alone, as long as workers poll by themselves, or have not yet got to what
  /// they have.
  private func stayAway(_ pollers: Pollers, _ workforce: any Workforce) {
    // relaxed everywhere: nobody relies on being seen, since the thread comes back by itself.
    isAway.storeRelaxed(1)
    var seen = polls.loadRelaxed()
    var now = Clock.uptime()
    var limit = now &+ Self.longAbsence
    while isAway.loadRelaxed() == 1 {  // relaxed: as told above
      pollOwn(pollers, until: now &+ Self.shortAbsence)
      now = Clock.uptime()
      let count = polls.loadRelaxed()  // relaxed: only whether it has changed counts
      if count != seen {
        seen = count
        limit = now &+ Self.longAbsence
      } else if now >= limit || !workforce.hasSharedWork {
        break
      }
    }
    isAway.storeRelaxed(0)  // relaxed: as told above
  }

  /// A worker out of work: polls for events in the event thread's stead, if that is away. Whether there were any.
  // relaxed: a hint, and poll() takes the lock
  @inline(__always) func pollIfAway() -> Bool { isAway.loadRelaxed() == 1 && poll() }

  @inline(never) private func poll() -> Bool {
    guard let pollers = lock.withLock({ state.pollers }) else { return false }
    _ = polls.addRelaxed(1)  // relaxed: only whether it changes counts
    var found = false
    pollers.program.wait(untilUptime: 0) { token, events in
      if DescriptorToken.isOne(token) {
        found = true
        DescriptorTable.shared.deliver(token, events)
      } else if token != EventThread.ownToken {  // that stays ready, and the event thread wakes up for it
        lock.withLock { state.found.append((token, events)) }
        pollers.own.wake()
      }
    }
    return found
  }

  /// A worker is about to sleep, so a processor is free.
  // relaxed: a hint; the thread comes back by itself
  @inline(__always) func comeBack() { if isAway.loadRelaxed() == 1 { recall() } }

  @inline(never) private func recall() {
    // acquire-release: of several workers one wakes the thread; nothing is read through it
    if isAway.exchangeAcqRel(0) == 1 { lock.withLock { state.pollers?.own }?.wake() }
  }

  /// There is a duty for those who sleep (SleepDuty): the thread is to find it. False: there is no such thread.
  func pollOnDuty() -> Bool {
    guard let poller = lock.withLock({ state.isStarted ? state.pollers?.program : nil }) else { return false }
    poller.wake()
    return true
  }

  // MARK: descriptors of ours

  private func deliver(_ token: UInt64, _ events: Poller.Events) {
    let watch = lock.withLock { () -> EventSubscription? in
      guard let watch = state.watches[token] else { return nil }
      state.running = token
      return watch
    }
    guard let watch else { return }
    watch.handler(events)
    let afterwards = lock.withLock { () -> (@Sendable () -> Void)? in
      state.running = 0
      defer { state.afterwards = nil }
      return state.afterwards
    }
    afterwards?()
  }

  fileprivate func cancel(_ watch: EventSubscription, _ then: @escaping @Sendable () -> Void) {
    let (wasWatched, isRunning) = lock.withLock { () -> (Bool, Bool) in
      guard state.watches[watch.token] != nil else { return (false, false) }
      list(watch, isIn: false)
      let isRunning = state.running == watch.token
      if isRunning { state.afterwards = then }
      return (true, isRunning)
    }
    guard wasWatched else { return }
    watch.poller.remove(watch.descriptor)
    if !isRunning { then() }
  }
}

/// One descriptor of ours that the event thread monitors. Letting go of it changes nothing: it is ended by `cancel`.
final class EventSubscription: Sendable {
  fileprivate let token: UInt64
  fileprivate let descriptor: Int32
  fileprivate let isAlarm: Bool
  fileprivate let poller: Poller
  fileprivate let handler: @Sendable (Poller.Events) -> Void

  fileprivate init(
    _ token: UInt64, _ descriptor: Int32, isAlarm: Bool, _ poller: Poller,
    _ handler: @escaping @Sendable (Poller.Events) -> Void
  ) {
    (self.token, self.descriptor, self.isAlarm) = (token, descriptor, isAlarm)
    (self.poller, self.handler) = (poller, handler)
  }

  /// Ends the subscription. Once `then` is called the handler does not run any more, and the descriptor may be closed: at once, or,
  /// when the handler runs meanwhile, on the event thread after it. A second call does nothing.
  func cancel(then: @escaping @Sendable () -> Void = {}) { EventThread.shared.cancel(self, then) }
}
