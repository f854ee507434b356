// Submission+Blocks.swift: giving work objects to queues; they say themselves whether they are barriers. Making them: Blocks.swift.
//
// In all of them a nil queue or work object stops the program, and any thread may call.
import SignalboxDispatch

/// Submits `block` to `queue` and returns at once. It does not run if it is cancelled by then.
public func dispatch_async(_ queue: dispatch_queue_t?, _ block: dispatch_block_object_t?) {
  present(queue).async(execute: present(block))
}

/// Submits `block` to `queue` as a barrier and returns at once.
public func dispatch_barrier_async(_ queue: dispatch_queue_t?, _ block: dispatch_block_object_t?) {
  Engine.async(present(queue), barrier: present(block))
}

/// Runs `block` on `queue` and returns when it has ended; see `dispatch_sync` with a closure.
public func dispatch_sync(_ queue: dispatch_queue_t?, _ block: dispatch_block_object_t?) {
  present(queue).sync(execute: present(block))
}

/// Runs `block` on `queue`, as a barrier, and returns when it has ended.
public func dispatch_barrier_sync(_ queue: dispatch_queue_t?, _ block: dispatch_block_object_t?) {
  Engine.sync(present(queue), barrier: present(block))
}

/// Runs `block` on `queue` and returns when it has ended, on the thread that runs the queue's items, or on this one.
public func dispatch_async_and_wait(_ queue: dispatch_queue_t?, _ block: dispatch_block_object_t?) {
  present(queue).asyncAndWait(execute: present(block))
}

/// Submits `block` to `queue` when `when` has passed; see `dispatch_after` with a closure.
public func dispatch_after(_ when: dispatch_time_t, _ queue: dispatch_queue_t?, _ block: dispatch_block_object_t?) {
  // The raw form says by itself which of the three clocks it is on.
  present(queue).asyncAfter(deadline: DispatchTime(rawValue: when), execute: present(block))
}

/// Submits `block` to `queue` as a member of `group`; it leaves the group when it has ended.
public func dispatch_group_async(_ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ block: dispatch_block_object_t?) {
  present(queue).async(group: group, execute: present(block))
}

/// Submits `block` to `queue` when `group` has no members; see `dispatch_group_notify` with a closure.
public func dispatch_group_notify(_ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ block: dispatch_block_object_t?) {
  group.notify(queue: present(queue), work: present(block))
}

/// Submits `notification_block` to `queue` when `block` has run or was skipped as cancelled; see `dispatch_block_notify`.
public func dispatch_block_notify(
  _ block: dispatch_block_object_t?, _ queue: dispatch_queue_t?, _ notification_block: dispatch_block_object_t?
) {
  present(block).notify(queue: present(queue), execute: present(notification_block))
}
