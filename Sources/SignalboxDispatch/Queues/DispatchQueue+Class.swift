// DispatchQueue+Class.swift: giving a queue its quality of service after it was made, as C may while the queue is inactive.
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// Sets the class and rank; the queue's items are served as that class's are, unless it has a target of its own.
  package final func setQoS(_ qos: DispatchQoS, _ function: String) {
    checkMaySetQoS(function)
    ownQoS = qos
    serveAs(qos.qosClass)
  }

  /// Sets what the queue's items are served as while it has no class of its own.
  package final func setQoSFallback(_ qosClass: DispatchQoS.QoSClass, _ function: String) {
    checkMaySetQoS(function)
    if ownQoS == .unspecified { serveAs(qosClass) }
  }

  private final func serveAs(_ qosClass: DispatchQoS.QoSClass) {
    guard let target, target.isRoot else { return }
    setTargetAssumingQuiet(GlobalQueues.queue(for: qosClass))
  }

  private final func checkMaySetQoS(_ function: String) {
    if isShared || isRunLoops {
      Misuse.stop("\(function) is called for \(title), whose class is fixed: use a queue of your own")
    }
    if isWorkloop {
      Misuse.stop(
        "\(function) is called for workloop \"\(name)\": dispatch_set_qos_class_floor is the call for workloops")
    }
    // relaxed: who sets a queue up and who activates it are ordered by the caller
    if state.hint()[QueueState.inactive] == 1 { return }
    Misuse.stop("\(function) is called for \(title) after it was activated: make it inactive, set it up, activate it")
  }
}
