// OperationRaises.swift: what a thread raises that waits for operations of a less urgent class: the dispatch queues that run them, and the threads
// that do. How these are raised is SignalboxDispatch's.
//
// Known is what is there as the wait begins: the operation, what it depends on and what those depend on, up to 1,000 of them; of each queue that
// one of them is in, the operations that run (64 of them), since they may have its places; of a queue that is waited for, all of its
// operations count as awaited. A dependency that is added later is not known, nor what an operation waits for in `main()` beyond what
// its thread says of it, nor what runs elsewhere after `start()` has returned.
import Foundation
import SignalboxDispatch
import SignalboxSystem
import SignalboxWords

struct OperationRaises {
  static let mostOperations = 1_000, mostRunning = 64

  private let raising: Raising
  private var seen: Set<ObjectIdentifier> = []
  private var queues: Set<ObjectIdentifier> = []
  private var waiting: [Operation] = []

  private init(_ raising: Raising) { self.raising = raising }

  /// The calling thread waits for `operation`.
  static func raise(_ operation: Operation, _ raising: Raising) {
    var raises = OperationRaises(raising)
    raises.enter(operation)
    raises.follow()
  }

  /// The calling thread waits until `queue` has no operations.
  static func raise(_ queue: OperationQueue, _ raising: Raising) {
    var raises = OperationRaises(raising)
    raises.addRunning(in: queue)
    for operation in queue.earliest(mostOperations) { raises.enter(operation) }
    raises.follow()
  }

  private mutating func enter(_ operation: Operation) {
    guard seen.count < Self.mostOperations, seen.insert(ObjectIdentifier(operation)).inserted else { return }
    waiting.append(operation)
  }

  private mutating func follow() {
    while let operation = waiting.popLast() {
      let state = operation.state
      if state.isFinished { continue }
      if state.isExecuting { addThread(of: operation) }
      for need in operation.openNeeds { enter(need) }
      if let queue = operation.lock.withLock({ operation.queueReference?.kept }) { add(operation, in: queue, state) }
    }
  }

  private mutating func add(_ operation: Operation, in queue: OperationQueue, _ state: OperationState) {
    if state.isWaiting, let place = queue.dispatchQueue(for: state), queues.insert(ObjectIdentifier(place)).inserted {
      raising.add(place)
    }
    addRunning(in: queue)
  }

  /// The queue's places are taken by these.
  private mutating func addRunning(in queue: OperationQueue) {
    guard queues.insert(ObjectIdentifier(queue)).inserted else { return }
    for operation in queue.started(atMost: Self.mostRunning) { addThread(of: operation) }
  }

  private func addThread(of operation: Operation) {
    let runner = operation.runner.loadRelaxed()  // relaxed: a name, through which nothing is read
    if runner != 0 { raising.add(threadOf: runner) }
  }
}

extension OperationQueue {
  /// Where an operation in this state will run; nil: nowhere that is known.
  fileprivate final func dispatchQueue(for state: OperationState) -> DispatchQueue? {
    carrier == nil ? lock.withLock { dispatchQueueAssumingLocked(for: state) } : nil
  }

  /// Those that were added first, barriers included.
  fileprivate final func earliest(_ most: Int) -> [Operation] {
    lock.withLock {
      var found: [Operation] = []
      var next = first
      while let here = next, found.count < most {
        next = here.use {
          found.append($0)
          return $0.links.next
        }
      }
      return found
    }
  }

  /// Those that the queue has started and that have not finished.
  fileprivate final func started(atMost most: Int) -> [Operation] {
    lock.withLock {
      var found: [Operation] = []
      var next = shape.running > 0 ? first : nil
      // They are among the first mostly; the whole list is not searched for the rest.
      var left = 16 * most
      while let here = next, found.count < min(most, shape.running), left > 0 {
        left -= 1
        next = here.use {
          if $0.links.place == .started { found.append($0) }
          return $0.links.next
        }
      }
      return found
    }
  }
}
