// TimerThread.swift: the one event thread: sleeps until the earliest deadline of three clocks and submits what is due. Made at
// first need; with nothing armed it sleeps without limit.
//
// Two alarms of the kernel wake it: one on the uptime clock, to which the earliest continuous deadline is carried over at each
// wait, and one on the wall clock, which also fires when that clock is set, so a step either way is noticed at once.
import SignalboxLocks
import SignalboxSystem

final class TimerThread: @unchecked Sendable {
  // SAFETY of @unchecked: heaps and `sleepsUntil` are guarded by `lock`; the alarms' points belong to the timer thread; the
  // rest is safe by itself.
  static let shared = TimerThread()

  private let lock = UnfairLock()
  private var uptime = TimerHeap()
  private var continuous = TimerHeap()
  private var wall = TimerHeap()
  private var sequence: UInt64 = 0
  /// Until when the thread sleeps, on the uptime clock; 0 while it is awake, and will look by itself.
  private var sleepsUntil: UInt64 = 0
  /// What the alarms are armed for; `max`: nothing.
  private var uptimeAlarmIsFor = UInt64.max
  private var wallAlarmIsFor = UInt64.max
  private let isStarted = Atomic32(0)
  private let poller: Poller
  private let uptimeAlarm: Alarm
  private let wallAlarm: Alarm
  private static let uptimeToken: UInt64 = 1
  private static let wallToken: UInt64 = 2

  private init() {
    ForkGuard.arm()
    do {
      poller = try Poller()
      uptimeAlarm = try Alarm(.uptime)
      wallAlarm = try Alarm(.wall)
      try poller.register(uptimeAlarm.descriptor, for: .readable, token: TimerThread.uptimeToken)
      try poller.register(wallAlarm.descriptor, for: .readable, token: TimerThread.wallToken)
    } catch {
      Misuse.stop("timers need four descriptors (\(error)): raise the limit of open files")
    }
  }

  /// Starts the thread at the first timer, outside of the initialiser that it would otherwise have to wait for.
  private func startOnce() {
    guard isStarted.loadRelaxed() == 0, isStarted.exchangeAcqRel(1) == 0 else { return }
    do {
      try Threads.spawn(name: "signalbox.timer", stackSize: 256 * 1024) { self.threadBody() }
    } catch {
      Misuse.stop("timers need a thread of their own (\(error)): raise the limit of threads")
    }
  }

  /// Submits the item whose two words are given to `queue` when `deadline` has come. Not for `.forever` and past deadlines.
  func arm(_ deadline: Deadline, _ queue: DispatchQueue, _ first: UInt64, _ second: UInt64) {
    var timer = ArmedTimer(
      deadline: 0, sequence: 0, queue: Unmanaged.passRetained(queue), first: first, second: second)
    let mustWake = lock.withLock { () -> Bool in
      sequence += 1
      timer.sequence = sequence
      switch deadline {
      case .uptime(let point):
        timer.deadline = point
        uptime.insert(timer)
        return point < sleepsUntil
      case .continuous(let point):
        timer.deadline = point
        continuous.insert(timer)
        return continuous.earliest == point && sleepsUntil != 0
      case .wall(let point):
        timer.deadline = point
        wall.insert(timer)
        return wall.earliest == point && sleepsUntil != 0
      case .now, .forever: preconditionFailure("a timer needs a point in time")
      }
    }
    if mustWake { poller.wake() }
    startOnce()
  }

  private func threadBody() {
    var due: [ArmedTimer] = []
    while true {
      collect(&due)
      for timer in due {
        timer.queue._withUnsafeGuaranteedRef { $0.push(timer.first, timer.second) }
        timer.queue.release()
      }
      if !due.isEmpty {
        due.removeAll(keepingCapacity: true)
        continue  // time has passed meanwhile
      }
      poller.wait(untilUptime: nil) { token, _ in
        if token == TimerThread.uptimeToken { uptimeAlarm.clear() } else { wallAlarm.clear() }
        // A cleared alarm is silent: the next look arms it again.
        if token == TimerThread.uptimeToken { uptimeAlarmIsFor = .max } else { wallAlarmIsFor = .max }
      }
      lock.withLock { sleepsUntil = 0 }
    }
  }

  /// Takes what is due. When nothing is, the alarms are armed and the thread counts as asleep.
  private func collect(_ due: inout [ArmedTimer]) {
    let now = Clock.uptime()
    lock.withLock {
      while let timer = uptime.popDue(now) { due.append(timer) }
      if !continuous.isEmpty {
        let now = Clock.continuous()
        while let timer = continuous.popDue(now) { due.append(timer) }
      }
      if !wall.isEmpty {
        let now = Clock.wall()
        while let timer = wall.popDue(now) { due.append(timer) }
      }
      guard due.isEmpty else { return }
      var limit = uptime.earliest ?? .max
      if let point = continuous.earliest { limit = min(limit, now &+ (point &- Clock.continuous())) }
      if let point = wall.earliest, point != wallAlarmIsFor {
        wallAlarm.arm(at: point)
        wallAlarmIsFor = point
      }
      if limit != .max, limit != uptimeAlarmIsFor {
        uptimeAlarm.arm(at: limit)
        uptimeAlarmIsFor = limit
      }
      sleepsUntil = limit
    }
  }
}
