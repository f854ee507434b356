// OperationStorms.swift: random graphs of operations in random queues, worked on by several threads; everything ends, once.
import SignalboxFoundation
import Synchronization
import Testing

/// One operation of a graph, with what is known of it.
private final class Node: Operation, @unchecked Sendable {
  // SAFETY of @unchecked: atomics, constants, and `firm`, which is written before the operation is queued.
  let runs = Atomic<Int>(0), ends = Atomic<Int>(0), isClaimed = Atomic<Bool>(false)
  /// What must be finished when it runs: dependencies that nobody takes away.
  var firm: [Node] = []
  /// Written when it runs; those that depend on it read it.
  let result = Plain()
  let failures: Failures
  init(_ failures: Failures) {
    self.failures = failures
    super.init()
    completionBlock = { [unowned(unsafe) self] in ends.add(1, ordering: .relaxed) }
  }

  func run() {
    runs.add(1, ordering: .relaxed)
    for node in firm {
      failures.check(node.isFinished || isCancelled, "an operation runs before one that it depends on is finished")
      if !isCancelled, !node.isCancelled { failures.check(node.result.value == 1, "a dependency's result is not there") }
    }
    result.value = 1
  }
  override func main() { run() }
}

/// The same with a state of its own, ended on another thread.
private final class AsyncNode: Operation, @unchecked Sendable {
  // SAFETY of @unchecked: atomics and constants.
  let starts = Atomic<Int>(0), ends = Atomic<Int>(0), isClaimed = Atomic<Bool>(false), isAdded = Atomic<Bool>(false)
  private let stage = Atomic<Int>(0)
  override init() {
    super.init()
    completionBlock = { [unowned(unsafe) self] in ends.add(1, ordering: .relaxed) }
  }
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { stage.load(ordering: .acquiring) == 1 }
  override var isFinished: Bool { stage.load(ordering: .acquiring) == 2 }
  override func start() {
    starts.add(1, ordering: .relaxed)
    willChangeValue(forKey: "isExecuting")
    _ = stage.compareExchange(expected: 0, desired: isCancelled ? 0 : 1, ordering: .acquiringAndReleasing)
    didChangeValue(forKey: "isExecuting")
    if isCancelled { finish() } else { DispatchQueue.global().async { self.finish() } }
  }
  /// By whoever comes: the thread it hops to, or a stranger before it has started.
  func finish() {
    willChangeValue(forKey: "isFinished")
    stage.store(2, ordering: .releasing)
    didChangeValue(forKey: "isFinished")
  }
}

private final class Graph: Sendable {
  let failures = Failures()
  let nodes: [Node]
  let asyncs: [AsyncNode]
  /// Barriers come into the last one only, with operations that depend on nothing: elsewhere they would close cycles.
  let queues: [OperationQueue]
  let extras = Atomic<Int>(0), extrasRun = Atomic<Int>(0)
  private let tokens: [NSKeyValueObservation]

  init(seed: UInt64, size: Int) {
    var random = SeededRandom(seed)
    let failures = failures
    nodes = (0..<size).map { _ in Node(failures) }
    asyncs = (0..<size / 4).map { _ in AsyncNode() }
    queues = (0..<5).map { _ in OperationQueue() }
    for queue in queues { queue.maxConcurrentOperationCount = random.pick([-1, 1, 2, 3]) }
    let underlying = DispatchQueue(label: "underlying", attributes: .concurrent)
    queues[3].underlyingQueue = underlying
    for index in 1..<size {
      for _ in 0..<random.pick(0...3) {
        let other = nodes[random.pick(0..<index)]
        nodes[index].firm.append(other)
        nodes[index].addDependency(other)
      }
      if random.once(in: 4) { nodes[index].addDependency(asyncs[random.pick(0..<asyncs.count)]) }
    }
    tokens = nodes.prefix(size / 4).map { $0.observe(\.isFinished, options: [.old, .new]) { _, _ in } }
  }

  /// One thing that a program may do with a graph under way.
  func step(_ random: inout SeededRandom) {
    let queue = queues[random.pick(0..<4)]
    let node = nodes[random.pick(0..<nodes.count)]
    switch random.pick(0..<20) {
    case 0..<7: add(node, to: queue)
    case 7..<9: add(asyncs[random.pick(0..<asyncs.count)], to: random.once(in: 2) ? queue : queues[4])
    case 9: if random.once(in: 4) { node.cancel() }
    case 10: node.queuePriority = random.pick([.veryLow, .low, .normal, .high, .veryHigh])
    case 11:
      queue.isSuspended = true
      node.cancel()
      queue.isSuspended = false
    case 12: queue.maxConcurrentOperationCount = random.pick([-1, 1, 2, 3])
    case 13:
      extras.add(1, ordering: .relaxed)
      queues[4].addBarrierBlock { self.extrasRun.add(1, ordering: .relaxed) }
    case 14, 15: loosen(&random)
    case 16: asyncs[random.pick(0..<asyncs.count)].cancel()
    case 17: if random.once(in: 3) { finishEarly(asyncs[random.pick(0..<asyncs.count)]) }
    case 18: _ = queue.operations.count
    default:
      extras.add(1, ordering: .relaxed)
      queues[random.pick(0..<5)].addOperation { self.extrasRun.add(1, ordering: .relaxed) }
    }
  }

  /// A dependency that comes, and mostly goes again; never one that closes a cycle.
  private func loosen(_ random: inout SeededRandom) {
    let high = random.pick(1..<nodes.count)
    let (node, other) = (nodes[high], nodes[random.pick(0..<high)])
    if node.firm.contains(where: { $0 === other }) { return }
    node.addDependency(other)
    if !random.once(in: 3) { node.removeDependency(other) }
  }

  private func add(_ node: Node, to queue: OperationQueue) {
    if !node.isClaimed.exchange(true, ordering: .relaxed) { queue.addOperation(node) }
  }
  private func add(_ node: AsyncNode, to queue: OperationQueue) {
    if node.isClaimed.exchange(true, ordering: .relaxed) { return }
    queue.addOperation(node)
    node.isAdded.store(true, ordering: .releasing)
  }
  /// A stranger finishes one that is in a queue, started or not.
  private func finishEarly(_ node: AsyncNode) { if node.isAdded.load(ordering: .acquiring) { node.finish() } }

  /// Everything else goes into queues, everything ends.
  func end() {
    for (index, node) in nodes.enumerated() { add(node, to: queues[index % 4]) }
    for node in asyncs where !node.isClaimed.exchange(true, ordering: .relaxed) { node.finish() }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
  }

  var isQuiet: Bool {
    nodes.allSatisfy { $0.ends.load(ordering: .relaxed) > 0 } && asyncs.allSatisfy { $0.ends.load(ordering: .relaxed) > 0 }
  }

  func takeStock() {
    for node in nodes {
      let runs = node.runs.load(ordering: .relaxed)
      failures.check(node.isFinished && runs == 1 || node.isCancelled && runs <= 1, "\(runs) runs")
      failures.check(node.ends.load(ordering: .relaxed) == 1, "a completion block ran more than once")
    }
    for node in asyncs {
      failures.check(node.starts.load(ordering: .relaxed) <= 1, "an operation was started twice")
      failures.check(node.ends.load(ordering: .relaxed) == 1, "a completion block ran more than once")
    }
    for queue in queues { failures.check(queue.operationCount == 0, "\(queue.operationCount) operations are left") }
    failures.check(
      extras.load(ordering: .relaxed) == extrasRun.load(ordering: .relaxed), "a block or barrier did not run, or ran twice")
  }

  var description: [String] {
    queues.enumerated().map { "queue \($0): \($1.operationCount) left, limit \($1.maxConcurrentOperationCount)" }
      + ["\(nodes.count { !$0.isFinished }) operations and \(asyncs.count { !$0.isFinished }) of their own state unfinished"]
  }
}

extension StressTests {
  @Suite(.serialized) struct OperationStorms {
    @Test("In random graphs every operation ends once, none before what it depends on, and all are freed")
    func graphs() {
      for round in 0..<12 * Settings.scale {
        let seed = (Settings.seed ?? 0) &* 1_000 &+ UInt64(round)
        weak let ghost = run(seed: seed)
        Watch("the graph of seed \(seed) is not freed").wait { ghost == nil }
      }
    }

    private func run(seed: UInt64) -> Graph {
      let graph = Graph(seed: seed, size: 120)
      inTime("a graph of seed \(seed)", threads: 3) { number in
        var random = SeededRandom(seed &* 8 &+ UInt64(number))
        for _ in 0..<250 { graph.step(&random) }
      }
      inTime("the end of a graph of seed \(seed)", describe: { graph.description }) { graph.end() }
      Watch("completion blocks of seed \(seed)") { graph.description }.wait { graph.isQuiet }
      graph.takeStock()
      #expect(graph.failures.all.isEmpty, "seed \(seed): \(graph.failures.all)")
      return graph
    }
  }
}
