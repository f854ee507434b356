// OperationQueue+Run.swift: how operations come into the queue, get their turn, and leave. What may start now is
// OperationQueueState.swift; README.md says why none is forgotten.
import Foundation
import SignalboxDiagnosis
import SignalboxSystem

extension OperationQueue {
  final var bits: UInt64 { UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }

  // MARK: in

  final func add(_ operation: Operation) {
    let isReady = admit(operation)
    var isBehindBarrier = false
    telling([.operations, .operationCount]) { isBehindBarrier = link(operation, isReady: isReady) }
    OperationCycle.check(queued: operation, isBehindBarrier: isBehindBarrier)
    // It may have become ready since: whoever made it so did not find it linked.
    if !isReady { operation.offerToQueue() }
    askReluctant()
  }

  /// Many, a number of them at a time.
  final func add(all operations: [Operation]) {
    if isObserved { return operations.forEach { add($0) } }
    var rest = operations[...]
    while !rest.isEmpty {
      let some = rest.prefix(UInt64.bitWidth)
      var ready: UInt64 = 0
      for (index, operation) in some.enumerated() where admit(operation) { ready |= 1 << UInt64(index) }
      let isBehindBarrier = link(some, ready: ready)
      for operation in some { OperationCycle.check(queued: operation, isBehindBarrier: isBehindBarrier) }
      for (index, operation) in some.enumerated() where ready >> UInt64(index) & 1 == 0 { operation.offerToQueue() }
      rest = rest.dropFirst(some.count)
    }
    askReluctant()
  }

  /// Makes the operation one of the queue's; whether it is ready.
  private final func admit(_ operation: Operation) -> Bool {
    // The queue first, then the state that says it has one: who sees the state sees the queue.
    let isFirst = operation.queueBits.casAcqRel(0, bits).exchanged
    let action = isFirst ? operation.update { $0.afterQueued() } : .refuseQueued
    switch action {
    case .queued: break
    case .refuseQueued: refuse(operation, "is in a queue or was in one", "make a new operation for each run")
    case .refuseExecuting: refuse(operation, "executes", "add it before it is started, and do not start it yourself")
    case .refuseFinished: refuse(operation, "is finished", "make a new operation for each run")
    }
    return operation.isReady
  }

  /// One that nobody else knows, listed already.
  final func add(new operation: Operation) {
    operation.queueBits.storeRelaxed(bits)  // relaxed: published by the lock
    telling([.operations, .operationCount]) { _ = link(operation, isReady: true) }
    askReluctant()
  }

  final func add(barrier: Operation) {
    barrier.queueBits.storeRelaxed(bits)  // relaxed: published by the lock
    OperationCycle.noteBarrier()
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
    OperationCycle.check(barred: stuck)
  }

  /// What was added behind the last barrier and waits for dependencies.
  private final func stuckAssumingLocked() -> [Operation] {
    guard pending > 0 || facts.loadRelaxed() & Self.hasLateDependencies != 0 else { return [] }
    var stuck: [Operation] = []
    var next = last?.takeUnretainedValue()
    while let here = next, !here.state.isBarrier {
      if here.isStuck { stuck.append(here) }
      next = here.links.previous?.takeUnretainedValue()
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
    let reference = Unmanaged.passRetained(operation)
    giveTurn(to: operation)
    operation.links.previous = last
    if let last { last._withUnsafeGuaranteedRef { $0.links.next = reference } } else { first = reference }
    last = reference
  }

  private final func unlink(_ operation: Operation) {
    let links = operation.links
    if let next = links.next {
      next._withUnsafeGuaranteedRef { $0.links.previous = links.previous }
    } else {
      last = links.previous
    }
    if let previous = links.previous {
      previous._withUnsafeGuaranteedRef { $0.links.next = links.next }
    } else {
      first = links.next
    }
    (operation.links.next, operation.links.previous) = (nil, nil)
  }

  // MARK: ready

  /// Operations of ours were found to be ready.
  final func offer(_ operations: UnsafeBufferPointer<Unmanaged<Operation>>) {
    let owes = OperationFrame.owes(self)
    let asked = lock.withLock { () -> Int in
      for operation in operations {
        operation._withUnsafeGuaranteedRef { if $0.links.place == .pending { list($0) } }
      }
      return owes ? 0 : shape.runnersToAsk()
    }
    submitRunners(asked)
  }

  /// Assumes the lock, and that it is pending.
  private final func list(_ operation: Operation) {
    guard operation.state.isListed || operation.moved({ $0.afterListed() }) else { return }
    pending -= 1
    if shape.isCurrent(operation.links.epoch) { makeReady(operation) } else { operation.links.place = .held }
  }

  private final func makeReady(_ operation: Operation) {
    operation.links.place = .ready
    let state = operation.state
    lists.insert(.passUnretained(operation))
    shape.listed(isUrgent: state.asksForService && noteUrgentAssumingLocked(state))
    readyHint.storeRelaxed(1)  // relaxed: a hint
  }

  /// Its priority may have changed: behind all others of the new one.
  final func reorder(_ operation: Operation) {
    lock.withLock {
      guard operation.links.place != .outside else { return }  // it gets its turn when it is linked
      if UInt64(operation.links.level) == operation.state[OperationState.priority] { return }
      let isListed = operation.links.place == .ready
      if isListed { lists.remove(.passUnretained(operation)) }
      giveTurn(to: operation)
      if isListed { lists.insert(.passUnretained(operation)) }
    }
  }

  /// The last of its priority.
  private final func giveTurn(to operation: Operation) {
    turns += 1
    operation.links.turn = turns
    operation.links.level = UInt8(operation.state[OperationState.priority])
  }

  /// Everything before the first barrier has left: nothing else is in the lists, and the barrier is the first of all.
  private final func listDueBarrier() {
    guard shape.barrierIsDue, let barrier = first else { return }
    barrier._withUnsafeGuaranteedRef { if $0.links.place == .held { makeReady($0) } }
  }

  /// What was held behind the barrier that has just left, up to the next one.
  private final func releaseHeld(from start: Unmanaged<Operation>?) {
    var next = start
    while let here = next {
      next = here._withUnsafeGuaranteedRef { operation in
        if operation.state.isBarrier { return nil }
        if operation.links.place == .held { makeReady(operation) }
        return operation.links.next
      }
    }
  }

  // MARK: runners

  final func submitRunners(_ count: Int) {
    guard count > 0 else { return }
    if let carrier {
      for _ in 0..<count { carrier { [self] in runSome(0, Self.anyRank) } }  // there never is another underlying queue
      return
    }
    let (place, generation) = lock.withLock { (runnersPlaceAssumingLocked(), innards.generation) }
    for _ in 0..<count { place.queue.async { [self] in runSome(generation, place.rank) } }
  }

  /// An item of the dispatch queue: starts operations one after another while there are any, for a while.
  private final func runSome(_ generation: UInt32, _ rank: UInt8) {
    guard var budget = arrive(generation) else { return }
    while true {
      while let (operation, elsewhere) = takeNext(generation, rank) {
        if let elsewhere {
          elsewhere.async { [self] in runOne(operation) }
        } else {
          perform(operation)
          operation.release()
        }
        budget -= 1
        if budget == 0 { return submitRunners(lock.withLock { shape.runnersToAsk() }) }
      }
      guard lingers(generation) else { return }
    }
  }

  /// How many operations the runner may start; nil if it was asked for before the underlying queue was set.
  private final func arrive(_ generation: UInt32) -> Int? {
    lock.withLock {
      guard generation == innards.generation else { return nil }
      shape.runnerCame()
      return shape.isBatching ? 64 : 1
    }
  }

  /// Stays for a moment with nothing to start: whoever adds an operation meanwhile saves a round through the pool. Whether there may
  /// be something.
  private final func lingers(_ generation: UInt32) -> Bool {
    guard Self.lingerPauses > 0 else { return false }
    let stays = lock.withLock { generation == innards.generation && shape.runnerStays() }
    guard stays else { return false }
    var left = Self.lingerPauses
    while left > 0, readyHint.loadRelaxed() == 0 {  // relaxed: asked again under the lock
      spinPause()
      left -= 1
    }
    // Even if nothing was seen: what came since has asked for nobody, because this runner was to look once more.
    guard arrive(generation) != nil else { return false }
    return lock.withLock { shape.mayStart > 0 }
  }
  /// About 2 us.
  private static let lingerPauses = Processors.available() > 1 ? 80 : 0

  /// An operation, +1, that a runner of another class of service has taken.
  private final func runOne(_ operation: Unmanaged<Operation>) {
    perform(operation)
    operation.release()
    submitRunners(lock.withLock { shape.runnersToAsk() })  // the look that was left to the thread that runs it
  }

  /// The next operation to start, +1, and where if its class of service is not `rank`, the runner's. Asks for another runner if
  /// there is still more. None for a runner on a queue that is the underlying one no more.
  private final func takeNext(_ generation: UInt32, _ rank: UInt8) -> (Unmanaged<Operation>, elsewhere: DispatchQueue?)? {
    typealias Taken = (Unmanaged<Operation>, elsewhere: DispatchQueue?)
    let (taken, asked) = lock.withLock { () -> (Taken?, Int) in
      guard generation == innards.generation, shape.start() else { return (nil, 0) }
      let operation = lists.takeFirst()!.retain()
      if shape.ready == 0 { readyHint.storeRelaxed(0) }  // relaxed: a hint
      let state = operation._withUnsafeGuaranteedRef { operation -> OperationState in
        operation.links.place = .started
        return operation.state
      }
      return ((operation, placeAssumingLocked(of: state, unless: rank)), shape.runnersToAsk())
    }
    submitRunners(asked)
    return taken
  }

  private final func perform(_ reference: Unmanaged<Operation>) {
    reference._withUnsafeGuaranteedRef { operation in
      guard operation.isReady else { return putBack(operation) }
      let me = ThreadSlot.owner()
      OperationFrame.inside(operation, of: .passUnretained(self)) { frame in
        frame.pointee.isRunner = true
        operation.runner.storeRelaxed(me)  // relaxed: for reports, and for this thread itself
        if operation.state.isWaiting { operation.start() }
        if operation.state.isFinished { return }
        if operation.isFinished { return operation.finishFromOutside() }  // a subclass that does not tell
        _ = operation.runner.casRelaxed(me, 0)  // it goes on elsewhere
      }
    }
  }

  /// It has got a new dependency since it was listed.
  private final func putBack(_ operation: Operation) {
    let asked = lock.withLock { () -> Int in
      guard operation.links.place == .started else { return 0 }
      operation.links.place = .pending
      pending += 1
      shape.unstart()
      _ = operation.moved { $0.afterUnlisted() }
      return shape.runnersToAsk()
    }
    submitRunners(asked)
    operation.offerToQueue()  // ready again since it was asked: whoever made it so found it listed
  }

  /// A thread of a queue is about to sleep although it owes its queue a look for the next operation: another is asked for.
  static func payRunner() {
    guard let frame = OperationFrame.innermost, frame.pointee.owesRunner, let queue = frame.pointee.queue else { return }
    frame.pointee.owesRunner = false
    queue._withUnsafeGuaranteedRef { queue in queue.submitRunners(queue.lock.withLock { queue.shape.runnersToAsk() }) }
  }

  // MARK: out

  /// The operation is finished. Returns the reference that the queue had, if it was linked.
  final func leave(_ operation: Operation) -> Unmanaged<Operation>? {
    var keeper: Unmanaged<Operation>?
    var isEmpty = false
    telling(operation.state.isBarrier ? [] : [.operations, .operationCount]) {
      let owes = OperationFrame.owes(self)
      var asked = 0
      var wakes = false
      lock.withLock {
        keeper = takeOut(operation)
        isEmpty = keeper != nil && shape.isEmpty
        if !owes { asked = shape.runnersToAsk() }
        wakes = isEmpty && hasSleepers
        if wakes { hasSleepers = false }
      }
      operation.lock.withLock { operation.queueBits.storeRelaxed(0) }  // relaxed: guarded by the lock
      submitRunners(asked)
      if wakes {
        _ = gate.addSeqCst(1)
        gate.wake(count: .max)
      }
    }
    askReluctant()
    if isEmpty { Unmanaged.passUnretained(self).release() }
    return keeper
  }

  /// Assumes the lock.
  private final func takeOut(_ operation: Operation) -> Unmanaged<Operation>? {
    let place = operation.links.place
    operation.links.place = .left
    if place == .outside { return nil }
    if place == .pending { pending -= 1 }
    if place == .ready {
      lists.remove(.passUnretained(operation))
      shape.unlisted()
    }
    let next = operation.links.next
    unlink(operation)
    if operation.state.isBarrier {
      shape.leaveBarrier(wasStarted: place == .started)
      releaseHeld(from: next)
    } else {
      shape.leave(epoch: operation.links.epoch, wasStarted: place == .started)
    }
    listDueBarrier()
    return .passUnretained(operation)
  }

  // MARK: waiting

  final func waitUntilEmpty() {
    if lock.withLock({ shape.isEmpty }) { return }
    LockHooks.waits(for: .operationQueue)
    OperationQueue.payRunner()
    OperationWaits.begin(for: self)
    defer { OperationWaits.end() }
    OperationWaits.check(self)
    OperationWaits.sleep {
      let ticket = gate.loadAcquire()
      let isEmpty = lock.withLock { () -> Bool in
        if !shape.isEmpty { hasSleepers = true }
        return shape.isEmpty
      }
      if isEmpty { return true }
      gate.park(expected: ticket)
      return false
    }
  }
}
