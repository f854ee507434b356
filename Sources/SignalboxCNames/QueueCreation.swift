// QueueCreation.swift: getting hold of queues, those that order by quality of service too, and asking what they are.
// Giving them work is Submission.swift.
import SignalboxDispatch

/// Creates a queue.
///
/// - Parameters:
///   - label: a name for debugging, which is copied; nil means an empty name.
///   - attr: the kind of queue; nil means `DISPATCH_QUEUE_SERIAL`.
/// - Returns: a queue on the default target. Unless it was made inactive or with an autorelease frequency, it may be
///   retargeted by `dispatch_set_target_queue` even while it is active.
/// - Note: Thread safety: any thread.
public func dispatch_queue_create(_ label: UnsafePointer<CChar>?, _ attr: dispatch_queue_attr_t?) -> dispatch_queue_t {
  let attr = attr ?? dispatch_queue_attr_t()
  return Engine.makeQueue(label, attr, target: nil, allowsRetargeting: attr.allowsRetargeting)
}

/// Creates a queue with a given target.
///
/// - Parameters:
///   - label: a name for debugging, which is copied; nil means an empty name.
///   - attr: the kind of queue; nil means `DISPATCH_QUEUE_SERIAL`. Its service class takes precedence over that of a global
///     target.
///   - target: where the queue's items run; nil means the default target.
/// - Returns: a queue that cannot be retargeted, except before it is activated if it was made inactive.
/// - Note: Thread safety: any thread.
public func dispatch_queue_create_with_target(
  _ label: UnsafePointer<CChar>?, _ attr: dispatch_queue_attr_t?, _ target: dispatch_queue_t?
) -> dispatch_queue_t {
  Engine.makeQueue(label, attr ?? dispatch_queue_attr_t(), target: target, allowsRetargeting: false)
}

/// The queue whose items run on the main thread, one at a time, once the program calls `dispatch_main` or drains it.
public func dispatch_get_main_queue() -> dispatch_queue_main_t { DispatchQueue.main }

/// One of the process's shared concurrent queues.
///
/// - Parameters:
///   - identifier: one of the `DISPATCH_QUEUE_PRIORITY_` constants, or the value of a `QOS_CLASS_` constant.
///   - flags: 0.
/// - Returns: nil if there is no such queue, or if `flags` is not 0. A variable set from this is an optional that every
///   function here accepts.
/// - Note: Thread safety: any thread.
public func dispatch_get_global_queue(_ identifier: Int, _ flags: UInt) -> dispatch_queue_global_t! {
  guard flags == 0 else { return nil }
  switch identifier {
  case DISPATCH_QUEUE_PRIORITY_HIGH: return DispatchQueue.global(qos: .userInitiated)
  case DISPATCH_QUEUE_PRIORITY_DEFAULT: return DispatchQueue.global(qos: .default)
  case DISPATCH_QUEUE_PRIORITY_LOW: return DispatchQueue.global(qos: .utility)
  case DISPATCH_QUEUE_PRIORITY_BACKGROUND: return DispatchQueue.global(qos: .background)
  default:
    guard let number = qos_class_t(exactly: identifier), let qos = DispatchQoS.QoSClass(rawValue: number) else { return nil }
    return DispatchQueue.global(qos: qos)
  }
}

/// The process's shared concurrent queue of one service class.
///
/// - Parameters:
///   - identifier: one of the `QOS_CLASS_` constants; `QOS_CLASS_UNSPECIFIED` gives the default queue.
///   - flags: 0.
/// - Returns: nil if there is no such queue, or if `flags` is not 0.
/// - Note: Thread safety: any thread.
public func dispatch_get_global_queue(_ identifier: dispatch_qos_class_t, _ flags: UInt) -> dispatch_queue_global_t! {
  dispatch_get_global_queue(Int(identifier), flags)
}

/// The queue whose item is running. For debugging and logs only: its identity does not show whether a `sync` would deadlock.
///
/// - Returns: outside of any item, the main queue on the main thread and the default global queue elsewhere.
/// - Note: Thread safety: any thread.
public func dispatch_get_current_queue() -> dispatch_queue_t { Engine.currentQueue() }

/// The label given at creation; empty if there was none.
///
/// - Parameter queue: nil (`DISPATCH_CURRENT_QUEUE_LABEL`) asks for the queue whose item is running.
/// - Returns: a C string that stays valid as long as the queue lives.
/// - Complexity: the first call for a queue copies its label; later ones return the copy.
/// - Note: Thread safety: any thread.
public func dispatch_queue_get_label(_ queue: dispatch_queue_t?) -> UnsafePointer<CChar> {
  guard let queue = queue ?? DispatchQueue.current else { return CLabel.empty }
  return CLabel.of(queue)
}

/// The service class given at creation.
///
/// - Parameters:
///   - queue: a queue; nil stops the program.
///   - relative_priority_ptr: where to store the relative priority; may be nil.
/// - Returns: one of the `QOS_CLASS_` constants, `QOS_CLASS_UNSPECIFIED` if there was none.
/// - Note: Thread safety: any thread.
public func dispatch_queue_get_qos_class(
  _ queue: dispatch_queue_t?, _ relative_priority_ptr: UnsafeMutablePointer<Int32>?
) -> dispatch_qos_class_t {
  let qos = present(queue).qos
  relative_priority_ptr?.pointee = Int32(clamping: qos.relativePriority)
  return qos.qosClass.rawValue
}

// MARK: queues that order by quality of service: making them, setting them up

/// Creates an active workloop.
///
/// - Parameter label: a name for debugging, which is copied; nil means an empty name.
/// - Note: Thread safety: any thread. `dispatch_sync` on a workloop stops the program: use `dispatch_async_and_wait`.
public func dispatch_workloop_create(_ label: UnsafePointer<CChar>?) -> dispatch_workloop_t {
  DispatchWorkloop(label: label.map { String(cString: $0) } ?? "")
}

/// Creates a workloop that is inactive until `dispatch_activate`.
public func dispatch_workloop_create_inactive(_ label: UnsafePointer<CChar>?) -> dispatch_workloop_t {
  DispatchWorkloop(label: label.map { String(cString: $0) } ?? "", attributes: .initiallyInactive)
}

/// Accepted only before the workloop is activated, and ignored: Linux has no autorelease pools.
public func dispatch_workloop_set_autorelease_frequency(
  _ workloop: dispatch_workloop_t?, _ frequency: dispatch_autorelease_frequency_t
) { present(workloop).checkIsInactive("dispatch_workloop_set_autorelease_frequency") }
