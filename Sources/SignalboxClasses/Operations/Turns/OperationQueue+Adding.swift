// OperationQueue+Adding.swift: how operations come into the queue. How they get their turn is OperationQueue+Ready.swift; README.md says
// why none is forgotten.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension OperationQueue {
  final var bits: UInt64 { Lent(self).address }

  /// Whether it lies behind a barrier.
  final func add(_ operation: Operation) -> Bool {
    passPoint(.operationsAdded, self)
    let isReady = admit(operation)
    var isBehindBarrier = false
    telling([.operations, .operationCount]) { isBehindBarrier = link(operation, isReady: isReady) }
    // It may have become ready since: the thread that made it so did not find it linked.
    if !isReady { operation.offerToQueue() }
    askReluctant()
    return isBehindBarrier
  }

  /// Many, a number of them at a time; `eachQueued` is called with each before the next is queued. Whether some lie behind a barrier.
  final func add(all operations: [Operation], eachQueued: (Operation) -> Void) -> Bool {
    var isBehindBarrier = false
    if isObserved {
      for operation in operations {
        if add(operation) { isBehindBarrier = true }
        eachQueued(operation)
      }
      return isBehindBarrier
    }
    passPoint(.operationsAdded, self)
    var rest = operations[...]
    while !rest.isEmpty {
      let some = rest.prefix(UInt64.bitWidth)
      var ready: UInt64 = 0
      for (index, operation) in some.enumerated() {
        if admit(operation) { ready |= 1 << UInt64(index) }
        eachQueued(operation)
      }
      if link(some, ready: ready) { isBehindBarrier = true }
      for (index, operation) in some.enumerated() where ready >> UInt64(index) & 1 == 0 { operation.offerToQueue() }
      rest = rest.dropFirst(some.count)
    }
    askReluctant()
    return isBehindBarrier
  }

  /// Makes the operation one of the queue's; whether it is ready.
  private final func admit(_ operation: Operation) -> Bool {
    // release O6: the queue as it is made, to O5. And the queue first, then the state that says it has one: a thread
    // that sees this state sees the queue.
    let isFirst = operation.queueBits.casAcqRel(0, bits).exchanged
    let action = isFirst ? operation.update { $0.afterQueued() } : .refuseQueued
    switch action {
    case .queued: break
    case .refuseQueued: refuse(operation, "is in a queue or was in one", "make a new operation for each run")
    case .refuseExecuting: refuse(operation, "executes", "add it before it is started, and do not start it yourself")
    case .refuseFinished: refuse(operation, "is finished", "make a new operation for each run")
    }
    let isReady = operation.isReady
    if Events.areWanted(.operationAdded) { OperationEvents.added(operation, to: self, isReady: isReady) }
    return isReady
  }

  /// One that no other code knows, listed already.
  final func add(new operation: Operation) {
    passPoint(.operationsAdded, self)
    operation.queueBits.storeRelaxed(bits)  // relaxed: published by the lock
    if Events.areWanted(.operationAdded) { OperationEvents.added(operation, to: self, isReady: true) }
    telling([.operations, .operationCount]) { _ = link(operation, isReady: true) }
    askReluctant()
  }

  /// What was added behind the last barrier before it and waits for dependencies.
  final func add(barrier: Operation) -> [Operation] {
    passPoint(.operationBarrierAdded, self)
    barrier.queueBits.storeRelaxed(bits)  // relaxed: published by the lock
    if Events.areWanted(.operationAdded) { OperationEvents.added(barrier, to: self, isReady: true) }
    let (asked, stuck) = lock.withLock { () -> (Int, [Operation]) in
      keepSelfIfEmpty()
      let stuck = stuckAssumingLocked()
      append(barrier)
      barrier.links.epoch = shape.addBarrier()
      barrier.links.place = .held
      listDueBarrier()
      return (shape.runnersToAsk(), stuck)
    }
    submitRunners(asked)
    return stuck
  }

  /// What was added behind the last barrier and waits for dependencies.
  private final func stuckAssumingLocked() -> [Operation] {
    guard pending > 0 || facts.hint()[QueueFacts.lateDependencies] == 1 else { return [] }
    var stuck: [Operation] = []
    var next = last?.kept
    while let here = next, !here.state.isBarrier {
      if here.isStuck { stuck.append(here) }
      next = here.links.previous?.kept
    }
    return stuck
  }

  private final func refuse(_ operation: Operation, _ what: String, _ cure: String) -> Never {
    Misuse.stop("\(operation.title) is added to \(title), but \(what): \(cure)")
  }

  /// Whether it lies behind a barrier.
  private final func link(_ operation: Operation, isReady: Bool) -> Bool {
    let (asked, isBehindBarrier) = lock.withLock { () -> (Int, Bool) in
      linkAssumingLocked(operation, isReady: isReady)
      return (shape.runnersToAsk(), shape.barriers > 0)
    }
    submitRunners(asked)
    return isBehindBarrier
  }

  /// `ready`: a bit for each of them. Whether they lie behind a barrier.
  private final func link(_ operations: ArraySlice<Operation>, ready: UInt64) -> Bool {
    let (asked, isBehindBarrier) = lock.withLock { () -> (Int, Bool) in
      for (index, operation) in operations.enumerated() {
        linkAssumingLocked(operation, isReady: ready >> UInt64(index) & 1 == 1)
      }
      return (shape.runnersToAsk(), shape.barriers > 0)
    }
    submitRunners(asked)
    return isBehindBarrier
  }

  @inline(__always) private final func linkAssumingLocked(_ operation: Operation, isReady: Bool) {
    guard operation.links.place == .outside else { return }  // a subclass has finished it meanwhile
    keepSelfIfEmpty()
    append(operation)
    operation.links.epoch = shape.add()
    operation.links.place = .pending
    pending += 1
    if isReady { list(operation) }
  }

  // A queue with operations has a reference to itself.
  private final func keepSelfIfEmpty() { if shape.isEmpty { _ = Unmanaged.passUnretained(self).retain() } }

  private final func append(_ operation: Operation) {
    let reference = Lent(Unmanaged.passRetained(operation))
    giveTurn(to: operation)
    operation.links.previous = last
    if let last { last.use { $0.links.next = reference } } else { first = reference }
    last = reference
  }
}
