// QueueSetup.swift: what the toolchain's library lets be set on a queue that exists already, and queues of run loops. No header
// declares these functions.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

/// Like `dispatch_queue_create`: Linux has no vouchers.
@c(dispatch_queue_create_with_accounting_override_voucher)
public func dispatch_queue_create_with_accounting_override_voucher(
  _ label: UnsafePointer<CChar>?, _ attr: Handle?, _ voucher: UnsafeMutableRawPointer?
) -> Handle? { dispatch_queue_create(label, attr) }

/// Gives a queue that was made without a label the caller's own string, which must live as long as it is the label; NULL takes
/// it away. No effect on main and global queues.
@c(dispatch_queue_set_label_nocopy)
public func dispatch_queue_set_label_nocopy(_ queue: Handle?, _ label: UnsafePointer<CChar>?) {
  queue.queue().lend { CLabel.lend(label, to: $0) }
}

// MARK: classes

/// Calls `body` with the queue behind a handle. Sources are accepted: their handlers run on their target's terms. Groups and
/// semaphores run nothing, so they have no class.
private func withQueue(_ object: Handle?, _ function: StaticString, _ body: (DispatchQueue) -> Void) {
  guard let reference = object.object(function) else { return }
  reference.lend { object in
    if let queue = object as? DispatchQueue { return body(queue) }
    guard object is DispatchGroup || object is DispatchSemaphore else { return }
    CFaceSupport.stop("\(function.cName) was given an object that runs nothing: give a queue or a source")
  }
}

/// A class and rank as given; none for a class that does not exist.
private func qos(_ number: UInt32, _ relativePriority: Int32) -> DispatchQoS {
  guard number != 0, let known = DispatchQoS(number, 0) else { return .unspecified }
  return DispatchQoS(qosClass: known.qosClass, relativePriority: Int(relativePriority))
}

/// The class and rank of an inactive queue; an unknown class is none.
@c(dispatch_set_qos_class)
public func dispatch_set_qos_class(_ object: Handle?, _ qos_class: UInt32, _ relative_priority: Int32) {
  withQueue(object, #function) { $0.setQoS(qos(qos_class, relative_priority), "dispatch_set_qos_class") }
}

/// The least urgent that the items of an inactive queue or workloop count as; an unknown class is none.
@c(dispatch_set_qos_class_floor)
public func dispatch_set_qos_class_floor(_ object: Handle?, _ qos_class: UInt32, _ relative_priority: Int32) {
  withQueue(object, #function) { $0.setFloor(qos(qos_class, relative_priority), "dispatch_set_qos_class_floor") }
}

/// What an inactive queue without a class is served as.
@c(dispatch_set_qos_class_fallback)
public func dispatch_set_qos_class_fallback(_ object: Handle?, _ qos_class: UInt32) {
  withQueue(object, #function) { $0.setQoSFallback(qos(qos_class, 0).qosClass, "dispatch_set_qos_class_fallback") }
}

// MARK: queues of run loops

/// A queue whose items run when `_dispatch_runloop_root_queue_perform_4CF` is called; NULL for flags other than 0, or when the
/// process has no descriptor left. A descriptor (eventfd) is opened with it, counts up when there is something to be performed,
/// and is closed with the queue; whoever wants to sleep on it has to find it himself, as with the toolchain's library.
@c(_dispatch_runloop_root_queue_create_4CF)
public func _dispatch_runloop_root_queue_create_4CF(_ label: UnsafePointer<CChar>?, _ flags: UInt) -> Handle? {
  guard flags == 0, let event = try? EventDescriptor() else { return nil }
  return RunLoopQueue(label: label.map { String(cString: $0) } ?? "", tell: { _ in event.signal() }).created
}

/// Runs the first pending item on the calling thread; true if there were more behind it.
@c(_dispatch_runloop_root_queue_perform_4CF)
public func _dispatch_runloop_root_queue_perform_4CF(_ queue: Handle?) -> Bool {
  runLoopQueue(queue, #function).lend { $0.perform() }
}

/// Nothing to be done: the queue's descriptor becomes readable for each item that is to be performed.
@c(_dispatch_runloop_root_queue_wakeup_4CF)
public func _dispatch_runloop_root_queue_wakeup_4CF(_ queue: Handle?) { _ = runLoopQueue(queue, #function) }

private func runLoopQueue(_ handle: Handle?, _ function: StaticString) -> Unmanaged<RunLoopQueue> {
  let queue = handle.queue(function)
  guard queue.lend({ $0 is RunLoopQueue }) else {
    CFaceSupport.stop(
      "\(function.cName) was given queue \"\(queue.lend { $0.label })\", which _dispatch_runloop_root_queue_create_4CF did not make"
    )
  }
  return .fromOpaque(queue.toOpaque())
}
