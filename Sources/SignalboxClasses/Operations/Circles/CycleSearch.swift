// CycleSearch.swift: a walk over operations that wait for one another, one edge at a time. What starts it is OperationCycle.swift.
import SignalboxSystem

/// Looks for the operation it began with, along what that one waits for (up) or along what waits for it (down).
struct CycleSearch {
  enum Step {
    case goOn, end
    case found([Operation])
  }
  enum Direction { case up, down }

  private let start: Operation
  private let direction: Direction
  private let overBarriers: Bool
  private var waiting: [Operation]
  private var here: Operation
  private var edges: [Operation] = []
  private var index = 0
  /// How each was reached.
  private var from: [ObjectIdentifier: Operation] = [:]
  /// Queues with barriers that were met, and those of them that have more to show.
  private var walks: [ObjectIdentifier: BarrierWalk] = [:]
  private var active: [BarrierWalk] = []

  init(from start: Operation, _ direction: Direction, overBarriers: Bool) {
    (self.start, self.direction, self.overBarriers) = (start, direction, overBarriers)
    (here, waiting) = (start, [start])
  }

  mutating func step() -> Step {
    guard index < edges.count else { return nextEdges() }
    let other = edges[index]
    index += 1
    if other === start { return .found(path()) }
    guard from[ObjectIdentifier(other)] == nil else { return .goOn }
    from[ObjectIdentifier(other)] = here
    waiting.append(other)
    return .goOn
  }

  private mutating func nextEdges() -> Step {
    index = 0
    if let walk = active.last {
      (here, edges) = (walk.cause, walk.next(seeking: start))
      if walk.isDone { active.removeLast() }
      return .goOn
    }
    guard let next = waiting.popLast() else { return .end }
    (here, edges) = (next, direction == .up ? next.heldUpBy(overBarriers) : next.stuckDependents())
    if overBarriers { walkBarriers(of: next) }
    return .goOn
  }

  /// `operation` is behind a barrier, or before one: what is on the other side is to be looked at.
  private mutating func walkBarriers(of operation: Operation) {
    guard let (queue, epoch) = direction == .up ? operation.behindBarrier : operation.beforeBarrier else { return }
    if let walk = walks[ObjectIdentifier(queue)] {
      guard walk.extend(epoch, operation) else { return }
      if !active.contains(where: { $0 === walk }) { active.append(walk) }
    } else {
      let walk = BarrierWalk(queue, direction, epoch, operation)
      walks[ObjectIdentifier(queue)] = walk
      active.append(walk)
    }
  }

  /// From the start to `here`.
  private func path() -> [Operation] {
    var path: [Operation] = []
    var next = here
    while next !== start, let before = from[ObjectIdentifier(next)] {
      path.append(next)
      next = before
    }
    return [start] + path.reversed()
  }
}

/// What lies on the other side of a queue's barriers, a few operations at a time: from the front up to an epoch, or from the back
/// down to one.
private final class BarrierWalk {
  private let queue: OperationQueue
  private let isForward: Bool
  private var limit: UInt32
  /// The last that was looked at; kept, so that its links tell whether it is still in the queue.
  private var last: Operation?
  private(set) var isDone = false
  /// Who waits for what is met, or whom that waits for.
  private(set) var cause: Operation

  init(_ queue: OperationQueue, _ direction: CycleSearch.Direction, _ limit: UInt32, _ cause: Operation) {
    (self.queue, isForward, self.limit, self.cause) = (queue, direction == .up, limit, cause)
  }

  /// The operation at `epoch` sees further than those before; false if it does not.
  func extend(_ epoch: UInt32, _ cause: Operation) -> Bool {
    guard isForward ? limit.precedes(epoch) : epoch.precedes(limit) else { return false }
    (limit, self.cause, isDone) = (epoch, cause, false)
    return true
  }

  /// Of the next 64 those that matter: that wait for dependencies, or that others depend on.
  func next(seeking start: Operation) -> [Operation] {
    let before = last  // goes outside of the lock
    defer { _ = consume before }
    return queue.lock.withLock {
      var found: [Operation] = []
      for _ in 0..<64 {
        guard let operation = successorAssumingLocked, isInside(operation) else {
          isDone = true
          break
        }
        last = operation
        if operation === start || matters(operation) { found.append(operation) }
      }
      return found
    }
  }

  private var successorAssumingLocked: Operation? {
    // One that has left has no links: from the end again, what was seen is known to the search.
    guard let last, last.links.place != .left else { return (isForward ? queue.first : queue.last)?.kept }
    return (isForward ? last.links.next : last.links.previous)?.kept
  }

  private func isInside(_ operation: Operation) -> Bool {
    isForward ? operation.links.epoch.precedes(limit) : limit.precedes(operation.links.epoch)
  }

  private func matters(_ operation: Operation) -> Bool {
    let state = operation.state
    return !state.isBarrier && state.isWaiting && (isForward ? !state.isReady : state[OperationState.dependents] == 1)
  }
}

extension UInt32 {
  /// As numbers of barriers, which may come round to 0.
  fileprivate func precedes(_ other: UInt32) -> Bool { Int32(bitPattern: self &- other) < 0 }
}

extension Operation {
  /// What it depends on and that is held up itself.
  fileprivate final func heldUpBy(_ overBarriers: Bool) -> [Operation] {
    let state = state
    return state.isCancelled || !state.isWaiting ? [] : needed().filter { $0.isHeldUp(overBarriers) }
  }

  /// Its queue, and how many barriers were added before it, if one of them is left.
  final var behindBarrier: (queue: OperationQueue, epoch: UInt32)? { place { $0.epoch != $1.links.epoch } }
  /// The same if there are barriers behind it.
  final var beforeBarrier: (queue: OperationQueue, epoch: UInt32)? { place { $0.lastEpoch != $1.links.epoch } }

  private final func place(
    _ condition: (OperationQueueState, Operation) -> Bool
  ) -> (queue: OperationQueue, epoch: UInt32)? {
    var found: (OperationQueue, UInt32)?
    withQueue { queue in
      queue.lock.withLock {
        guard queue.shape.barriers > 0, links.place != .outside, links.place != .left else { return }
        if condition(queue.shape, self) { found = (queue, links.epoch) }
      }
    }
    return found
  }

  /// The barrier that it lies behind, and `other` before, in the queue of both.
  final func barrier(after other: Operation) -> (Operation, OperationQueue)? {
    guard let (queue, _) = behindBarrier, !other.state.isFinished else { return nil }
    return queue.lock.withLock {
      guard links.place != .left, other.links.epoch.precedes(links.epoch) else { return nil }
      var next = links.previous
      while let here = next?.kept {
        if here.state.isBarrier { return (here, queue) }
        next = here.links.previous
      }
      return nil
    }
  }
}
