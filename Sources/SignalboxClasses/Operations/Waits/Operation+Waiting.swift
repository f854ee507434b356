// Operation+Waiting.swift: how threads wait for an operation's end. Whether that can come is OperationWaits.swift.
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits

extension Operation {
  final func waitBase() {
    passPoint(.operationWaitAsked, self)
    if state.isSettled { return }
    // From inside of what follows from its end (an observer, say): it is finished, and the rest follows when this returns.
    if state.isFinished, runner.loadRelaxed() == ThreadSlot.owner() { return }  // relaxed: our own writing or nobody's business
    LockEvent.waits(for: .operation)
    OperationQueue.payRunner()
    if AdaptiveSpin.run(&ThreadSlot.current.pointee.wait_spin, limit: 2_000, { state.isSettled }) { return }
    OperationWaits.begin(for: self)
    defer { OperationWaits.end() }
    OperationWaits.check(self)
    Raising.around({ OperationRaises.raise(self, $0) }) {
      OperationWaits.sleep {
        // acquire O4: pairs with O3 in Turns/Operation+Run.swift: a ticket of after the wake comes with the settled state, so `moved` refuses.
        let ticket = gate.loadAcquire()
        guard moved({ $0.afterAskToWait() }) else { return true }
        gate.park(expected: ticket)
        return state.isSettled
      }
    }
  }
}
