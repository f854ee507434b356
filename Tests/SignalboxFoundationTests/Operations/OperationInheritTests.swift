// OperationInheritTests.swift: waits for operations of a less urgent class raise what has not begun and help what has; and Foundation's locks
// help their holders. Queues, groups and the other locks are in SignalboxDispatchTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxClasses
@testable import SignalboxDispatch

@Suite("Waits for less urgent operations", .serialized) struct OperationInheritTests {
  static var niceness: Int { Threads.niceness(ofThread: ThreadSlot.kernelID()) ?? -100 }
  /// What a background thread has beside the niceness of the program's.
  static var low: Int { min(19, niceness + DispatchQoS.granted.niceness(of: .background)) }

  /// Computes until told to go on: a wait would be known to the pool.
  static func stay(until isOver: Box<Bool>) { while !isOver.now { usleep(1_000) } }

  /// Where operations ran.
  final class Trail: Sendable {
    private let found = Box<[Int]>([])
    func note() { found.with { $0.append(OperationInheritTests.niceness) } }
    var niceness: [Int] { found.now }
  }

  /// Something that has happened. Read without a lock: who reads it computes all the while.
  final class Flag: Sendable {
    private let word = Relaxed64(0)  // relaxed: nothing is read through it
    var isUp: Bool { word.load() != 0 }
    func raise() { word.store(1) }
  }

  /// Background items that compute on all threads that the band has, until `body` has returned.
  static func withFullBackground(_ body: () -> Void) {
    let isOver = Flag(), running = Box(0), all = DispatchGroup(), count = Tuning.processors
    for _ in 0..<count {
      DispatchQueue.global(qos: .background).async(group: all) {
        running.with { $0 += 1 }
        while !isOver.isUp {}
      }
    }
    #expect(eventually { running.now == count })
    body()
    isOver.raise()
    all.wait()
  }

  static func makeQueue(_ limit: Int = OperationQueue.defaultMaxConcurrentOperationCount) -> OperationQueue {
    let queue = OperationQueue()
    queue.qualityOfService = .background
    queue.maxConcurrentOperationCount = limit
    return queue
  }

  /// Nothing is raised any more, and no thread preferred.
  static func expectAllUndone(_ queues: [OperationQueue] = []) {
    for queue in queues {
      guard let own = queue.lock.withLock({ queue.innards.ownQueue }) else { continue }
      #expect(own.extras?.raise.now.mostUrgent == nil)
    }
    for pool in Pools.all {
      for worker in pool.use({ $0.workers }) { #expect(worker.rankLock.withLock { worker.helpers } == 0) }
    }
  }

  @Test(
    "What a background queue has before the operation that a thread waits for runs where the thread does", arguments: [1, -1])
  func backlog(limit: Int) async {
    await #expect(processExitsWith: .success) { [limit] in
      alarm(500)
      let own = OperationInheritTests.niceness, trail = Trail(), queue = OperationInheritTests.makeQueue(limit)
      OperationInheritTests.withFullBackground {
        for _ in 0..<20 { queue.addOperation { trail.note() } }
        let last = BlockOperation { trail.note() }
        queue.addOperation(last)
        waitForWhatMustNotCome()
        #expect(trail.niceness.isEmpty, "\(trail.niceness)")
        wait(for: last)
        // Those beside it may still run.
        #expect(eventually { trail.niceness.count == 21 })
        #expect(trail.niceness == Array(repeating: own, count: 21), "\(trail.niceness)")
        OperationInheritTests.expectAllUndone([queue])
        waitForWhatMustNotCome()  // runners stay for a moment
        queue.addOperation { trail.note() }
        waitForWhatMustNotCome()
        #expect(trail.niceness.count == 21, "\(trail.niceness)")
      }
      // The wait for the group at the end may have preferred the thread.
      #expect(eventually { trail.niceness.count == 22 })
    }
  }

  @Test("So does everything in a queue that a thread waits for, and what its operations depend on in other queues")
  func everything() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let own = OperationInheritTests.niceness, trail = Trail()
      let queues = (0..<3).map { _ in OperationInheritTests.makeQueue(1) }
      OperationInheritTests.withFullBackground {
        // Each depends on one of the next queue, which depends on one of the last.
        for _ in 0..<5 {
          let chain = (0..<3).map { _ in BlockOperation { trail.note() } }
          for place in 0..<2 { chain[place].addDependency(chain[place + 1]) }
          for place in 0..<3 { queues[place].addOperation(chain[place]) }
        }
        queues[0].addBarrierBlock { trail.note() }
        waitUntilEmpty(queues[0])
        #expect(trail.niceness == Array(repeating: own, count: 16))
        OperationInheritTests.expectAllUndone(queues)
      }
    }
  }

  @Test("A runner in the background that has begun leaves the rest to one where the thread waits")
  func begun() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let own = OperationInheritTests.niceness, trail = Trail(), queue = OperationInheritTests.makeQueue(1)
      let (number, goesOn) = (Box<Int32>(0), Box(false))
      queue.isSuspended = true
      queue.addOperation {
        number.with { $0 = ThreadSlot.kernelID() }
        OperationInheritTests.stay(until: goesOn)
      }
      for _ in 0..<20 { queue.addOperation { trail.note() } }
      queue.isSuspended = false
      #expect(eventually { number.now != 0 })
      let thread = number.now, low = OperationInheritTests.low, isRaised = DispatchQoS.granted.raisesOwners
      #expect(Threads.niceness(ofThread: thread) == low)
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        waitUntilEmpty(queue)
        ended.signal()
      }
      // The operation's thread is preferred as far as the kernel permits, and the queue raised.
      #expect(eventually { Threads.niceness(ofThread: thread) == (isRaised ? own : low) && sched_getscheduler(thread) == 0 })
      #expect(eventually { queue.lock.withLock { queue.innards.ownQueue }?.askedClass == .standard })
      goesOn.with { $0 = true }
      #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      #expect(trail.niceness == Array(repeating: own, count: 20))
      OperationInheritTests.expectAllUndone([queue])
      #expect(eventually { Threads.niceness(ofThread: thread).map { $0 == low } ?? true })
    }
  }

  @Test("The thread that runs the operation is preferred until the wait is over")
  func running() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let own = OperationInheritTests.niceness, queue = OperationInheritTests.makeQueue()
      let (number, goesOn) = (Box<Int32>(0), Box(false))
      let operation = BlockOperation {
        number.with { $0 = ThreadSlot.kernelID() }
        OperationInheritTests.stay(until: goesOn)
      }
      queue.addOperation(operation)
      #expect(eventually { number.now != 0 })
      let thread = number.now, low = OperationInheritTests.low, isRaised = DispatchQoS.granted.raisesOwners
      // Another that depends on it: who waits for that waits for both.
      let next = BlockOperation {}
      next.addDependency(operation)
      queue.addOperation(next)
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        wait(for: next)
        ended.signal()
      }
      #expect(eventually { Threads.niceness(ofThread: thread) == (isRaised ? own : low) && sched_getscheduler(thread) == 0 })
      goesOn.with { $0 = true }
      #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      #expect(eventually { Threads.niceness(ofThread: thread).map { $0 == low } ?? true })
      OperationInheritTests.expectAllUndone([queue])
    }
  }

  @Test("Threads that wait for operations of all classes at the same time all go on, and nothing stays raised")
  func storm() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      let classes: [QualityOfService] = [.background, .utility, .default, .userInitiated]
      let queues = (0..<8).map { number -> OperationQueue in
        let queue = OperationQueue()
        queue.qualityOfService = classes[number % 4]
        if number > 3 { queue.maxConcurrentOperationCount = 1 }
        return queue
      }
      let ran = Box(0), ended = DispatchSemaphore(value: 0), rounds = 150
      for number in 0..<4 {
        Thread.detachNewThread {
          for round in 0..<rounds {
            let operations = (0..<3).map { _ in BlockOperation { ran.with { $0 += 1 } } }
            operations[1].addDependency(operations[0])
            operations[0].qualityOfService = classes[(round + number) % 4]
            for (place, operation) in operations.enumerated() {
              queues[(number + round + 3 * place) % 8].addOperation(operation)
            }
            if round % 3 == 0 { operations[2].cancel() }
            for operation in operations.reversed() { wait(for: operation) }
            if round % 10 == number { waitUntilEmpty(queues[round % 8]) }
          }
          ended.signal()
        }
      }
      for _ in 0..<4 { #expect(ended.wait(timeout: .now() + 100) == .success) }
      for queue in queues { waitUntilEmpty(queue) }
      #expect(ran.now >= 4 * rounds * 2)
      OperationInheritTests.expectAllUndone(queues)
    }
  }

  enum Kind: String, CaseIterable, Codable { case lock, recursive, condition, conditionLock }

  @Test(
    "The holder of one of Foundation's locks is preferred while a more urgent thread waits for it", arguments: Kind.allCases)
  func locks(kind: Kind) async {
    await #expect(processExitsWith: .success) { [kind] in
      alarm(500)
      let lock: any NSLocking =
        switch kind {
        case .lock: NSLock()
        case .recursive: NSRecursiveLock()
        case .condition: NSCondition()
        case .conditionLock: NSConditionLock(condition: 0)
        }
      nonisolated(unsafe) let shared = lock  // SAFETY: a lock is for all threads
      let own = OperationInheritTests.niceness
      let (number, unlocks, goesOn) = (Box<Int32>(0), Box(false), Box(false))
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global(qos: .background).async {
        shared.lock()
        number.with { $0 = ThreadSlot.kernelID() }
        OperationInheritTests.stay(until: unlocks)
        shared.unlock()
        OperationInheritTests.stay(until: goesOn)
        done.signal()
      }
      #expect(eventually { number.now != 0 })
      let thread = number.now, low = OperationInheritTests.low, isRaised = DispatchQoS.granted.raisesOwners
      #expect(Threads.niceness(ofThread: thread) == low)
      let passed = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        shared.lock()
        shared.unlock()
        passed.signal()
      }
      #expect(eventually { Threads.niceness(ofThread: thread) == (isRaised ? own : low) && sched_getscheduler(thread) == 0 })
      unlocks.with { $0 = true }
      #expect(passed.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      // The item goes on.
      #expect(eventually { Threads.niceness(ofThread: thread) == low && sched_getscheduler(thread) == 3 })
      goesOn.with { $0 = true }
      #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    }
  }
}
