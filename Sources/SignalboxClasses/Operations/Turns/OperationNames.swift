// OperationNames.swift: what messages, reports and `print` call operations and their queues. The form of whole texts is ObjectText's.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxWaits
import SignalboxWords

extension Operation {
  /// How messages name it.
  final var title: String {
    let name = ifExtras { $0.name }.map { " \"\($0)\"" } ?? ""
    let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
    return "\(state.isBarrier ? "a barrier" : "operation")\(name) (\(type(of: self)) 0x\(String(address, radix: 16)))"
  }

  /// What `description` says.
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
  final var hexAddress: String { SignalboxClasses.hexAddress(of: self) }
  /// How messages name it.
  final var title: String { lock.withLock { titleAssumingLocked } }
  final var titleAssumingLocked: String {
    let name = innards.name.flatMap { $0.isEmpty ? nil : $0 }
    return "operation queue " + (name.map { "\"\($0)\"" } ?? "0x\(hexAddress)")
  }
  /// What the kernel and reports call its threads.
  final var labelAssumingLocked: String {
    innards.name.flatMap { $0.isEmpty ? nil : $0 } ?? "NSOperationQueue 0x\(hexAddress)"
  }

  /// What `description` says.
  final var text: String {
    let (name, count, isSuspended) = lock.withLock { (innards.name, shape.count, shape.isSuspended) }
    let facts = [count == 1 ? "1 operation" : "\(count) operations"] + (isSuspended ? ["suspended"] : [])
    return ObjectText.foundation(
      "\(type(of: self))", name, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), facts)
  }
}
