// Groups.swift: sets of work that can be waited for. Any thread may call; a nil queue stops the program.
import SignalboxDispatch

/// A new group without members.
public func dispatch_group_create() -> dispatch_group_t { DispatchGroup() }

/// Lets `block` run on `queue` later as a member of `group`, which it leaves when it has ended.
@preconcurrency
public func dispatch_group_async(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ block: consuming @escaping dispatch_block_t
) {
  present(queue).async(group: group, execute: block)
}

/// Lets `work` be called with `context` on `queue` later as a member of `group`, which it leaves when it has ended.
public func dispatch_group_async_f(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  present(queue).async(CWork(work, context), group: group, isBarrier: false)
}

/// Returns when the group has no members, at the latest when `timeout` is reached.
///
/// - Returns: 0 if the group is empty, another value if the time came first; its members then keep running.
@discardableResult
public func dispatch_group_wait(_ group: dispatch_group_t, _ timeout: dispatch_time_t) -> Int {
  group.wait(Deadline(timeout)).number
}

/// Lets `block` run on `queue` once the group has no members: at once if it has none now.
@preconcurrency
public func dispatch_group_notify(_ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ block: @escaping dispatch_block_t) {
  group.notify(queue: present(queue), execute: block)
}

/// Lets `work` be called with `context` on `queue` once the group has no members: at once if it has none now.
public func dispatch_group_notify_f(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  group.notify(queue: present(queue), CWork(work, context))
}

/// Adds a member by hand; each call needs one `dispatch_group_leave`.
public func dispatch_group_enter(_ group: dispatch_group_t) { group.enter() }

/// Takes a member away by hand. One call too many stops the program.
public func dispatch_group_leave(_ group: dispatch_group_t) { group.leave() }

extension DispatchTimeoutResult {
  /// As C's functions return it: 0 in time, -1 too late.
  var number: Int { self == .success ? 0 : -1 }
}
