// Operation+Description.swift: what `print` and reports show of operations and their queues. The form is ObjectText's.
import SignalboxDiagnosis
import SignalboxLocks

extension Operation {
  final var text: String {
    ObjectText.foundation(
      "\(type(of: self))", ifExtras { $0.name }, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), state.facts)
  }
}

extension OperationState {
  fileprivate var facts: [String] {
    let phase =
      isFinished ? "finished" : isExecuting ? "executing" : !isReady ? "waits for others" : isQueued ? "queued" : "ready"
    return [phase] + (isCancelled ? ["cancelled"] : []) + (isBarrier ? ["barrier"] : [])
  }
}

extension OperationQueue {
  final var text: String {
    let (name, count, isSuspended) = lock.withLock { (innards.name, shape.count, shape.isSuspended) }
    let facts = [count == 1 ? "1 operation" : "\(count) operations"] + (isSuspended ? ["suspended"] : [])
    return ObjectText.foundation(
      "\(type(of: self))", name, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), facts)
  }
}
