// OperationSuspicionTests.swift: cycles through operations that have not begun, which `cancel()`, `removeDependency(_:)` or a
// higher maximum may open at any time: reported once they have stood, never fatal, and not at all if they open before.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxClasses
@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxDispatch
@testable import SignalboxFoundation
@testable import SignalboxLocks

/// What is reported in this process, with the uptime; the program is to be stopped for what is certain.
private final class Told: Sendable {
  let reports = Box<[(report: DeadlockReport, at: UInt64)]>([])
  let stalls = Box<[(report: StallReport, at: UInt64)]>([])

  init(after seconds: Double) {
    alarm(500)
    LockOrder.mode = .off
    Deadlock.policy = .stop
    setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
    Deadlock.suspicionSeconds = seconds
    Deadlock.onDetection { [reports] report in reports.with { $0.append((report, Clock.uptime())) } }
    StallDetector.onFinding { [stalls] report in stalls.with { $0.append((report, Clock.uptime())) } }
  }

  /// Waits until something is reported, by way of threads that wait.
  func stall() -> StallReport {
    precondition(eventually { !stalls.now.isEmpty }, "a report")
    return stalls.now[0].report
  }
}

/// Two operations of a queue that depend on one another.
private func cycle(_ queue: OperationQueue, _ one: Job = Job("one"), _ other: Job = Job("other")) -> (Job, Job) {
  one.addDependency(other)
  other.addDependency(one)
  queue.addOperation(one)
  queue.addOperation(other)
  return (one, other)
}

/// Reverses a dependency in two steps, again and again: `first` depends on `second` at the beginning. Ends with the longest time, in
/// nanoseconds, that both depended on one another: where no processor was free in between, the cycle has stood indeed.
private func reverse(_ first: Job, _ second: Job, until end: UInt64) -> UInt64 {
  var (first, second, longest) = (first, second, UInt64(0))
  while Clock.uptime() < end {
    let start = Clock.uptime()
    second.addDependency(first)
    first.removeDependency(second)
    longest = max(longest, Clock.uptime() - start)
    (first, second) = (second, first)
  }
  return longest
}

/// Whether the texts come one after the other.
private func comesInTurn(_ text: String, _ parts: String...) -> Bool {
  var rest = Substring(text)
  for part in parts {
    guard let range = rest.firstRange(of: part) else { return false }
    rest = rest[range.upperBound...]
  }
  return true
}

@Suite("Cycles of operations that have stood") struct StandingCycleTests {
  @Test("A cycle is reported once, by its names, when it has stood for the time, and a cancel opens it")
  func stands() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 0.3), queue = OperationQueue(), start = Clock.uptime()
      let (one, other) = cycle(queue)
      #expect(eventually { !told.reports.now.isEmpty })
      let (report, time) = told.reports.now[0]
      #expect(time - start >= 300_000_000 && report.certainty == .suspected && report.ring.count == 2)
      #expect(report.ringSeconds >= 0.3 && report.text.hasPrefix("suspected deadlock: for 0."), "\(report.text)")
      #expect(report.text.contains(" s now 2 operations wait for one another\n") && report.text.contains("cancel one of them"))
      one.cancel()
      waitUntilEmpty(queue)
      #expect(other.isFinished && told.reports.now.count == 1 && told.stalls.now.isEmpty)
      exit(0)
    }
  }

  @Test("A dependency that is reversed in two steps is never reported, nor is a cycle that opens before its time")
  func reversed() async {
    await #expect(processExitsWith: .success) {
      let period: UInt64 = 200_000_000, told = Told(after: 0.2), queue = OperationQueue()
      let (one, other, never) = (Job("one"), Job("other"), Job("never"))
      for job in [one, other] { job.addDependency(never) }
      one.addDependency(other)
      queue.addOperation(one)
      queue.addOperation(other)
      var longest = reverse(one, other, until: Clock.uptime() + 1_500_000_000)
      for _ in 0..<5 {
        let start = Clock.uptime(), (early, _) = cycle(queue)
        sleepPlainly(milliseconds: 20)  // a cycle that does not stand for long enough
        early.cancel()
        longest = max(longest, Clock.uptime() - start)
      }
      waitForWhatMustNotCome(milliseconds: 400)
      #expect(longest >= period || told.reports.now.isEmpty, "\(told.reports.now.map(\.report.text))")
      never.start()
      waitUntilEmpty(queue)
      exit(0)
    }
  }

  @Test("A cycle that is opened and closed anew counts as standing since then")
  func closedAnew() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 0.6), queue = OperationQueue(), (one, other, never) = (Job("one"), Job("other"), Job("never"))
      other.addDependency(never)
      _ = cycle(queue, one, other)
      var closed = Clock.uptime()
      for _ in 0..<4 {
        sleepPlainly(milliseconds: 250)  // less than the time after which it is reported
        other.removeDependency(one)
        closed = Clock.uptime()
        other.addDependency(one)
      }
      #expect(eventually { !told.reports.now.isEmpty })
      #expect(told.reports.now[0].at - closed >= 600_000_000, "\(told.reports.now[0].at - closed)")
      exit(0)
    }
  }

  @Test("A further dependency does not hide a cycle")
  func besides() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 0.4), queue = OperationQueue(), never = Job("never")
      let (one, _) = cycle(queue)
      sleepPlainly(milliseconds: 100)  // so that it has stood for a while
      one.addDependency(never)
      #expect(eventually { !told.reports.now.isEmpty })
      exit(0)
    }
  }

  @Test("Thousands of cycles that are opened again leave nothing behind; operations are not kept")
  func many() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 3600), freed = Box(0)
      for _ in 0..<2_000 {
        let queue = OperationQueue()
        let (one, other) = cycle(queue, guarded(freed), guarded(freed))
        one.cancel()
        waitUntilEmpty(queue)
        other.removeDependency(one)  // else they would keep one another
      }
      #expect(eventually { freed.now == 4_000 } && told.reports.now.isEmpty, "\(freed.now)")
      exit(0)
    }
  }

  @Test("An operation to which the monitor refers last is freed by a worker")
  func lastReference() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 0.5)
      while true {
        let ring = Ring(), reports = told.reports.now.count
        ring.first.lock.lock()
        // The monitor has come to the first operation, or was quicker and has reported the cycle.
        #expect(eventually { ring.isMonitorHeldUp || told.reports.now.count > reports })
        let isHeldUp = ring.isMonitorHeldUp
        if isHeldUp { #expect(ring.letGoOfThird() && ring.freedByWorker.now == nil) }
        ring.first.lock.unlock()
        if isHeldUp {
          #expect(eventually { ring.freedByWorker.now != nil } && ring.freedByWorker.now == true)
          exit(0)
        }
        ring.end()
      }
    }
  }

  @Test("SIGNALBOX_SUSPECT_AFTER says after how long a cycle is reported; what is no number is reported itself")
  func environment() async {
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_SUSPECT_AFTER", "0.25", 1)
      #expect(Deadlock.suspicionSeconds == 0.25)
    }
    await #expect(processExitsWith: .success) {
      setenv("SIGNALBOX_SUSPECT_AFTER", "off", 1)
      #expect(Deadlock.suspicionSeconds == nil)
      let queue = OperationQueue(), told = Box(0)
      Deadlock.onDetection { _ in told.with { $0 += 1 } }
      let (one, _) = cycle(queue)
      one.cancel()
      waitUntilEmpty(queue)
      #expect(told.now == 0)
      Deadlock.suspicionSeconds = 1
      #expect(Deadlock.suspicionSeconds == 1)
    }
    await #expect(processExitsWith: .success) { #expect(Deadlock.suspicionSeconds == 5) }
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_SUSPECT_AFTER", "soon", 1)
      #expect(Deadlock.suspicionSeconds == 5)
    }
    expectReport(
      result, saying: "SIGNALBOX_SUSPECT_AFTER=soon is not a number of seconds from 0 to 86400, nor off: 5 is used")
  }
}

/// Four operations of a queue, from the one with which a report begins. Each depends on the next, and on one that is
/// never started.
private final class Ring {
  private var jobs: [Job] = []
  private let queue = OperationQueue(), never = Operation()
  /// Whether it was a worker that freed the first of them that was freed.
  let freedByWorker = Box<Bool?>(nil)

  init() {
    jobs = (0..<4).map { _ in
      let guardian = Guardian { [freedByWorker] in
        freedByWorker.with { $0 = $0 ?? (Pool.worker(ThreadSlot.current) != nil) }
      }
      return Job { _ in _ = guardian }
    }
    for index in 0..<4 {
      jobs[index].addDependency(never)
      jobs[index].addDependency(jobs[(index + 1) % 4])
    }
    queue.addOperations(jobs, waitUntilFinished: false)
    while jobs.contains(where: { ObjectIdentifier($0) < ObjectIdentifier(jobs[0]) }) { jobs.append(jobs.removeFirst()) }
  }

  var first: Job { jobs[0] }
  /// Whether another thread sleeps until the first one's lock is free.
  var isMonitorHeldUp: Bool { first.lock.word.loadRelaxed() == 2 }

  /// Lets go of the third while the first one's lock is held. Whether it lives on.
  func letGoOfThird() -> Bool {
    weak let third = jobs[2]
    jobs[2].cancel()
    #expect(eventually { jobs[2].isFinished && queue.operationCount == 3 })
    jobs[1].removeDependency(jobs[2])
    jobs[2].removeDependency(jobs[3])
    jobs[2] = jobs[3]
    // The worker that has ended it refers to it for a moment.
    #expect(eventually { Pool.shared.snapshot[PoolState.running] == 0 })
    return third != nil
  }

  func end() {
    for index in 0..<4 { jobs[index].removeDependency(jobs[(index + 1) % 4]) }
    never.start()
    waitUntilEmpty(queue)
  }
}

/// An operation that counts when it is freed.
private func guarded(_ freed: Box<Int>) -> Job {
  let guardian = Guardian { freed.with { $0 += 1 } }
  return Job { _ in _ = guardian }
}

/// Tells when it is freed.
private final class Guardian: Sendable {
  private let last: @Sendable () -> Void
  init(_ last: @escaping @Sendable () -> Void) { self.last = last }
  deinit { last() }
}

@Suite("Waits in cycles of operations") struct SuspectedWaitTests {
  @Test(
    "A wait for an operation that depends on the waiter is suspected, with its chain, until a watchdog cancels it"
  )
  func chain() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 0.2), queue = OperationQueue()
      let (middle, last) = (Job("middle"), Job("last"))
      let first = Job("first") { _ in wait(for: last) }
      middle.addDependency(first)
      last.addDependency(middle)
      for job in [last, middle, first] { queue.addOperation(job) }
      let report = told.stall()
      #expect(report.certainty == .suspected && report.cause == .cycle, "\(report.text)")
      let isInTurn = comesInTurn(
        report.summary, "suspected deadlock: for 0.", " s now thread \"", "waits for operation \"last\"",
        "waits for operation \"middle\"", "waits for operation \"first\"", "waits for thread \"")
      #expect(isInTurn, "\(report.summary)")
      #expect(
        report.mayStillEnd.contains { $0.hasPrefix("code that cancels or starts one of these operations") }, "\(report.text)")
      last.cancel()  // waits for nobody any more
      waitUntilEmpty(queue)
      #expect(told.stalls.now.count == 1 && told.reports.now.isEmpty)
      exit(0)
    }
  }

  @Test("A cycle that a watchdog opens in time is not reported")
  func quick() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 5), queue = OperationQueue(), last = Job("last")
      let first = Job("first") { _ in
        Thread.detachNewThread {
          sleepPlainly(milliseconds: 1_200)  // longer than the time between two scans
          last.cancel()
        }
        wait(for: last)
      }
      last.addDependency(first)
      for job in [last, first] { queue.addOperation(job) }
      waitUntilEmpty(queue)
      #expect(told.stalls.now.isEmpty && told.reports.now.isEmpty)
      exit(0)
    }
  }

  @Test("A wait for another operation of a queue with one place, or for one behind a barrier, is suspected")
  func places() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 0.2), narrow = OperationQueue(), second = Job("second")
      narrow.maxConcurrentOperationCount = 1
      narrow.name = "narrow"
      narrow.addOperation(
        Job("first") { _ in
          narrow.addOperation(second)
          wait(for: second)
        })
      let report = told.stall()
      let words = "waits for operation \"second\" (Job 0x"
      #expect(report.certainty == .suspected && report.summary.contains(words), "\(report.text)")
      #expect(report.summary.contains("waits for a place in operation queue \"narrow\" waits for operation \"first\""))
      narrow.maxConcurrentOperationCount = 2
      waitUntilEmpty(narrow)
      exit(0)
    }
    await #expect(processExitsWith: .success) {
      let told = Told(after: 0.2), queue = OperationQueue(), behind = Job("behind")
      queue.addOperation(
        Job("before") { _ in
          queue.addBarrierBlock {}
          queue.addOperation(behind)
          wait(for: behind)
        })
      let report = told.stall()
      #expect(report.certainty == .suspected, "\(report.text)")
      #expect(
        comesInTurn(report.summary, "operation \"behind\"", "waits for a barrier (", "waits for operation \"before\""),
        "\(report.summary)")
      behind.start()  // by hand
      waitUntilEmpty(queue)
      exit(0)
    }
  }

  @Test("The main thread's wait for an operation of the main queue is suspected, and ends when somebody else starts it")
  func mainThread() async {
    await #expect(processExitsWith: .success) {
      let told = Told(after: 0.2), update = Job("update"), isOver = Box(false)
      Thread.detachNewThread {
        let report = told.stall()
        #expect(report.certainty == .suspected, "\(report.text)")
        #expect(
          comesInTurn(
            report.summary, "thread \"", "waits for operation \"update\"", "waits for the main queue waits for thread \""),
          "\(report.summary)")
        update.start()
        isOver.with { $0 = true }
      }
      await MainActor.run {
        OperationQueue.main.addOperation(update)
        wait(for: update)
      }
      #expect(eventually { isOver.now })
      exit(0)
    }
  }

  @Test("Two queues' ends that wait for one another by way of running operations are certain, although others run")
  func queueEnds() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      _ = Told(after: 3600)
      Thread.detachNewThread { while true { sched_yield() } }
      let queues = ["left", "right"].map { name in
        let queue = OperationQueue()
        queue.name = name
        return queue
      }
      let inside = Box(0)
      for index in 0..<2 {
        queues[index].addOperation(
          Job("of \(index)") { _ in
            inside.with { $0 += 1 }
            _ = eventually { inside.now == 2 }
            waitUntilEmpty(queues[1 - index])
          })
      }
      onOwnThread { waitUntilEmpty(queues[0]) }
    }
    expectStop(
      result, saying: "signalbox: deadlock: thread \"", ", forever\n", "waits for operation queue \"left\"",
      "waits for operation queue \"right\"")
  }

  @Test("Dependencies that are reversed in two steps behind a long wait are never reported")
  func reversedBehind() async {
    await #expect(processExitsWith: .success) {
      let period: UInt64 = 50_000_000, told = Told(after: 0.05), queue = OperationQueue()
      let (one, other, never, last) = (Job("one"), Job("other"), Job("never"), Job("last"))
      for job in [one, other] { job.addDependency(never) }
      one.addDependency(other)
      last.addDependency(one)
      for job in [one, other, last] { queue.addOperation(job) }
      let isOver = Box(false)
      Thread.detachNewThread {
        wait(for: last)
        isOver.with { $0 = true }
      }
      let longest = reverse(one, other, until: Clock.uptime() + 4_500_000_000)
      #expect(longest >= period || told.stalls.now.isEmpty, "\(told.stalls.now.map(\.report.text))")
      #expect(longest >= period || told.reports.now.isEmpty, "\(told.reports.now.map(\.report.text))")
      never.start()
      #expect(eventually { isOver.now })
      exit(0)
    }
  }
}
