// Operation+Predecessors.swift: what must end before an operation may start: its dependencies, and in its queue what lies on the other side
// of a barrier. The one place that enumerates it, for three: the search for cycles (CycleSearch.swift) walks along it in both
// directions, the code that reports a cycle asks whether it still holds (OperationCycle.swift), and the search for
// stalls has all of it of one moment (OperationSnapshot.swift).
//
// The rule. An operation that has not begun waits for each of its dependencies that has not ended, unless it is cancelled. A barrier
// waits for everything before it in its queue; what lies behind a barrier waits for that, and so for everything before it.
import SignalboxSystem
import SignalboxWords

extension Operation {
  // MARK: dependencies

  /// The dependencies that must end before it may start; none if it is cancelled or has begun.
  final var openNeeds: [Operation] { state.waitsForNeeds ? needed { !$0.state.isSettled } : [] }

  /// Why it cannot start before `other` has ended; nil if that is not so, or not any more.
  final func reason(toAwait other: Operation) -> AwaitReason? {
    if state.waitsForNeeds, !other.state.isFinished, hasNeed(other) { return .dependency }
    return barrier(after: other).map { .barrier($0, of: $1) }
  }

  /// Why one operation waits for another.
  enum AwaitReason {
    /// It depends on it.
    case dependency
    /// This barrier of the queue of both lies between them.
    case barrier(Operation, of: OperationQueue)
  }

  // MARK: barriers

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
  private final func barrier(after other: Operation) -> (Operation, OperationQueue)? {
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

extension OperationState {
  /// Whether it has not begun, and dependencies count.
  fileprivate var waitsForNeeds: Bool { isWaiting && !isCancelled }
}

extension OperationQueueView {
  /// What the operation at `index` waits for in its queue: if `isBarrier`, everything back to the barrier before it; else that one.
  /// What lies before that barrier, that one waits for.
  func predecessors(at index: Int, isBarrier: Bool) -> ArraySlice<Operation> {
    operations[max(0, barriers[index])..<(isBarrier ? index : barriers[index] + 1)]
  }
}

/// What lies on the other side of a queue's barriers, a few operations at a time: from the front up to an epoch, or from the back
/// down to one.
final class BarrierWalk {
  private let queue: OperationQueue
  private let isForward: Bool
  private var limit: UInt32
  /// The last that was checked; kept, so that its links tell whether it is still in the queue.
  private var last: Operation?
  private(set) var isDone = false
  /// The operation that waits for what is met, or the one that what is met waits for.
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
