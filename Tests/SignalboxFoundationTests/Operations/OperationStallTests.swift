// OperationStallTests.swift: waits for operations that nothing is left to end, as the stall detector reports them; and operations that are
// merely slow, of which nothing certain is reported. Cycles that are reported at once are OperationDeadlockTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxClasses

/// Scans of the threads made from now on; the process goes on after each report.
private final class Looks {
  init() {
    alarm(500)
    LockOrder.mode = .off
    Deadlock.policy = .report
    setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
    StallDetector.testsOnly_leaveOut(Set(KernelThread.all()))
  }

  /// Scans until something of that certainty is reported for the cause: once.
  func one(_ cause: StallReport.Cause = .allWait, _ certainty: DeadlockReport.Certainty = .certain) -> StallReport {
    var found: StallReport?
    let isFound = eventually {
      found = StallDetector.scan().first { $0.certainty == certainty && $0.cause == cause }
      return found != nil
    }
    #expect(isFound, "\(cause.rawValue)")
    for _ in 0..<20 { #expect(!StallDetector.scan().contains { $0.certainty == certainty }, "told once") }
    guard let found else { exit(1) }
    return found
  }

  func nothingCertain(_ what: String, until isOver: () -> Bool) {
    repeat {
      for report in StallDetector.scan() where report.certainty == .certain { Issue.record("\(what): \(report.text)") }
    } while !isOver()
  }
}

/// A thread that nobody joins: it waits forever.
private func thread(_ name: String, _ body: @escaping @Sendable () -> Void) {
  let thread = Thread(block: body)
  thread.name = name
  thread.start()
}

private let isNotWaiter = { @Sendable (thread: Int32) in KernelThread.name(thread) != "waiter" }

/// Tells when it is freed.
private final class Witness: Operation, @unchecked Sendable {
  private let last: @Sendable () -> Void
  init(_ last: @escaping @Sendable () -> Void) {
    self.last = last
    super.init()
  }
  deinit { last() }
}

/// An operation in a queue.
private func add(_ name: String, to queue: OperationQueue, _ body: @escaping @Sendable (Job) -> Void = { _ in }) -> Job {
  let job = Job(name, body)
  queue.addOperation(job)
  return job
}
private func queue(_ name: String, limit: Int = OperationQueue.defaultMaxConcurrentOperationCount) -> OperationQueue {
  let queue = OperationQueue()
  queue.name = name
  queue.maxConcurrentOperationCount = limit
  return queue
}

/// Takes places of a queue until all are taken.
private func takePlaces(_ queue: OperationQueue, _ names: String..., wait body: @escaping @Sendable (Job) -> Void) {
  let inside = Box(0)
  for name in names {
    _ = add(name, to: queue) { job in
      inside.with { $0 += 1 }
      body(job)
    }
  }
  #expect(eventually { inside.now == names.count })
}

@Suite("Waits for operations with nobody left") struct OperationStallTests {
  @Test("A wait for an operation with a dependency in no queue, two steps away, is reported")
  func unqueued() async {
    await #expect(processExitsWith: .success) {
      let looks = Looks(), queue = queue("loads"), never = Job("never")
      let middle = Job("middle"), last = Job("last")
      middle.addDependency(never)
      last.addDependency(middle)
      for job in [last, middle] { queue.addOperation(job) }
      thread("waiter") { wait(for: last) }
      let report = looks.one()
      #expect(report.participants.map(\.threadName) == ["waiter"] && report.objects.map(\.object.kind) == [.operation])
      #expect(report.objects[0].object.name.hasPrefix("operation \"last\" (Job 0x"))
      let words = ["needs operation \"never\" (Job 0x", ", which is in no queue, and nothing is left to start it"]
      for part in words { #expect(report.text.contains(part), "\(report.text)") }
      #expect(report.json.contains("\"kind\":\"operation\"") && report.hint.contains("in a queue that runs"))
      exit(0)
    }
  }

  @Test("A wait for a suspended queue, or one with a limit of 0, is reported", arguments: [true, false])
  func stopped(isSuspended: Bool) async {
    await #expect(processExitsWith: .success) { [isSuspended = isSuspended as Bool] in
      let looks = Looks(), queue = queue("loads", limit: isSuspended ? 2 : 0)
      queue.isSuspended = isSuspended
      let job = add("job", to: queue)
      thread("one") { wait(for: job) }
      thread("all") { waitUntilEmpty(queue) }
      var report = looks.one()
      if report.participants.count == 1 { report = looks.one() }
      let why = isSuspended ? "which is suspended, and nothing is left to resume it" : "whose maximum is 0"
      #expect(report.objects.map(\.object.name).contains("operation queue \"loads\""), "\(report.text)")
      #expect(report.text.contains(": is in operation queue \"loads\", \(why)"), "\(report.text)")
      #expect(report.text.contains("operation queue \"loads\": needs operation \"job\" (Job 0x"), "\(report.text)")
      exit(0)
    }
  }

  @Test("While somebody runs who may resume the queue or start the operation, nothing is reported")
  func somebody() async {
    await #expect(processExitsWith: .success) {
      let looks = Looks(), queue = queue("loads"), isOver = Box(false), end = Clock.uptime() + 300_000_000
      queue.isSuspended = true
      let job = add("job", to: queue)
      thread("runs") { while !isOver.now { sched_yield() } }
      let waited = Box(false)
      thread("waiter") {
        wait(for: job)
        waited.with { $0 = true }
      }
      looks.nothingCertain("somebody runs") { Clock.uptime() > end }
      queue.isSuspended = false
      #expect(eventually { waited.now })
      exit(0)
    }
  }

  @Test(
    "A queue whose places are all taken by operations that wait for one without a place is suspected while others run",
    arguments: [true, false])
  func full(somebodyRuns: Bool) async {
    await #expect(processExitsWith: .success) { [somebodyRuns = somebodyRuns as Bool] in
      Deadlock.suspicionSeconds = 0.1
      let looks = Looks(), queue = queue("narrow", limit: 2), wanted = Job("wanted"), gate = Gate()
      if somebodyRuns { thread("runs") { while true { sched_yield() } } }
      takePlaces(queue, "left", "right") { _ in
        gate.pass()  // asleep: on one processor a second operation would not begin beside one that polls
        wait(for: wanted)
      }
      queue.addOperation(wanted)
      gate.open()
      let report = looks.one(.cycle, somebodyRuns ? .suspected : .certain)
      let cycle = "waits for a place in operation queue \"narrow\" waits for operation \""
      #expect(report.summary.contains(cycle), "\(report.text)")
      #expect(report.participants.count >= 1 && report.participants.allSatisfy { $0.wants.kind == .operation })
      let words = "waits for a place in operation queue \"narrow\", all 2 of which are taken: by operation \"left\" (Job 0x"
      #expect(report.text.contains(words), "\(report.text)")
      exit(0)
    }
  }

  @Test("When the only place is taken by an operation that waits for a signal, both waits are reported")
  func place() async {
    await #expect(processExitsWith: .success) {
      let looks = Looks(), queue = queue("narrow", limit: 1), semaphore = DispatchSemaphore(value: 0)
      takePlaces(queue, "holder") { _ in semaphore.wait() }
      let job = add("behind", to: queue)
      thread("waiter") { wait(for: job) }
      var report = looks.one()
      if report.participants.count == 1 { report = looks.one() }
      #expect(report.participants.map(\.wants.kind) == [.semaphore, .operation], "\(report.text)")
      let words = "waits for the only place in operation queue \"narrow\", which operation \"holder\" (Job 0x"
      #expect(report.text.contains(words), "\(report.text)")
      exit(0)
    }
  }

  @Test("An operation that never says that it is finished is reported, with the barrier and the operations that wait for it")
  func untold() async {
    await #expect(processExitsWith: .success) {
      let looks = Looks(), queue = queue("loads"), endless = OwnState()
      endless.name = "endless"
      queue.addOperation(endless)
      #expect(eventually { endless.isExecuting && endless.runner.loadAcquire() == 0 })
      queue.addBarrierBlock {}
      let job = add("behind", to: queue)
      thread("waiter") { wait(for: job) }
      let report = looks.one()
      let words = [
        "needs operation \"endless\" (OwnState 0x", "which has begun and is in no call of main()",
        "nothing is left to say that it is finished",
      ]
      for part in words { #expect(report.text.contains(part), "\(report.text)") }
      exit(0)
    }
  }

  @Test("An operation that never finishes is only suspected while a thread sleeps elsewhere, and the thread is named")
  func untoldBySleeper() async {
    await #expect(processExitsWith: .success) {
      let looks = Looks(), queue = queue("loads"), endless = OwnState()
      queue.addOperation(endless)
      thread("sleeper") { sleepForEver() }
      thread("waiter") { wait(for: endless) }
      let report = looks.one(.allWait, .suspected)
      #expect(report.mayStillEnd.contains { $0.hasPrefix("thread \"sleeper\" (") }, "\(report.text)")
      #expect(report.text.contains(": has begun and is in no call of main()"), "\(report.text)")
      exit(0)
    }
  }

  @Test("A snapshot that has the last reference to an object has it freed by the pool")
  func lastReference() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let nodes = OperationNodes(), isFreed = Box(false), shared = Box<Witness?>(nil)
      thread("waiter") {
        let witness = Witness { isFreed.with { $0 = true } }
        shared.with { $0 = witness }
        wait(for: witness)
      }
      #expect(eventually { !OperationWaits.awaited.isEmpty })
      var snapshot = WaitSnapshot()
      nodes.addNodes(to: &snapshot)
      #expect(snapshot.nodes.count == 1)
      thread("waiter") {
        let witness = shared.with { value in
          defer { value = nil }
          return value
        }
        witness?.start()
      }
      #expect(eventually { shared.now == nil && KernelThread.all().allSatisfy(isNotWaiter) })
      #expect(!isFreed.now)
      #expect(!nodes.endScan() && eventually { isFreed.now })
      nodes.addNodes(to: &snapshot)
      #expect(nodes.endScan(), "nothing is kept")
      exit(0)
    }
  }

  @Test("A wait for an operation whose thread waits names the thread")
  func running() async {
    await #expect(processExitsWith: .success) {
      let looks = Looks(), queue = queue("loads"), semaphore = DispatchSemaphore(value: 0), last = Job("last")
      let first = Job("first") { _ in semaphore.wait() }
      last.addDependency(first)
      queue.addOperation(first)
      queue.addOperation(last)
      thread("waiter") { wait(for: last) }
      var report = looks.one()
      if report.participants.count == 1 { report = looks.one() }
      #expect(report.text.contains("needs operation \"first\" (Job 0x") && report.text.contains(", which runs on thread \""))
      #expect(report.participants.map(\.wants.kind) == [.semaphore, .operation], "\(report.text)")
      exit(0)
    }
  }

  @Test("A wait for an operation queue on a suspended dispatch queue is reported")
  func underlying() async {
    await #expect(processExitsWith: .success) {
      let looks = Looks(), queue = queue("above"), base = DispatchQueue(label: "base")
      queue.underlyingQueue = base
      base.suspend()
      let job = add("job", to: queue)
      thread("waiter") { wait(for: job) }
      let report = looks.one()
      #expect(report.text.contains("waits for its turn on serial queue \"base\""), "\(report.text)")
      exit(0)
    }
  }
}

@Suite("Waits for operations that end") struct NoOperationStallTests {
  @Test("Nothing certain is reported of graphs of small operations", .timeLimit(.minutes(10)))
  func churn() async {
    await #expect(processExitsWith: .success) {
      let looks = Looks(), end = Clock.uptime() + 3_000_000_000, ended = Box(0)
      for round in 0..<3 {
        thread("party") {
          while Clock.uptime() < end { runGraph(round) }
          ended.with { $0 += 1 }
        }
      }
      looks.nothingCertain("churn") { ended.now == 3 }
      exit(0)
    }
  }
}

/// Operations with dependencies, places, barriers and own ends, of which this thread and others wait for some.
private func runGraph(_ kind: Int) {
  let narrow = queue("narrow", limit: 1 + kind), wide = queue("wide"), seen = Box(0)
  var jobs: [Operation] = (0..<12).map { number in
    Job("\(number)") { _ in
      if number % 4 == 1 { sleepPlainly(microseconds: 30) }  // work that sleeps
      seen.with { $0 += 1 }
    }
  }
  let own = OwnState()
  jobs.append(own)
  for index in 1..<jobs.count where index % 3 != 0 { jobs[index].addDependency(jobs[index - 1]) }
  narrow.isSuspended = kind == 1
  for (index, job) in jobs.enumerated() { (index % 2 == 0 ? wide : narrow).addOperation(job) }
  wide.addBarrierBlock { seen.with { $0 += 1 } }
  narrow.isSuspended = false
  thread("ends") {
    while !own.isExecuting { sched_yield() }
    own.finish()
  }
  wait(for: jobs[11])
  waitUntilEmpty(wide)
  waitUntilEmpty(narrow)
}
