// TimerRole.swift: timers in a play: on every clock, once and again and again; never early, never more often than there were
// points, and never silent.
import Glibc
import Signalbox
import SignalboxCNames
import SignalboxSystem

final class TimerRole: SourceRole {
  private enum Clock: CaseIterable {
    case uptime, wall, continuous

    var now: UInt64 {
      var time = Glibc.timespec()
      clock_gettime(self == .uptime ? CLOCK_MONOTONIC : self == .wall ? CLOCK_REALTIME : CLOCK_BOOTTIME, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
    /// As C's functions take it.
    func raw(_ nanoseconds: UInt64) -> UInt64 {
      switch self {
      case .uptime: nanoseconds
      case .wall: 0 &- nanoseconds
      case .continuous: nanoseconds | 1 << 63
      }
    }
  }

  private struct Schedule {
    var clock: Clock
    var start: UInt64
    var interval: UInt64
    /// The most points that may have passed.
    var points: Int {
      let now = clock.now
      return now < start ? 0 : interval == .max ? 1 : Int((now - start) / interval) + 1
    }
  }

  /// The only schedule, set before the source was active; nil when there was another.
  private final class Plan: @unchecked Sendable {
    // SAFETY of @unchecked: written before activation, read by handlers.
    var schedule: Schedule?
    let isCertain = Tally()
    let told = Tally()
    let rearms = Tally()
  }

  private let plan = Plan()
  /// The number of events when the latest schedule was set; nil: none of it is due.
  private var eventsBefore: Int?

  init(_ stage: Stage, _ number: Int, _ script: inout Script) {
    super.init("\(number) timer", stage)
    let source = DispatchSource.makeTimerSource(flags: script.once(in: 2) ? .strict : [], queue: script.pick(stage.queues))
    adopt(source, &script) { [unowned witness, plan] data in
      // Another schedule clears the data, that of a handler that runs included.
      witness.check(data != 0 || plan.isCertain.value == 0, "an event of no points")
      plan.told.add(Int(data))
      if let schedule = plan.schedule, plan.isCertain.value != 0 {
        witness.check(plan.told.value <= schedule.points, "\(plan.told.value) points told, \(schedule.points) passed")
      }
      Self.rearm(witness, plan)
    }
    if script.once(in: 2) { plan.rearms.set(script.pick(6)) }
    if script.byte() & 3 != 0 { schedule(&script) }
  }

  private static func rearm(_ witness: SourceWitness, _ plan: Plan) {
    guard plan.rearms.value > 0, let source = witness.source else { return }
    plan.rearms.add(-1)
    plan.isCertain.set(0)
    dispatch_source_set_timer(source, Clock.uptime.raw(Clock.uptime.now + 50_000), .max, 0)
  }

  override func act(_ script: inout Script) { schedule(&script) }

  private func schedule(_ script: inout Script) {
    guard let source else { return }
    let clock = script.pick(Clock.allCases)
    let delay = UInt64(script.byte()) * 8_000
    let interval = script.pick([UInt64.max, 100_000, 500_000, 2_000_000, 30_000, 5_000_000_000])
    let leeway = script.pick([UInt64(0), 100_000, 1_000_000])
    let isFirst = plan.schedule == nil && !isActive
    eventsBefore = witness.events.value
    // Past, or to come.
    let start = script.once(in: 5) ? clock.now - 3_000_000 : clock.now + delay
    plan.isCertain.set(isFirst ? 1 : 0)
    if !isActive { plan.schedule = Schedule(clock: clock, start: start, interval: interval) }
    if script.once(in: 9) {
      eventsBefore = nil
      return dispatch_source_set_timer(source, DISPATCH_TIME_FOREVER, interval, leeway)
    }
    dispatch_source_set_timer(source, clock.raw(start), interval, leeway)
  }

  override func hasToldAll() -> Bool { eventsBefore.map { witness.events.value > $0 } ?? true }
  override var detail: String {
    "points told \(plan.told.value), expects \(eventsBefore.map { "more than \($0) events" } ?? "nothing")"
  }
}

/// Delayed items: each runs once, and not early.
final class AfterRole: Role {
  private let stage: Stage
  private let expected = Tally(), ran = Tally()

  init(_ stage: Stage) { self.stage = stage }

  func step(_ script: inout Script) {
    let queue = script.pick(stage.queues)
    let time = DispatchTime.now() + .microseconds(script.byte() * 8)
    let isOnWall = script.once(in: 2)
    expected.add()
    let token = Token(stage.living)
    let item: @Sendable () -> Void = { [stage, ran] in
      withExtendedLifetime(token) {
        stage.faults.check(isOnWall || DispatchTime.now() >= time, "a delayed item runs early")
        ran.add()
      }
    }
    if isOnWall {
      queue.asyncAfter(wallDeadline: .now() + .microseconds(script.byte() * 8), execute: item)
    } else {
      queue.asyncAfter(deadline: time, execute: item)
    }
  }

  func finish() {}
  func isSettled() -> Bool { ran.value >= expected.value }
  func judge() { stage.faults.check(ran.value == expected.value, "\(ran.value) delayed items ran of \(expected.value)") }
  var summary: String { "delayed items: \(ran.value) ran of \(expected.value)" }
  var objects: [AnyObject] { [] }
}
