// Submission.swift: giving closures, C functions and work objects to queues. Making work objects: Blocks.swift.
//
// In all of them a nil queue or work object stops the program, and any thread may call.
import SignalboxDispatch

// MARK: and going on at once

/// Submits `block` to `queue` and returns at once.
@preconcurrency
public func dispatch_async(_ queue: dispatch_queue_t?, _ block: consuming @escaping dispatch_block_t) {
  present(queue).async(execute: block)
}

/// Submits a call of `work` with `context` to `queue` and returns at once.
public func dispatch_async_f(
  _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?, _ work: @escaping dispatch_function_t
) {
  present(queue).async(CWork(work, context))
}

/// Submits `block` to `queue` as a barrier and returns at once.
@preconcurrency
public func dispatch_barrier_async(_ queue: dispatch_queue_t?, _ block: consuming @escaping dispatch_block_t) {
  present(queue).async(flags: .barrier, execute: block)
}

/// Submits a call of `work` with `context` to `queue` as a barrier and
/// returns at once.
public func dispatch_barrier_async_f(
  _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?, _ work: @escaping dispatch_function_t
) {
  present(queue).async(CWork(work, context), group: nil, isBarrier: true)
}

// MARK: and waiting

/// Runs `block` on `queue` and returns when it has ended. It runs on the calling thread, unless `queue` belongs to the main
/// thread. Calling this from an item of the same serial queue is a deadlock and stops the program.
public func dispatch_sync(_ queue: dispatch_queue_t?, _ block: () -> Void) { present(queue).sync(execute: block) }

/// Calls `work` with `context` on `queue` and returns when it has ended; see `dispatch_sync`.
public func dispatch_sync_f(_ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t) {
  present(queue).sync { CWork(work, context).run() }
}

/// Runs `block` on `queue`, as a barrier, and returns when it has ended; see
/// `dispatch_sync`.
public func dispatch_barrier_sync(_ queue: dispatch_queue_t?, _ block: () -> Void) {
  present(queue).sync(flags: .barrier, execute: block)
}

/// Calls `work` with `context` on `queue`, as a barrier, and returns when it has
/// ended; see `dispatch_sync`.
public func dispatch_barrier_sync_f(
  _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  present(queue).sync(flags: .barrier) { CWork(work, context).run() }
}

/// Runs `block` on `queue` and returns when it has ended, on the thread that runs the queue's items, or on this one.
public func dispatch_async_and_wait(_ queue: dispatch_queue_t?, _ block: () -> Void) {
  present(queue).asyncAndWait(execute: block)
}

/// Calls `work` with `context` on `queue` and returns when it has ended; see `dispatch_async_and_wait`.
public func dispatch_async_and_wait_f(
  _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  present(queue).asyncAndWait { CWork(work, context).run() }
}

/// Runs `block` on `queue`, as a barrier, and returns when it has ended; see
/// `dispatch_async_and_wait`.
public func dispatch_barrier_async_and_wait(_ queue: dispatch_queue_t?, _ block: () -> Void) {
  present(queue).asyncAndWait(flags: .barrier, execute: block)
}

/// Calls `work` with `context` on `queue`, as a barrier, and returns when it has
/// ended; see `dispatch_async_and_wait`.
public func dispatch_barrier_async_and_wait_f(
  _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?, _ work: dispatch_function_t
) {
  present(queue).asyncAndWait(flags: .barrier) { CWork(work, context).run() }
}

// MARK: work objects, which say themselves whether they are barriers

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
