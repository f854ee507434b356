// OperationTests.swift: operations: start against cancel, dependencies against ends, waits for an end, and the queue that runs them.
import SignalboxClasses
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct OperationTests {
  init() { LockTuning.rounds = 0 }

  @Test("An operation is started and cancelled: it finishes, and its block has run once or not at all")
  func startAndCancel() throws {
    try expectAll {
      let number = Number(), operation = Box(BlockOperation { number.add() })
      race({ operation.it.start() }, { operation.it.cancel() })
      try require(operation.it.isFinished, "it is not finished")
      try require(number.read() <= 1, "it has run \(number.read()) times")
    }
  }

  @Test("Who waits for an operation sees what it did, and is not forgotten")
  func waited() throws {
    try expectSome {
      let number = Number(), saw = Saw(), operation = Box(BlockOperation { number.add() })
      race(
        { operation.it.start() },
        {
          operation.it.waitUntilFinished()
          saw.values = [number.read()]
        })
      try require(saw.values == [1], "\(saw.values)")
    }
  }

  @Test("A dependency ends while it is added: the dependent is ready in the end")
  func dependencyEnds() throws {
    try expectSome {
      let first = Box(BlockOperation {}), second = Box(BlockOperation {})
      race({ first.it.start() }, { second.it.addDependency(first.it) })
      try require(second.it.isReady, "it waits for what has finished")
      second.it.removeDependency(first.it)
    }
  }

  @Test("A dependency ends while it is taken away: it is counted off once")
  func dependencyIsRemoved() throws {
    try expectAll {
      let first = Box(BlockOperation {}), second = Box(BlockOperation {}), third = Box(BlockOperation {})
      second.it.addDependency(first.it)
      second.it.addDependency(third.it)
      race({ first.it.start() }, { second.it.removeDependency(first.it) })
      try require(!second.it.isReady, "the other dependency is gone as well")
      third.it.start()
      try require(second.it.isReady, "it waits for what has finished")
    }
  }

  @Test("A dependent is let go of while what it depends on ends: nobody touches it")
  func dependentGoes() throws {
    try expectAll {
      let first = Box(BlockOperation {})
      let second = BlockOperation {}
      second.addDependency(first.it)
      let lent = Unmanaged.passRetained(second)
      let held = Held(lent)
      race({ first.it.start() }, { held.release() })
    }
  }

  @Test("Operations of a queue run after those they depend on, and see what these did")
  func queueWithDependency() throws {
    try expectSome {
      let queue = OperationQueue(), number = Number(), saw = Saw()
      let first = Box(BlockOperation { number.add() }), second = Box(BlockOperation { saw.values = [number.read()] })
      second.it.addDependency(first.it)
      race({ queue.addOperation(second.it) }, { queue.addOperation(first.it) })
      queue.waitUntilAllOperationsAreFinished()
      try require(saw.values == [1], "\(saw.values)")
    }
  }

  @Test("An operation in a queue is cancelled while its dependency ends: it leaves the queue")
  func cancelledInQueue() throws {
    try expectSome {
      let queue = OperationQueue(), first = Box(BlockOperation {}), second = Box(BlockOperation {})
      second.it.addDependency(first.it)
      queue.addOperation(second.it)
      race({ first.it.start() }, { second.it.cancel() })
      queue.waitUntilAllOperationsAreFinished()
      try require(second.it.isFinished, "it is not finished")
    }
  }

  @Test("Two threads add to a queue that runs one operation at a time: they run one after the other")
  func oneAtATime() throws {
    try expectSome {
      let queue = OperationQueue(), guarded = Guarded()
      queue.maxConcurrentOperationCount = 1
      let add: @Sendable () -> Void = { queue.addOperation { guarded.add() } }
      race(add, add)
      queue.waitUntilAllOperationsAreFinished()
      try guarded.expect(2)
    }
  }
}

/// An operation for several threads.
private final class Box: @unchecked Sendable {
  // SAFETY of @unchecked: an operation may be used by any thread.
  let it: SignalboxClasses.Operation
  init(_ operation: SignalboxClasses.Operation) { it = operation }
}

/// A reference that one thread lets go of.
private final class Held: @unchecked Sendable {
  // SAFETY of @unchecked: released once, by one thread.
  private let reference: Unmanaged<BlockOperation>
  init(_ reference: Unmanaged<BlockOperation>) { self.reference = reference }
  func release() { reference.release() }
}
