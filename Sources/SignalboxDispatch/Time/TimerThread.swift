// TimerThread.swift: the timers of the event thread (EventThread), which looks at them before it sleeps: what is due is submitted,
// and the earliest deadline of three clocks is what the thread is woken for.
//
// Two alarms of the kernel wake it: one on the uptime clock, to which the earliest continuous deadline is carried over at each
// wait, and one on the wall clock, which also fires when that clock is set, so a step either way is noticed at once.
import SignalboxLocks
import SignalboxSystem

final class TimerThread: @unchecked Sendable {
  // SAFETY of @unchecked: heaps and `sleepsUntil` are guarded by `lock`; `due` and the alarms' points belong to the event thread;
  // the rest is safe by itself.
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
  private let uptimeAlarm: Alarm
  private let wallAlarm: Alarm
  private var due: [ArmedTimer] = []

  private init() {
    do {
      uptimeAlarm = try Alarm(.uptime)
      wallAlarm = try Alarm(.wall)
    } catch {
      Misuse.stop("timers need four descriptors (\(error)): raise the limit of open files")
    }
    do {
      // A cleared alarm is silent: the next look arms it again.
      _ = try EventThread.shared.watch(uptimeAlarm.descriptor, for: .readable) { [unowned self] _ in
        uptimeAlarm.clear()
        uptimeAlarmIsFor = .max
      }
      _ = try EventThread.shared.watch(wallAlarm.descriptor, for: .readable) { [unowned self] _ in
        wallAlarm.clear()
        wallAlarmIsFor = .max
      }
      try EventThread.shared.serveTimers()
    } catch {
      Misuse.stop("timers need descriptors and a thread (\(error)): raise the limits of open files and threads")
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
    if mustWake { EventThread.shared.wake() }
  }

  /// The event thread is about to sleep: submits what is due, until nothing is.
  func prepareSleep() {
    while true {
      collect()
      if due.isEmpty { return }
      for timer in due {
        timer.queue._withUnsafeGuaranteedRef { $0.push(timer.first, timer.second) }
        timer.queue.release()
      }
      due.removeAll(keepingCapacity: true)  // time has passed meanwhile
    }
  }

  /// The event thread is awake, and will look by itself.
  func hasWoken() { lock.withLock { sleepsUntil = 0 } }

  /// Takes what is due. When nothing is, the alarms are armed and the thread counts as asleep.
  private func collect() {
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
