// OperationBarrierCycleTests.swift: cycles that go through barriers: found as soon as all of them is queued, and only then.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Dependency cycles through barriers are reported") struct OperationBarrierCycleTests {
  /// Whether the report has a line that says so, with a barrier in between or without.
  private static func says(_ text: String, _ one: String, waitsFor other: String) -> Bool {
    text.split(separator: "\n").contains { $0.hasPrefix("  \(one)") && $0.contains("waits for \(other)") }
  }

  @Test("An operation before a barrier that depends on one behind it is reported when that one is queued")
  func oneQueue() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (before, behind, queue) = (Job("before"), Job("behind"), OperationQueue())
      queue.name = "pictures"
      before.addDependency(behind)
      queue.addOperation(before)
      queue.addBarrierBlock {}
      queue.addOperation {}
      StandardError.write("not yet\n")
      queue.addOperation(behind)
      StandardError.write("after\n")
      exit(0)
    }
    let text = errorText(result)
    #expect(text.hasPrefix("not yet\nsignalbox: suspected") && text.hasSuffix("after\n"))
    expectReport(result, saying: "suspected deadlock: now 3 operations wait for one another")
    #expect(Self.says(text, "operation \"before\"", waitsFor: "operation \"behind\""), "\(text)")
    #expect(Self.says(text, "operation \"behind\"", waitsFor: "a barrier (BlockOperation 0x"), "\(text)")
    #expect(Self.says(text, "a barrier (BlockOperation 0x", waitsFor: "operation \"before\""), "\(text)")
    expectReport(
      result, saying: ") of operation queue \"pictures\" waits for",
      "fix: take one of the dependencies away, or add what is depended on before the barrier")
  }

  @Test("So it is when that one is one of several that are queued at once")
  func severalAtOnce() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (before, behind, queue) = (Job("before"), Job("behind"), OperationQueue())
      before.addDependency(behind)
      queue.addOperation(before)
      queue.addBarrierBlock {}
      StandardError.write("not yet\n")
      func add() { queue.addOperations([Job("beside"), behind, Job("beside")], waitUntilFinished: false) }
      add()
      StandardError.write("after\n")
      exit(0)
    }
    let text = errorText(result)
    #expect(text.hasPrefix("not yet\nsignalbox: suspected") && text.hasSuffix("after\n"), "\(text)")
    #expect(Self.says(text, "operation \"before\"", waitsFor: "operation \"behind\""), "\(text)")
    #expect(Self.says(text, "operation \"behind\"", waitsFor: "a barrier (BlockOperation 0x"), "\(text)")
  }

  @Test("The cycle is reported when its dependency comes last, with two barriers in between")
  func lateEdge() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (before, behind, queue) = (Job("before"), Job("behind"), OperationQueue())
      queue.isSuspended = true
      queue.addOperation(before)
      queue.addBarrierBlock {}
      queue.addOperation {}
      queue.addBarrierBlock {}
      queue.addOperation(behind)
      StandardError.write("not yet\n")
      before.addDependency(behind)
      StandardError.write("after\n")
      exit(0)
    }
    let text = errorText(result)
    #expect(text.hasPrefix("not yet\nsignalbox: suspected") && text.hasSuffix("after\n"))
    #expect(Self.says(text, "operation \"before\"", waitsFor: "operation \"behind\""), "\(text)")
  }

  @Test("A cycle over two queues is reported, through an operation queued last and through a barrier of each")
  func twoQueues() async {
    var result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (before, middle, behind) = (Job("before"), Job("middle"), Job("behind"))
      let queues = [OperationQueue(), OperationQueue()]
      before.addDependency(middle)
      middle.addDependency(behind)
      queues[0].addOperation(before)
      queues[0].addBarrierBlock {}
      queues[0].addOperation(behind)
      StandardError.write("not yet\n")
      queues[1].addOperation(middle)
      exit(0)
    }
    var text = errorText(result)
    #expect(text.hasPrefix("not yet\n") && text.contains("deadlock: now 4 operations wait for one another"))
    #expect(Self.says(text, "operation \"middle\"", waitsFor: "operation \"behind\""), "\(text)")
    result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let before = [Job("before 0"), Job("before 1")]
      let behind = [Job("behind 0"), Job("behind 1")]
      let queues = [OperationQueue(), OperationQueue()]
      for index in 0..<2 { before[index].addDependency(behind[1 - index]) }
      for index in 0..<2 {
        queues[index].addOperation(before[index])
        queues[index].addBarrierBlock {}
        if index == 1 { StandardError.write("not yet\n") }
        queues[index].addOperation(behind[index])
      }
      exit(0)
    }
    text = errorText(result)
    #expect(text.hasPrefix("not yet\n") && text.contains("deadlock: now 6 operations wait for one another"))
    #expect(Self.says(text, "operation \"before 0\"", waitsFor: "operation \"behind 1\""), "\(text)")
    #expect(Self.says(text, "operation \"behind 1\"", waitsFor: "a barrier"), "\(text)")
    #expect(Self.says(text, "a barrier", waitsFor: "operation \"before 1\""), "\(text)")
  }

  @Test("When a reported cycle is opened by taking the dependency away, all operations run")
  func mended() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let (before, behind, queue) = (Job("before"), Job("behind"), OperationQueue())
      before.addDependency(behind)
      queue.addOperation(before)
      queue.addBarrierBlock {}
      queue.addOperation(behind)
      queue.addOperation {}
      before.removeDependency(behind)
      waitUntilEmpty(queue)
      exit(before.isFinished && behind.isFinished ? 0 : 1)
    }
    #expect(errorText(result).components(separatedBy: "deadlock:").count == 2, "\(errorText(result))")
  }

  @Test("Dependencies beside a barrier and backwards over it are no cycles, nor is one that is cancelled or undone in time")
  func noCycle() {
    let (queue, other) = (OperationQueue(), OperationQueue())
    let jobs = (0..<6).map { Job("\($0)") }
    jobs[0].addDependency(jobs[1])  // before it, both
    jobs[2].addDependency(jobs[0])  // from behind it
    jobs[1].addDependency(jobs[3])  // elsewhere
    jobs[4].addDependency(jobs[5])  // over it the wrong way, but cancelled
    jobs[4].cancel()
    let undone = Job("undone")
    undone.addDependency(jobs[5])
    for job in [jobs[0], jobs[1], jobs[4], undone] { queue.addOperation(job) }
    queue.addBarrierBlock {}
    undone.removeDependency(jobs[5])
    for job in [jobs[2], jobs[5]] { queue.addOperation(job) }
    other.addBarrierBlock {}
    other.addOperation(jobs[3])
    for queue in [queue, other] { waitUntilEmpty(queue) }
    #expect(jobs.allSatisfy { $0.isFinished } && undone.isFinished)
  }

  @Test("Thousands before and behind a barrier, in chains that are queued from behind, are queued in time")
  func many() {
    let queue = OperationQueue()
    let count = 5_000
    let first = Job()
    let before = (0..<count).map { _ in Job() }
    let behind = (0..<count).map { _ in Job() }
    for job in before { job.addDependency(first) }
    for index in 1..<count { behind[index].addDependency(behind[index - 1]) }
    for job in before { queue.addOperation(job) }
    queue.addBarrierBlock {}
    for job in behind.reversed() { queue.addOperation(job) }
    first.start()
    waitUntilEmpty(queue)
    #expect(behind.allSatisfy { $0.isFinished })
  }

  @Test("Of random queues, barriers and dependencies the very step that closes the first cycle is reported, and none before")
  func random() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let told = Box(0)
      Deadlock.onDetection { _ in told.with { $0 += 1 } }
      var random = SystemRandomNumberGenerator()
      var (kept, cycles) = ([CycleWorld](), 0)
      for _ in 0..<1_500 {
        let world = CycleWorld()
        kept.append(world)  // a report is made once for the same addresses
        let before = told.now
        for _ in 0..<40 where !world.hasCycle {
          world.step(&random)
          if (told.now > before) != world.hasCycle {
            StandardError.write("\(world.hasCycle ? "missed" : "invented"): \(world.log)\n")
            exit(1)
          }
        }
        if world.hasCycle { cycles += 1 }
        world.end()
      }
      exit(cycles > 300 ? 0 : 2)
    }
    let text = errorText(result)
    #expect(!text.contains("missed") && !text.contains("invented"), "\(text.suffix(600))")
  }

  @Test("A cycle that several threads make at once is reported")
  func atOnce() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Deadlock.suspicionSeconds = 0
      let told = Box(0)
      Deadlock.onDetection { _ in told.with { $0 += 1 } }
      var kept: [Crowd] = []
      var cycles = 0
      for _ in 0..<100 {
        let crowd = Crowd()
        kept.append(crowd)
        let before = told.now
        crowd.run()
        if (told.now > before) != crowd.hasCycle {
          StandardError.write(crowd.hasCycle ? "missed\n" : "invented\n")
          exit(1)
        }
        if crowd.hasCycle { cycles += 1 }
        crowd.end()
      }
      exit(cycles > 5 && cycles < 95 ? 0 : 2)
    }
    let text = errorText(result)
    #expect(!text.contains("missed\n") && !text.contains("invented\n"), "\(text.suffix(600))")
  }
}

/// Suspended queues that three threads fill.
private final class Crowd: Sendable {
  private let jobs = (0..<9).map { Job("\($0)") }
  private let queues = (0..<2).map { _ in OperationQueue() }

  init() { for queue in queues { queue.isSuspended = true } }

  func run() {
    let ended = DispatchSemaphore(value: 0)
    for thread in 0..<3 {
      Thread.detachNewThread { [self] in
        for own in 0..<3 {
          if Int.random(in: 0..<4) == 0 { jobs[own * 3 + thread].addDependency(jobs.randomElement()!) }
          if Bool.random() { queues.randomElement()!.addBarrierBlock {} }
          queues.randomElement()!.addOperation(jobs[own * 3 + thread])
        }
        ended.signal()
      }
    }
    for _ in 0..<3 { ended.wait() }
  }

  /// As the objects have it now.
  var hasCycle: Bool {
    var waits: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
    for queue in queues {
      var (before, since) = (Set<ObjectIdentifier>(), Set<ObjectIdentifier>())
      for operation in queue.snapshot(withBarriers: true) {
        let own = ObjectIdentifier(operation)
        if operation.state.isBarrier {
          before.formUnion(since)
        } else {
          waits[own] = before.union(operation.dependencies.map { ObjectIdentifier($0) })
          since.insert(own)
        }
      }
    }
    for _ in 0..<5 { waits = waits.mapValues { others in others.union(others.flatMap { waits[$0] ?? [] }) } }
    return waits.contains { $1.contains($0) }
  }

  func end() { for job in jobs { job.cancel() } }
}

/// Suspended queues with operations and barriers, and the same as a model.
private final class CycleWorld {
  private let jobs = (0..<7).map { Job("\($0)") }
  private let queues = (0..<3).map { _ in OperationQueue() }
  /// Jobs, or barriers as -1.
  private var contents: [[Int]] = [[], [], []]
  private var edges: [Set<Int>] = Array(repeating: [], count: 7)
  private(set) var log: [String] = []

  init() { for queue in queues { queue.isSuspended = true } }

  func step(_ random: inout SystemRandomNumberGenerator) {
    let (job, other, queue) = (pick(7, &random), pick(7, &random), pick(3, &random))
    switch pick(5, &random) {
    case 0, 1:
      guard !contents.contains(where: { $0.contains(job) }) else { return }
      log.append("add \(job) to \(queue)")
      contents[queue].append(job)
      queues[queue].addOperation(jobs[job])
    case 2:
      log.append("barrier \(queue)")
      contents[queue].append(-1)
      queues[queue].addBarrierBlock {}
    case 3:
      log.append("\(job) on \(other)")
      edges[job].insert(other)
      jobs[job].addDependency(jobs[other])
    default:
      guard edges[job].remove(other) != nil else { return }
      log.append("\(job) not on \(other)")
      jobs[job].removeDependency(jobs[other])
    }
  }
  private func pick(_ count: Int, _ random: inout SystemRandomNumberGenerator) -> Int { .random(in: 0..<count, using: &random) }

  /// Whether some job that is queued waits for itself, by way of others that are.
  var hasCycle: Bool {
    let queued = contents.joined().filter { $0 >= 0 }
    var waits = [Int: Set<Int>](uniqueKeysWithValues: queued.map { ($0, edges[$0].intersection(queued)) })
    for content in contents {
      var (before, since) = (Set<Int>(), Set<Int>())
      for entry in content {
        if entry >= 0 { waits[entry]!.formUnion(before) }
        if entry >= 0 { since.insert(entry) } else { before.formUnion(since) }
      }
    }
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for (job, others) in waits {
        let more = others.union(others.flatMap { waits[$0]! })
        if more.count > others.count { (waits[job], hasChanged) = (more, true) }
      }
    }
    return waits.contains { $1.contains($0) }
  }

  func end() { for job in jobs { job.cancel() } }
}
