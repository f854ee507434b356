// OperationEdgeTests.swift: the records of dependencies: found among many, taken off by whoever comes first, of no effect once
// the dependent is gone. What programs see of dependencies is FoundationConformance's DependencyTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

/// Runs each body on a thread of its own, all at once; returns when all have ended.
private func together(_ bodies: (@Sendable () -> Void)...) {
  let go = Atomic32(0)
  let ended = DispatchGroup()
  withExtendedLifetime(bodies) {
    withUnsafePointer(to: go) { go in
      // SAFETY: the threads end before this returns.
      let address = UInt(bitPattern: go)
      for body in bodies {
        ended.enter()
        Thread.detachNewThread {
          let go = UnsafePointer<Atomic32>(bitPattern: address)!
          _ = go.pointee.addSeqCst(1)
          while go.pointee.loadAcquire() < bodies.count { sched_yield() }
          body()
          ended.leave()
        }
      }
      ended.wait()
    }
  }
}

/// Counts its own end.
private final class Life: Sendable {
  private let ends: Box<Int>
  init(_ ends: Box<Int>) { self.ends = ends }
  deinit { ends.with { $0 += 1 } }
}

@Suite("Records of dependencies") struct OperationEdgeTests {
  @Test("Edges are found in a table, added and removed in any order", arguments: [1 as UInt64, 2, 3])
  func table(seed: UInt64) {
    var random = seed
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % bound
    }
    let dependent = Operation()
    let others = (0..<300).map { _ in Operation() }
    let edges = others.map { OperationEdge.make(from: dependent, to: $0) }
    var table = EdgeTable(EdgeList())
    var isIn = Set<Int>()
    for _ in 0..<6_000 {
      let index = next(others.count)
      if isIn.remove(index) != nil { table.remove(edges[index]) } else { table.insert(edges[index]) }
      if table.count == isIn.count + 1 { isIn.insert(index) }
      let asked = next(others.count)
      #expect(table.find(others[asked]) == (isIn.contains(asked) ? edges[asked] : nil))
    }
    #expect(others.indices.allSatisfy { table.find(others[$0]) == (isIn.contains($0) ? edges[$0] : nil) })
    for edge in edges { OperationEdge.free(edge).release() }
  }

  @Test("Dependencies stand in the order of adding, once each, whatever is removed", arguments: [5, 8, 9, 200])
  func dependencies(count: Int) {
    let job = Operation()
    let others = (0..<count).map { _ in Operation() }
    for other in others + others.reversed() { job.addDependency(other) }
    #expect(job.dependencies == others)
    let removed = others.indices.filter { $0 % 3 != 1 }.map { others[$0] }
    let kept = others.indices.filter { $0 % 3 == 1 }.map { others[$0] }
    for other in removed { job.removeDependency(other) }
    job.removeDependency(others[0])
    #expect(job.dependencies == kept)
    for other in others { job.addDependency(other) }
    #expect(job.dependencies == kept + removed)
    #expect(!job.isReady)
    for other in others { other.start() }
    #expect(job.isReady && job.dependencies.count == count)
  }

  @Test("Dependents that are freed before they are queued leave nothing behind", arguments: [0, 1, 2])
  func freedDependents(order: Int) {
    let source = Operation()
    var jobs = (0..<1_000).map { _ in Operation() }
    for job in jobs { job.addDependency(source) }
    let survivor = jobs[500]
    while jobs.count > 1 { jobs.remove(at: order == 0 ? 0 : order == 1 ? jobs.count - 1 : jobs.count / 2) }
    jobs = []
    var left = 0
    _ = source.needing.first(.needing) { _ in
      left += 1
      return false
    }
    #expect(left == 1 && !survivor.isReady)
    source.start()
    #expect(survivor.isReady && source.needing.first == nil)
  }

  @Test("Dependents are freed, unqueued, while what they depend on finishes", arguments: [false, true])
  func freedMeanwhile(isObserved: Bool) {
    for _ in 0..<500 {
      let source = Operation()
      let told = Box(0)
      let jobs = Box((0..<6).map { _ in Operation() })
      let tokens = jobs.with { jobs in
        for job in jobs { job.addDependency(source) }
        return isObserved ? jobs.map { $0.observe(\.isReady) { _, _ in told.with { $0 += 1 } } } : []
      }
      together({ source.start() }, { while jobs.with({ $0.popLast() }) != nil {} })
      #expect(source.needing.first == nil && told.now <= 6)
      _ = consume tokens
    }
  }

  @Test("Queued operations cancelled while what they depend on finishes each end once, and are freed")
  func cancelledMeanwhile() {
    let (ends, freed) = (Box(0), Box(0))
    for _ in 0..<300 {
      let source = Operation()
      let queue = OperationQueue()
      for _ in 0..<4 {
        let life = Life(freed)
        let job = Job { _ in withExtendedLifetime(life) {} }
        job.addDependency(source)
        job.completionBlock = { ends.with { $0 += 1 } }
        queue.addOperation(job)
      }
      together({ source.start() }, { queue.cancelAllOperations() })
      waitUntilEmpty(queue)
    }
    #expect(eventually { ends.now == 1_200 && freed.now == 1_200 })
  }

  @Test("A dependency that two threads add and remove counts exactly if it is there")
  func addedAndRemoved() {
    for _ in 0..<500 {
      let (job, source) = (Operation(), Operation())
      together({ job.addDependency(source) }, { job.removeDependency(source) })
      #expect(job.isReady == job.dependencies.isEmpty)
      source.start()
      #expect(job.isReady && source.needing.first == nil)
    }
  }

  @Test("Many added at once run in their order, each that depends on the next one right after that")
  func addedAtOnce() {
    let log = Box<[Int]>([])
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let jobs = (0..<200).map { index in BlockOperation { log.with { $0.append(index) } } }
    for index in stride(from: 0, to: 199, by: 2) { jobs[index].addDependency(jobs[index + 1]) }
    queue.addOperations(jobs, waitUntilFinished: false)
    #expect(queue.operations == jobs && queue.operationCount == 200)
    queue.isSuspended = false
    waitUntilEmpty(queue)
    #expect(log.now == (0..<200).map { $0 ^ 1 })
  }
}
