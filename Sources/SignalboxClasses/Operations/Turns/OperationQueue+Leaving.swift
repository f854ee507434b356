// OperationQueue+Leaving.swift: how a finished operation leaves its queue, and what may start because of that.
import SignalboxSystem
import SignalboxWaits

extension OperationQueue {
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
        // seq_cst O7 (a release would do): after the queue was found empty; pairs with O8 in Waits/OperationWaits.swift.
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
      lists.remove(Lent(operation))
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

  private final func unlink(_ operation: Operation) {
    let links = operation.links
    if let next = links.next {
      next.use { $0.links.previous = links.previous }
    } else {
      last = links.previous
    }
    if let previous = links.previous {
      previous.use { $0.links.next = links.next }
    } else {
      first = links.next
    }
    (operation.links.next, operation.links.previous) = (nil, nil)
  }
}
