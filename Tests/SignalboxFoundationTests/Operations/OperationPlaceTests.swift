// OperationPlaceTests.swift: where operations run and which queue is current: the main thread, blocks elsewhere, starts by hand.
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Where operations run and which queue is current") struct OperationPlaceTests {
  @Test("Operations of the main queue run on the main thread, in its order with other items")
  func mainQueue() async {
    let log = Box<[String]>([])
    OperationQueue.main.addOperation {
      log.with { $0.append("operation \(MainThreadHost.isMainThread) \(OperationQueue.current === OperationQueue.main)") }
    }
    DispatchQueue.main.async { log.with { $0.append("item") } }
    OperationQueue.main.addOperation { log.with { $0.append("operation") } }
    // The tests' own threads lend theirs to the main queue: none may be blocked meanwhile.
    _ = await eventuallyYielding { log.now.count >= 3 }
    #expect(log.now == ["operation true true", "item", "operation"])
  }

  @Test("All blocks of a block operation are inside of its queue")
  func blocks() {
    let queue = OperationQueue()
    let inside = Box<[Bool]>([])
    let operation = BlockOperation()
    let all = DispatchGroup()
    for _ in 0..<4 {
      all.enter()
      operation.addExecutionBlock {
        inside.with { $0.append(OperationQueue.current === queue) }
        all.leave()
        all.wait()
      }
    }
    queue.addOperation(operation)
    waitUntilEmpty(queue)
    #expect(inside.now == [true, true, true, true])
  }

  @Test("An operation started by hand inside of another is inside of that one's queue")
  func byHand() {
    let queue = OperationQueue()
    let seen = Box<[Bool]>([])
    Job { _ in seen.with { $0.append(OperationQueue.current === queue) } }.start()
    queue.addOperation {
      Job { _ in seen.with { $0.append(OperationQueue.current === queue) } }.start()
      seen.with { $0.append(OperationQueue.current === queue) }
    }
    waitUntilEmpty(queue)
    #expect(seen.now == [false, true, true])
  }

  @Test("The threads of a queue carry its name")
  func names() {
    let queue = OperationQueue()
    queue.name = "pictures"
    let label = Box("")
    queue.addOperation { label.with { $0 = Thread.current.name ?? "" } }
    waitUntilEmpty(queue)
    #expect(queue.underlyingQueue == nil)
    let own = DispatchQueue(label: "own", attributes: .concurrent)
    queue.underlyingQueue = own
    queue.addOperation { dispatchPrecondition(condition: .onQueue(own)) }
    waitUntilEmpty(queue)
    queue.underlyingQueue = nil
    #expect(queue.underlyingQueue == nil)
    queue.addOperation { dispatchPrecondition(condition: .notOnQueue(own)) }
    waitUntilEmpty(queue)
  }

  @Test("No thread of the former underlying queue takes an operation of the next one")
  func changedUnderlyingQueue() {
    let queue = OperationQueue()
    let queues = (0..<3).map { DispatchQueue(label: "\($0)", attributes: .concurrent) }
    let strays = Box(0)
    let key = DispatchSpecificKey<Int>()
    for (index, own) in queues.enumerated() { own.setSpecific(key: key, value: index) }
    for round in 0..<300 {
      let wanted = round % 4
      let own = wanted < 3 ? queues[wanted] : nil
      queue.underlyingQueue = own
      for _ in 0..<3 {
        queue.addOperation { if (DispatchQueue.getSpecific(key: key) ?? 3) != wanted { strays.with { $0 += 1 } } }
      }
      waitUntilEmpty(queue)
    }
    #expect(strays.now == 0)
  }

  @Test("A wait in a start() that goes on after super.start() does not hold up the queue")
  func tailOfStart() {
    final class Tail: Operation, @unchecked Sendable {
      let next: Operation
      init(_ next: Operation) {
        self.next = next
        super.init()
      }
      override func start() {
        super.start()
        wait(for: next)
      }
    }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let next = Job()
    queue.isSuspended = true
    queue.addOperation(Tail(next))
    queue.addOperation(next)
    queue.isSuspended = false
    waitUntilEmpty(queue)
    #expect(next.isFinished)
  }
}
