// Blocks.swift: work that can be waited for, observed and cancelled. Giving it to queues is Submission.swift.
//
// Any thread may call; a nil work object stops the program in all but the functions that make one.
import SignalboxDispatch

private let knownFlags =
  DISPATCH_BLOCK_BARRIER | DISPATCH_BLOCK_DETACHED | DISPATCH_BLOCK_ASSIGN_CURRENT | DISPATCH_BLOCK_NO_QOS_CLASS
  | DISPATCH_BLOCK_INHERIT_QOS_CLASS | DISPATCH_BLOCK_ENFORCE_QOS_CLASS

/// Creates a work object that runs `block`.
///
/// - Parameter flags: a sum of `DISPATCH_BLOCK_` constants, 0 for none.
/// - Parameter block: what each run of the object calls.
/// - Returns: nil if `flags` has other bits. It may be submitted or performed any number of times; waits and
///   notifications complete with its first run.
@preconcurrency
public func dispatch_block_create(
  _ flags: dispatch_block_flags_t, _ block: @escaping dispatch_block_t
) -> dispatch_block_object_t! {
  guard flags & ~knownFlags == 0 else { return nil }
  return DispatchWorkItem(flags: DispatchWorkItemFlags(rawValue: flags), block: block)
}

/// Creates a work object that runs `block`, with a service class and a relative priority.
///
/// - Parameters:
///   - flags: a sum of `DISPATCH_BLOCK_` constants, 0 for none.
///   - qos_class: one of the `QOS_CLASS_` constants; `QOS_CLASS_UNSPECIFIED` is the same as `DISPATCH_BLOCK_NO_QOS_CLASS`.
///   - relative_priority: from 0, the highest, down to `QOS_MIN_RELATIVE_PRIORITY`.
///   - block: what each run of the object calls.
/// - Returns: nil if a flag, the class or the priority is invalid.
@preconcurrency
public func dispatch_block_create_with_qos_class(
  _ flags: dispatch_block_flags_t, _ qos_class: dispatch_qos_class_t, _ relative_priority: Int32,
  _ block: @escaping dispatch_block_t
) -> dispatch_block_object_t! {
  guard flags & ~knownFlags == 0, let qos = DispatchQoS(qos_class, relative_priority) else { return nil }
  guard qos.qosClass != .unspecified else { return dispatch_block_create(flags | DISPATCH_BLOCK_NO_QOS_CLASS, block) }
  return DispatchWorkItem(qos: qos, flags: DispatchWorkItemFlags(rawValue: flags), block: block)
}

/// Runs `block` on the calling thread, as a temporary work object would.
public func dispatch_block_perform(_ flags: dispatch_block_flags_t, _ block: () -> Void) { block() }

/// Blocks until `block` has run once, or was skipped as cancelled, or until `timeout` has passed.
///
/// - Returns: 0 if it has ended, non-zero on timeout.
@discardableResult
public func dispatch_block_wait(_ block: dispatch_block_object_t?, _ timeout: dispatch_time_t) -> Int {
  present(block).wait(Deadline(timeout)).number
}

/// Submits `notification_block` to `queue` when `block` has run once, or was skipped as cancelled; at once if that has
/// happened.
@preconcurrency
public func dispatch_block_notify(
  _ block: dispatch_block_object_t?, _ queue: dispatch_queue_t?, _ notification_block: @escaping dispatch_block_t
) {
  present(block).notify(queue: present(queue), execute: notification_block)
}

/// Cancels `block`: every later run returns at once; a run in progress continues.
public func dispatch_block_cancel(_ block: dispatch_block_object_t?) { present(block).cancel() }

/// Whether `block` was cancelled: non-zero if it was, else 0.
public func dispatch_block_testcancel(_ block: dispatch_block_object_t?) -> Int { present(block).isCancelled ? 1 : 0 }
