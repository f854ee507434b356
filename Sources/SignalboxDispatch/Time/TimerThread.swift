// TimerThread.swift: the one event thread: sleeps until the earliest deadline of three clocks and submits what is due. Made at
// first need; with nothing armed it sleeps without limit.
//
// Uptime deadlines are the wait's own limit. Continuous ones are carried over to it at each wait. Wall ones lie with an alarm
// descriptor of the kernel that also fires when the clock is set, so a step either way is noticed at once.
import SignalboxLocks
import SignalboxSystem

final class TimerThread: @unchecked Sendable {
  // SAFETY of @unchecked: heaps and `sleepsUntil` are guarded by `lock`; poller and alarm are safe by themselves.
  static let shared = TimerThread()

  private let lock = UnfairLock()
  private var uptime = TimerHeap()
  private var continuous = TimerHeap()
  private var wall = TimerHeap()
  private var sequence: UInt64 = 0
  /// Until when the thread sleeps, on the uptime clock; 0 while it is awake, and will look by itself.
  private var sleepsUntil: UInt64 = 0
  private var alarmIsFor = UInt64.max
  private let poller: Poller
  private let alarm: WallAlarm
  private static let alarmToken: UInt64 = 1

  private init() {
    ForkGuard.arm()
    do {
      poller = try Poller()
      alarm = try WallAlarm()
      try poller.register(alarm.descriptor, for: .readable, token: TimerThread.alarmToken)
    } catch {
      Misuse.stop("timers need three descriptors (\(error)): raise the limit of open files")
    }
    do {
      try Threads.spawn(name: "signalbox.timer", stackSize: 256 * 1024) { TimerThread.shared.threadBody() }
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
  }

  private func threadBody() {
    var due: [ArmedTimer] = []
    while true {
      let deadline = collect(&due)
      for timer in due {
        timer.queue._withUnsafeGuaranteedRef { $0.push(timer.first, timer.second) }
        timer.queue.release()
      }
      if !due.isEmpty {
        due.removeAll(keepingCapacity: true)
        continue  // time has passed meanwhile
      }
      poller.wait(untilUptime: deadline == .max ? nil : deadline) { token, _ in
        if token == TimerThread.alarmToken { alarm.clear() }
      }
      lock.withLock {
        sleepsUntil = 0
        alarmIsFor = .max
      }
    }
  }

  /// Takes what is due. When nothing is, the thread counts as asleep until the returned uptime (`max`: no limit).
  private func collect(_ due: inout [ArmedTimer]) -> UInt64 {
    let now = Clock.uptime()
    return lock.withLock { () -> UInt64 in
      while let timer = uptime.popDue(now) { due.append(timer) }
      if !continuous.isEmpty {
        let now = Clock.continuous()
        while let timer = continuous.popDue(now) { due.append(timer) }
      }
      if !wall.isEmpty {
        let now = Clock.wall()
        while let timer = wall.popDue(now) { due.append(timer) }
      }
      guard due.isEmpty else { return 0 }
      var limit = uptime.earliest ?? .max
      if let point = continuous.earliest { limit = min(limit, now &+ (point &- Clock.continuous())) }
      if let point = wall.earliest, point != alarmIsFor {
        alarm.arm(at: point)
        alarmIsFor = point
      }
      sleepsUntil = limit
      return limit
    }
  }
}
