// OperationThreadTests.swift: threads that begin inside of operations, and threads that end there.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxClasses

@Suite("Threads that start or exit inside operations") struct OperationThreadTests {
  // MARK: beginning

  /// Goes on in a thread of its own, as asynchronous operations do.
  private final class Detached: OwnState, @unchecked Sendable {
    let body: @Sendable (Detached) -> Void
    init(_ body: @escaping @Sendable (Detached) -> Void) {
      self.body = body
      super.init()
    }
    override func start() {
      super.start()
      Thread.detachNewThread { self.body(self) }
    }
  }

  @Test("A thread started by an asynchronous operation is inside of its queue until the operation is finished")
  func detached() {
    let queue = OperationQueue()
    let seen = Box<[Bool]>([])
    let ended = DispatchSemaphore(value: 0)
    queue.addOperation(
      Detached { operation in
        seen.with { $0.append(OperationQueue.current === queue) }
        Thread.detachNewThread {  // from there, too
          seen.with { $0.append(OperationQueue.current === queue) }
          operation.finish()
          seen.with { $0.append(OperationQueue.current == nil) }
          ended.signal()
        }
      })
    ended.wait()
    waitUntilEmpty(queue)
    #expect(seen.now == [true, true, true])
  }

  private final class Worker: NSObject, @unchecked Sendable {
    let seen = Box<OperationQueue?>(nil)
    let ended = DispatchSemaphore(value: 0)
    func work(_ argument: Any?) {
      seen.with { $0 = OperationQueue.current }
      ended.signal()
    }
  }

  @Test("A perform in the background is inside of the queue too, but an item of a dispatch queue is not")
  func others() {
    let queue = OperationQueue()
    let worker = Worker()
    let seen = Box<[Bool]>([])
    queue.addOperation {
      worker.performInBackground(Worker.work, with: nil)
      worker.ended.wait()
      seen.with { $0.append(worker.seen.now === queue) }
      onOwnThread { Job { _ in seen.with { $0.append(OperationQueue.current === queue) } }.start() }
      let item = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        seen.with { $0.append(OperationQueue.current == nil) }
        item.signal()
      }
      item.wait()
      DispatchQueue(label: "own").sync { seen.with { $0.append(OperationQueue.current === queue) } }
    }
    waitUntilEmpty(queue)
    #expect(seen.now == [true, true, true, true])
  }

  @Test("A thread started in an operation retains it only while it runs; one started elsewhere has none")
  func outside() {
    weak var gone: Job?
    let thread = Box<Thread?>(nil)
    do {
      let job = Job { _ in
        let made = Thread {}
        made.start()
        thread.with { $0 = made }
      }
      gone = job
      let queue = OperationQueue()
      queue.addOperation(job)
      waitUntilEmpty(queue)
    }
    #expect(eventually { thread.now!.isFinished && gone == nil })
    let seen = Box(true)
    onOwnThread { seen.with { $0 = OperationQueue.current == nil } }
    #expect(seen.now)
  }

  // MARK: ending

  @Test("An operation that ends the pool's thread stops the program, with the queue's name", arguments: [false, true])
  func exitOnPool(isAsynchronous: Bool) async {
    final class Leaving: OwnState, @unchecked Sendable {
      override func start() {
        super.start()
        Thread.exit()
      }
    }
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      [isAsynchronous = isAsynchronous as Bool] in
      let queue = OperationQueue()
      queue.name = "pictures"
      queue.addOperation(isAsynchronous ? Leaving() : Job { _ in Thread.exit() })
      _ = eventually { false }
    }
    expectStop(result, saying: "pictures", "an item's thread belongs to the pool. Return from the item instead")
  }

  @Test("An operation that ends a thread of the program's own is finished by that, and so is the one around it")
  func exitByHand() {
    let (outer, inner) = (Box<Job?>(nil), Job("inner") { _ in Thread.exit() })
    let ended = Box(false)
    let token = Thread { outer.now?.start() }
    outer.with {
      $0 = Job("outer") { _ in
        inner.start()
        ended.with { $0 = true }
      }
    }
    token.start()
    #expect(eventually { outer.now!.isFinished && inner.isFinished && token.isFinished })
    #expect(!ended.now)
  }

  @Test("pthread_exit in main() stops the program, since the operation can never be finished")
  func unannounced() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let queue = OperationQueue()
      queue.name = "pictures"
      queue.addOperation { pthread_exit(nil) }
      _ = eventually { false }
    }
    expectStop(
      result, saying: "thread \"pictures\" has ended inside of an operation, which can never be finished",
      "return from main() instead")
  }
}
