// TimerCore.swift: what a timer source is made of: a schedule, handlers, and a serial queue of its own on the target, whose
// suspension and activation are the source's.
//
// The event thread (TimerThread) holds entries; one that comes due submits `look` to the queue. `look` asks the clock, not the
// entry, whether something is due: so an entry that an earlier schedule left behind is harmless, and a schedule that moves to
// a later time needs no new entry before the old one has come. `armedFor` is the earliest entry that is still out.
//   schedule set or activated -> an entry unless one as early is out      entry due -> `look` is submitted
//   look: due -> handler, next entry      not due -> an entry for what is due      cancelled -> nothing
// Nothing is lost: while the schedule has a next point and the source is active, an entry not later than that point is out,
// or `look` is in the queue.
import SignalboxLocks
import SignalboxSystem

package final class TimerCore: @unchecked Sendable {
  // SAFETY of @unchecked: the state is guarded by `lock`; the queue and the context guard themselves.

  package enum HandlerKind { case registration, event, cancel }

  fileprivate struct Schedule {
    var next: Deadline
    /// Nanoseconds; nil fires once.
    var interval: UInt64?
  }
  private struct State {
    var isActive = false
    var isCancelled = false
    var schedule: Schedule?
    /// The earliest entry that the event thread holds for us, in raw nanoseconds of its clock.
    var armedFor: Deadline?
    var data: UInt = 0
    var registration: SourceHandler?
    var event: SourceHandler?
    var cancel: SourceHandler?
  }

  /// Handlers run on it, one at a time; it carries the target's label, because people look for that.
  let queue: DispatchQueue
  let context = CContext()
  private let lock = UnfairLock()
  private var state = State()

  init(target: DispatchQueue) {
    queue = DispatchQueue(
      name: target.label, kind: .serial, qos: .unspecified, isInactive: true, isLegacy: true, target: .queue(target))
  }

  deinit {
    context.setTarget(queue.target)
    context.objectIsGone()
  }

  // MARK: life

  func activate() {
    let (first, handler) = lock.withLock { () -> (Bool, SourceHandler?) in
      let first = !state.isActive
      state.isActive = true
      defer { if first { state.registration = nil } }
      return (first, first ? state.registration : nil)
    }
    queue.activate()
    guard first else { return }
    if let handler { queue.async { [context] in handler.call(context) } }
    arm()
  }

  func resume() {
    // The queue's word tells suspensions and inactivity apart: an inactive one that is also suspended is resumed first.
    if QueueState(rawValue: queue.state.loadAcquire())[QueueState.suspendCount] == 0 {
      if lock.withLock({ !state.isActive }) { return activate() }
      Misuse.stop(
        "a timer source on queue \"\(queue.label)\" is resumed more often than suspended: every resume() needs an earlier "
          + "suspend(), but for the one that activates it")
    }
    queue.resume()
  }

  func setTarget(_ target: DispatchQueue) { queue.setTarget(queue: target) }

  var isCancelled: Bool { lock.withLock { state.isCancelled } }

  func cancel() {
    let isFirst = lock.withLock { () -> Bool in
      defer { state.isCancelled = true }
      return !state.isCancelled
    }
    // As an item: after the handler that runs, and not while suspended.
    if isFirst { queue.async { self.finish() } }
  }

  /// The users' last reference is gone.
  func abandon() {
    if QueueState(rawValue: queue.state.loadAcquire())[QueueState.suspendCount] > 0 {
      Misuse.stop(
        "a timer source on queue \"\(queue.label)\" is freed while suspended: balance every suspend() with a resume() first")
    }
    let handlers = lock.withLock { () -> State? in
      // Cancelled before: the cancel handler is still to run, and `finish` releases the rest.
      if state.isCancelled && state.isActive { return nil }
      defer {
        (state.registration, state.event, state.cancel) = (nil, nil, nil)
        state.schedule = nil
      }
      return state
    }
    // An inactive queue may not be freed.
    if handlers?.isActive == false { queue.activate() }
    _ = consume handlers  // captures are released here, outside the lock
  }

  /// The last item of a cancelled source.
  private func finish() {
    let old = lock.withLock { () -> State in
      defer { (state.registration, state.event, state.cancel, state.schedule) = (nil, nil, nil, nil) }
      return state
    }
    old.cancel?.call(context)
  }

  // MARK: handlers

  func setHandler(_ kind: HandlerKind, _ handler: SourceHandler?) {
    let old = lock.withLock { () -> SourceHandler? in
      switch kind {
      case .registration:
        defer { state.registration = handler }
        return state.registration
      case .event:
        defer { state.event = handler }
        return state.event
      case .cancel:
        defer { state.cancel = handler }
        return state.cancel
      }
    }
    _ = consume old  // released outside the lock
  }

  var data: UInt { lock.withLock { state.data } }

  // MARK: the schedule

  func set(start: dispatch_time_t, interval: UInt64) {
    var next = Deadline(start)
    if next == .now { next = .uptime(Clock.uptime()) }
    lock.withLock {
      let repeats = interval < UInt64(Int64.max) ? max(1, interval) : nil
      state.schedule = next == .forever ? nil : Schedule(next: next, interval: repeats)
      state.data = 0
    }
    arm()
  }

  /// Sees to it that an entry is out for the next point.
  private func arm() {
    let due = lock.withLock { () -> Deadline? in
      guard state.isActive, !state.isCancelled, let next = state.schedule?.next else { return nil }
      if let armed = state.armedFor, !next.isEarlier(than: armed) { return nil }
      state.armedFor = next
      return next
    }
    guard let due else { return }
    let core = UnsafeMutableRawPointer(Unmanaged.passRetained(self).toOpaque())
    let look: CFunction = { Unmanaged<TimerCore>.fromOpaque($0!).takeRetainedValue().look() }
    let words = CWork(look, core).raw
    if due.hasPassed() {
      queue.push(words.function, words.context)
    } else {
      TimerThread.shared.arm(due, queue, words.function, words.context)
    }
  }

  /// An entry has come due: runs on the source's queue.
  private func look() {
    let handler = lock.withLock { () -> SourceHandler? in
      if let armed = state.armedFor, armed.hasPassed() { state.armedFor = nil }
      guard !state.isCancelled, var schedule = state.schedule, schedule.next.hasPassed() else { return nil }
      let fired = schedule.advance()
      state.schedule = schedule.next == .forever ? nil : schedule
      state.data = fired
      return state.event
    }
    handler?.call(context)
    arm()
  }
}

extension TimerCore.Schedule {
  /// Moves to the first point after now; returns how many points that passes.
  fileprivate mutating func advance() -> UInt {
    guard let interval else {
      next = .forever
      return 1
    }
    let late = next.lateness()
    let missed = late / interval
    next = next.advanced(by: (missed + 1).multipliedReportingOverflow(by: interval).partialValue)
    return UInt(missed + 1)
  }
}

extension Deadline {
  /// Whether this point comes before the other; points of different clocks are not compared, so that each gets an entry.
  fileprivate func isEarlier(than other: Deadline) -> Bool {
    switch (self, other) {
    case (.uptime(let a), .uptime(let b)), (.continuous(let a), .continuous(let b)), (.wall(let a), .wall(let b)): a < b
    default: true
    }
  }

  /// Nanoseconds since the point on its own clock; 0 if it has not come.
  fileprivate func lateness() -> UInt64 {
    let (now, point) =
      switch self {
      case .uptime(let point): (Clock.uptime(), point)
      case .continuous(let point): (Clock.continuous(), point)
      case .wall(let point): (Clock.wall(), point)
      case .now, .forever: (UInt64(0), UInt64(0))
      }
    return now > point ? now - point : 0
  }

  fileprivate func advanced(by nanoseconds: UInt64) -> Deadline {
    func sum(_ point: UInt64) -> UInt64 {
      let (sum, isTooLarge) = point.addingReportingOverflow(nanoseconds)
      return isTooLarge ? .max : sum
    }
    switch self {
    case .uptime(let point): return Deadline(clock: .uptime, point: sum(point))
    case .continuous(let point): return Deadline(clock: .continuous, point: sum(point))
    case .wall(let point): return Deadline(clock: .wall, point: sum(point))
    case .now, .forever: return self
    }
  }
}
