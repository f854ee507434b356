// Groups.swift: sets of work that can be waited for. Any thread may call; a nil queue stops the program.
import SignalboxDispatch

/// Creates a group without members.
public func dispatch_group_create() -> dispatch_group_t { DispatchGroup() }

/// Submits `block` to `queue` as a member of `group`; it leaves the group when it has ended.
@preconcurrency
public func dispatch_group_async(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ block: consuming @escaping dispatch_block_t
) {
  present(queue).async(group: group, execute: block)
}

/// Submits a call of `work` with `context` to `queue` as a member of `group`; it leaves the group when it has ended.
public func dispatch_group_async_f(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  present(queue).async(CWork(work, context), group: group, isBarrier: false)
}

/// Blocks until the group has no members, or until `timeout` has passed.
///
/// - Returns: 0 if the group is empty, non-zero on timeout; its members then keep running.
@discardableResult
public func dispatch_group_wait(_ group: dispatch_group_t, _ timeout: dispatch_time_t) -> Int {
  group.wait(Deadline(timeout)).number
}

/// Submits `block` to `queue` when the group has no members; at once if it is empty.
@preconcurrency
public func dispatch_group_notify(_ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ block: @escaping dispatch_block_t) {
  group.notify(queue: present(queue), execute: block)
}

/// Submits a call of `work` with `context` to `queue` when the group has no members; at once if it is empty.
public func dispatch_group_notify_f(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  group.notify(queue: present(queue), CWork(work, context))
}

/// Enters the group; each call needs one matching `dispatch_group_leave`.
public func dispatch_group_enter(_ group: dispatch_group_t) { group.enter() }

/// Leaves the group. One call too many stops the program.
public func dispatch_group_leave(_ group: dispatch_group_t) { group.leave() }

extension DispatchTimeoutResult {
  /// As C's functions return it: 0 in time, -1 too late.
  var number: Int { self == .success ? 0 : -1 }
}
