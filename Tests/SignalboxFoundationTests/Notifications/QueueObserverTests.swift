// QueueObserverTests.swift: observers on our operation queues, where the toolchain's Foundation does otherwise or has no queue to
// give: which function a call means, and what a post does not wait for. What both do alike is in FoundationConformance.
import SignalboxFoundation
import SignalboxTestSupport
import Testing

extension Notification.Name { fileprivate static let news = Notification.Name("news") }

/// What happened, in order, by any thread.
private final class Notes: Sendable {
  private let lock = NSLock()
  private nonisolated(unsafe) var notes: [String] = []  // guarded by `lock`
  func add(_ note: String) { lock.withLock { notes.append(note) } }
  var all: [String] { lock.withLock { notes } }
}

@Suite("Notification observers on operation queues") struct QueueObserverTests {
  /// Runs `body` on a thread of its own, and says whether it has ended within a minute.
  private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      end.signal()
    }
    return end.wait(timeout: .now() + .seconds(Int(patience))) == .success
  }

  @Test("An observer's queue .main is our main queue")
  func main() {
    let (center, notes) = (NotificationCenter(), Notes())
    let token = center.addObserver(forName: .news, object: nil, queue: .main) { _ in
      dispatchPrecondition(condition: .onQueue(.main))
      notes.add("\(OperationQueue.current === OperationQueue.main)")
    }
    #expect(ends { center.post(name: .news, object: nil) })
    #expect(notes.all == ["true"])
    center.removeObserver(token)
  }

  @Test("A queue that may be none is taken, of our type or as a plain nil")
  func optional() {
    let (center, notes) = (NotificationCenter(), Notes())
    let queue = OperationQueue()
    let choices: [OperationQueue?] = [queue, nil]
    for choice in choices {
      let token = center.addObserver(forName: .news, object: nil, queue: choice) { _ in
        notes.add("\(OperationQueue.current === queue)")
      }
      center.post(name: .news, object: nil)
      center.removeObserver(token)
    }
    let token = center.addObserver(forName: .news, object: nil, queue: nil) { _ in notes.add("nil") }
    center.post(name: .news, object: nil)
    center.removeObserver(token)
    #expect(notes.all == ["true", "false", "nil"])
  }

  @Test("Who posts waits for the delivery alone, not for what else the queue has")
  func othersInTheQueue() {
    let (center, notes) = (NotificationCenter(), Notes())
    let queue = OperationQueue()
    let (never, behind) = (BlockOperation {}, BlockOperation {})
    behind.addDependency(never)
    queue.addOperation(behind)
    let token = center.addObserver(forName: .news, object: nil, queue: queue) { _ in notes.add("delivered") }
    #expect(ends { center.post(name: .news, object: nil) })
    #expect(notes.all == ["delivered"] && queue.operations == [behind])
    center.removeObserver(token)
    never.start()
    behind.waitUntilFinished()
  }

  @Test("Queues that are named without their type are ours", arguments: [true, false])
  func named(flag: Bool) {
    let (center, notes) = (NotificationCenter(), Notes())
    let queue = OperationQueue()
    let block: @Sendable (Notification) -> Void = { _ in
      notes.add("\(OperationQueue.current === queue) \(OperationQueue.current === OperationQueue.main)")
    }
    let observe = BlockOperation {
      let tokens = [
        center.addObserver(forName: .news, object: nil, queue: .current, using: block),
        center.addObserver(forName: .news, object: nil, queue: flag ? .current : .main, using: block),
      ]
      center.post(name: .news, object: nil)
      for token in tokens { center.removeObserver(token) }
    }
    queue.addOperations([observe], waitUntilFinished: true)
    #expect(notes.all.sorted() == ["\(flag) \(!flag)", "true false"].sorted())
  }

  @Test("A choice between a queue that is named without its type and none", arguments: [true, false])
  func namedOrNone(flag: Bool) {
    let (center, notes) = (NotificationCenter(), Notes())
    let tokens = [
      center.addObserver(forName: .news, object: nil, queue: flag ? .main : nil) { _ in
        notes.add("\(OperationQueue.current === OperationQueue.main)")
      },
      // Outside of operations there is no current queue.
      center.addObserver(forName: .news, object: nil, queue: .current) { _ in notes.add("no queue") },
      center.addObserver(forName: .news, object: nil, queue: nil) { _ in notes.add("none") },
    ]
    #expect(ends { center.post(name: .news, object: nil) })
    #expect(notes.all.sorted() == ["\(flag)", "no queue", "none"].sorted())
    for token in tokens { center.removeObserver(token) }
  }

  @Test("Queues of Foundation's type stay Foundation's business")
  func foundation() {
    let (center, notes) = (NotificationCenter(), Notes())
    let theirs: Foundation.OperationQueue? = Foundation.OperationQueue()
    let token = center.addObserver(forName: .news, object: nil, queue: theirs) { _ in
      notes.add("\(Foundation.OperationQueue.current === theirs)")
    }
    center.post(name: .news, object: nil)
    #expect(notes.all == ["true"])
    center.removeObserver(token)
  }

  @Test("The queue is kept as long as somebody observes on it")
  func keepsTheQueue() {
    let (center, notes) = (NotificationCenter(), Notes())
    weak var queue: OperationQueue?
    let token = { () -> any NSObjectProtocol in
      let new = OperationQueue()
      queue = new
      return center.addObserver(forName: .news, object: nil, queue: new) { _ in notes.add("delivered") }
    }()
    center.post(name: .news, object: nil)
    #expect(notes.all == ["delivered"] && queue != nil)
    center.removeObserver(token)
    #expect(eventually { queue == nil })  // its runner may be about to let it go
  }

  @Test("A delivery that is cancelled before its turn lets the poster go on")
  func cancelled() {
    let (center, notes) = (NotificationCenter(), Notes())
    let queue = OperationQueue()
    queue.isSuspended = true
    let token = center.addObserver(forName: .news, object: nil, queue: queue) { _ in notes.add("delivered") }
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      center.post(name: .news, object: nil)
      end.signal()
    }
    #expect(eventually { queue.operationCount > 0 })
    #expect(queue.operations.first?.name == "deliver news")
    queue.cancelAllOperations()
    queue.isSuspended = false
    #expect(end.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    #expect(notes.all.isEmpty)
    center.removeObserver(token)
  }
}
