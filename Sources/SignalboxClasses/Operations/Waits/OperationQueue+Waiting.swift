// OperationQueue+Waiting.swift: how threads wait for a queue to be empty. Whether that can come is OperationWaits.swift.
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits

extension OperationQueue {
  final func waitUntilEmpty() {
    passPoint(.operationQueueWaitAsked, self)
    if lock.withLock({ shape.isEmpty }) { return }
    LockEvent.waits(for: .operationQueue)
    OperationQueue.payRunner()
    OperationWaits.begin(for: self)
    defer { OperationWaits.end() }
    OperationWaits.check(self)
    Raising.around({ OperationRaises.raise(self, $0) }) {
      OperationWaits.sleep {
        // acquire O8: pairs with O7 in Turns/OperationQueue+Leaving.swift: read before the lock, so a wake after our note changes it.
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
}
