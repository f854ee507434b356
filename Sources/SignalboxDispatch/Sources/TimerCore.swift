// TimerCore.swift: the schedule of a timer source. Its life and its handlers are SourceCore's.
//
// The event thread (TimerThread) holds entries; one that comes due submits `tick` to the queue. `tick` asks the clock, not the
// entry, whether something is due: so an entry that an earlier schedule left behind is harmless, and a schedule that moves to
// a later time needs no new entry before the old one has come. `armedFor` is the earliest entry that is still out.
//   schedule set or activated -> an entry unless one as early is out      entry due -> `tick` is submitted
//   tick: due -> a look for events, next entry      not due -> an entry for what is due      cancelled -> nothing
// Nothing is lost: while the schedule has a next point and the source is active, an entry not later than that point is out,
// or `tick` is in the queue.
import SignalboxLocks
import SignalboxSystem

package final class TimerCore: SourceCore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the schedule is guarded by `lock`.

  fileprivate struct Schedule {
    var next: Deadline
    /// Nanoseconds; nil fires once.
    var interval: UInt64?
  }
  private struct State {
    var isStarted = false
    var schedule: Schedule?
    /// The earliest entry that the event thread holds for us, in raw nanoseconds of its clock.
    var armedFor: Deadline?
  }
  private let lock = UnfairLock()
  private var state = State()

  init(target: DispatchQueue, flags: UInt) { super.init(kind: "timer", target: target, mask: flags) }

  override func start() {
    lock.withLock { state.isStarted = true }
    arm()
  }

  override func stop() {
    lock.withLock { state.schedule = nil }
    stopped()
  }

  // MARK: the schedule

  func set(start: dispatch_time_t, interval: UInt64) {
    var next = Deadline(start)
    if next == .now { next = .uptime(Clock.uptime()) }
    lock.withLock {
      let repeats = interval < UInt64(Int64.max) ? max(1, interval) : nil
      state.schedule = next == .forever ? nil : Schedule(next: next, interval: repeats)
    }
    forgetData()
    arm()
  }

  /// Sees to it that an entry is out for the next point.
  private func arm() {
    let due = lock.withLock { () -> Deadline? in
      guard state.isStarted, !isOver, let next = state.schedule?.next else { return nil }
      if let armed = state.armedFor, !next.isEarlier(than: armed) { return nil }
      state.armedFor = next
      return next
    }
    guard let due else { return }
    let core = UnsafeMutableRawPointer(Unmanaged.passRetained(self).toOpaque())
    let tick: CFunction = { Unmanaged<TimerCore>.fromOpaque($0!).takeRetainedValue().tick() }
    let words = CWork(tick, core).raw
    if due.hasPassed() {
      queue.push(words.function, words.context)
    } else {
      TimerThread.shared.arm(due, queue, words.function, words.context)
    }
  }

  /// An entry has come due: runs on the source's queue.
  private func tick() {
    let isDue = lock.withLock { () -> Bool in
      if let armed = state.armedFor, armed.hasPassed() { state.armedFor = nil }
      return state.schedule?.next.hasPassed() ?? false
    }
    if isDue { signalEvent() } else { arm() }
  }

  override func takeData() -> UInt? {
    let fired = lock.withLock { () -> UInt? in
      guard var schedule = state.schedule, schedule.next.hasPassed() else { return nil }
      let fired = schedule.advance()
      state.schedule = schedule.next == .forever ? nil : schedule
      return fired
    }
    if fired == nil { arm() }
    return fired
  }

  override func handled() { arm() }
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
