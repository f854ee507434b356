// Workloops.swift: queues that order by quality of service. No header of the toolchain declares these functions, its library
// exports them.
import CSignalboxABI
import SignalboxDispatch

/// A workloop, active; the caller owns a reference.
@c(dispatch_workloop_create)
public func dispatch_workloop_create(_ label: UnsafePointer<CChar>?) -> Handle? { make(label, []) }

/// A workloop that waits for `dispatch_activate`.
@c(dispatch_workloop_create_inactive)
public func dispatch_workloop_create_inactive(_ label: UnsafePointer<CChar>?) -> Handle? { make(label, .initiallyInactive) }

private func make(_ label: UnsafePointer<CChar>?, _ attributes: DispatchWorkloop.Attributes) -> Handle? {
  DispatchWorkloop(label: label.map { String(cString: $0) } ?? "", attributes: attributes).created
}

extension Optional where Wrapped == UnsafeMutableRawPointer {
  /// The workloop, lent for the call; any other queue stops the program.
  fileprivate func workloop(_ function: StaticString = #function) -> Unmanaged<DispatchWorkloop> {
    let queue = queue(function)
    guard queue.lend({ $0 is DispatchWorkloop }) else {
      CFaceSupport.stop("\(function.cName) was given queue \"\(queue.lend { $0.label })\", which is no workloop")
    }
    return .fromOpaque(queue.toOpaque())
  }
}

/// Accepted before activation: Linux has no autorelease pools.
@c(dispatch_workloop_set_autorelease_frequency)
public func dispatch_workloop_set_autorelease_frequency(_ workloop: Handle?, _ frequency: UInt) {
  workloop.workloop().lend { $0.checkIsInactive("dispatch_workloop_set_autorelease_frequency") }
}

/// The least urgent that its items count as; before activation only. An unknown class is none.
@c(dispatch_workloop_set_qos_class_floor)
public func dispatch_workloop_set_qos_class_floor(
  _ workloop: Handle?, _ qos_class: UInt32, _ relative_priority: Int32, _ flags: UInt64
) {
  workloop.workloop().lend {
    $0.setFloor(DispatchQoS(qosClass: qosClass(qos_class), relativePriority: 0), "dispatch_workloop_set_qos_class_floor")
  }
}

/// What items without a class count as; before activation only. An unknown class is none.
@c(dispatch_workloop_set_qos_class)
public func dispatch_workloop_set_qos_class(_ workloop: Handle?, _ qos_class: UInt32, _ flags: UInt64) {
  workloop.workloop().lend { $0.setClass(qosClass(qos_class)) }
}

private func qosClass(_ number: UInt32) -> DispatchQoS.QoSClass { DispatchQoS(number, 0)?.qosClass ?? .unspecified }

/// Accepted before activation, from 1 to 100 percent: Linux lets no thread bind itself to a share of a processor.
@c(dispatch_workloop_set_cpupercent)
public func dispatch_workloop_set_cpupercent(_ workloop: Handle?, _ percent: UInt8, _ refillms: UInt32) {
  workloop.workloop().lend { $0.checkIsInactive("dispatch_workloop_set_cpupercent") }
  guard (1...100).contains(percent) else {
    CFaceSupport.stop("dispatch_workloop_set_cpupercent was given \(percent) percent: give 1 to 100")
  }
}

/// Whether the caller runs on that workloop, directly or through queues that target it.
@c(dispatch_workloop_is_current)
public func dispatch_workloop_is_current(_ workloop: Handle?) -> Bool {
  workloop.queue().lend { $0.isWorkloop && $0.isCurrent }
}

/// The workloop that the caller runs on, with a reference for the caller; NULL outside of workloops.
@c(dispatch_workloop_copy_current)
public func dispatch_workloop_copy_current() -> Handle? { DispatchWorkloop.currentWorkloop?.created }

/// Whether something more urgent than the running item waits on the caller's workloop.
@c(_dispatch_workloop_should_yield_4NW)
public func _dispatch_workloop_should_yield_4NW() -> Bool { DispatchWorkloop.currentWorkloop?.holdsMoreUrgent ?? false }
