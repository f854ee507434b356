// Queues.swift: getting hold of queues, and asking what they are.
import CSignalboxABI
import SignalboxDispatch

/// A queue made this way may be retargeted while active, unless its attributes say otherwise.
@c(dispatch_queue_create)
public func dispatch_queue_create(_ label: UnsafePointer<CChar>?, _ attr: Handle?) -> Handle? {
  let attribute = Attribute(attr)
  return make(label, attribute, target: nil, isLegacy: attribute.allowsRetargeting)
}

/// A queue whose target stays, unless it is made inactive.
@c(dispatch_queue_create_with_target)
public func dispatch_queue_create_with_target(
  _ label: UnsafePointer<CChar>?, _ attr: Handle?, _ target: Handle?
) -> Handle? {
  make(label, Attribute(attr), target: target.map { _ in target.queue() }, isLegacy: false)
}

private func make(
  _ label: UnsafePointer<CChar>?, _ attribute: Attribute, target: Unmanaged<DispatchQueue>?, isLegacy: Bool
) -> Handle? {
  let text = label.flatMap { String(validatingCString: $0) }
  let queue = DispatchQueue(
    cLabel: text ?? label.map { String(cString: $0) } ?? "", isConcurrent: attribute.isConcurrent,
    isInactive: attribute.isInactive, isLegacy: isLegacy, qos: attribute.qos, target: target?.takeUnretainedValue())
  if let label, text == nil { CLabel.keep(label, at: queue) }
  return queue.createdPlain
}

/// NULL for an unknown identifier, and for flags other than 0 and 2 (overcommit, which every serial queue of ours has).
@c(dispatch_get_global_queue)
public func dispatch_get_global_queue(_ identifier: Int, _ flags: UInt) -> Handle? {
  guard flags == 0 || flags == 2 else { return nil }
  let qos: DispatchQoS.QoSClass
  switch identifier {
  case 2: qos = .userInitiated
  case 0: qos = .default
  case -2: qos = .utility
  case -32768: qos = .background
  default:
    guard let number = UInt32(exactly: identifier), let known = DispatchQoS(number, 0) else { return nil }
    qos = known.qosClass
  }
  return DispatchQueue.global(qos: qos).handle
}

/// The queue whose item is running, else a global one. Deprecated, as it was.
@c(dispatch_get_current_queue)
public func dispatch_get_current_queue() -> Handle? { (DispatchQueue.current ?? DispatchQueue.global()).handle }

/// NULL asks for the queue whose item is running.
@c(dispatch_queue_get_label)
public func dispatch_queue_get_label(_ queue: Handle?) -> UnsafePointer<CChar>? {
  guard queue != nil else { return CLabel.ofCurrent() ?? CLabel.empty }
  return queue.queue().lend { CLabel.of($0) }
}

/// The class and rank given at creation.
@c(dispatch_queue_get_qos_class)
public func dispatch_queue_get_qos_class(_ queue: Handle?, _ relative_priority: UnsafeMutablePointer<Int32>?) -> UInt32 {
  let qos = queue.queue().lend { $0.qos }
  relative_priority?.pointee = Int32(clamping: qos.relativePriority)
  return qos.qosClass.rawValue
}

/// How many items of a concurrent queue may run at once; negative numbers ask for as many as there are processors.
@c(dispatch_queue_set_width)
public func dispatch_queue_set_width(_ queue: Handle?, _ width: Int) {
  queue.queue().lend { queue in
    if queue.setWidth(width) { return }
    CFaceSupport.stop(
      "dispatch_queue_set_width was given queue \"\(queue.label)\": only a concurrent queue of the program's own has a width; create "
        + "it with DISPATCH_QUEUE_CONCURRENT")
  }
}

// MARK: specific values

/// Keeps a word under an address; the destructor runs on the default global queue. A NULL key is ignored.
@c(dispatch_queue_set_specific)
public func dispatch_queue_set_specific(
  _ queue: Handle?, _ key: UnsafeRawPointer?, _ value: UnsafeMutableRawPointer?,
  _ destructor: Function?
) {
  guard let key else { return }
  queue.queue().lend { $0.setRawSpecific(key: key, value: value, destructor: destructor) }
}

/// The word that the queue itself keeps under an address.
@c(dispatch_queue_get_specific)
public func dispatch_queue_get_specific(_ queue: Handle?, _ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  key.flatMap { key in queue.queue().lend { $0.rawSpecific(key: key) } }
}

/// The word that the current queue, or else its target, and so on, keeps under an address.
@c(dispatch_get_specific)
public func dispatch_get_specific(_ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  key.flatMap { DispatchQueue.currentRawSpecific(key: $0) }
}

// MARK: assertions

/// The header: an explanation, and the end of the program.
private func check(_ predicate: DispatchPredicate, _ function: StaticString = #function) {
  guard let problem = predicate.problem else { return }
  CFaceSupport.stop("\(function.cName) failed: \(problem)\n  \(CFaceSupport.whereabouts)")
}

/// Stops the program unless the caller runs on the queue.
@c(dispatch_assert_queue)
public func dispatch_assert_queue(_ queue: Handle?) {
  check(.onQueue(queue.queue().takeUnretainedValue()))
}

/// Stops the program unless the caller runs alone on the queue.
@c(dispatch_assert_queue_barrier)
public func dispatch_assert_queue_barrier(_ queue: Handle?) {
  check(.onQueueAsBarrier(queue.queue().takeUnretainedValue()))
}

/// Stops the program if the caller runs on the queue.
@c(dispatch_assert_queue_not)
public func dispatch_assert_queue_not(_ queue: Handle?) {
  check(.notOnQueue(queue.queue().takeUnretainedValue()))
}
