// Generic.swift: the names that C resolves by the type of their first argument, as overloads.
import SignalboxDispatch

/// `dispatch_block_wait`.
@discardableResult
public func dispatch_wait(_ object: dispatch_block_object_t?, _ timeout: dispatch_time_t) -> Int {
  dispatch_block_wait(object, timeout)
}

/// `dispatch_group_wait`.
@discardableResult
public func dispatch_wait(_ object: dispatch_group_t, _ timeout: dispatch_time_t) -> Int {
  dispatch_group_wait(object, timeout)
}

/// `dispatch_semaphore_wait`.
@discardableResult
public func dispatch_wait(_ object: dispatch_semaphore_t?, _ timeout: dispatch_time_t) -> Int {
  dispatch_semaphore_wait(object, timeout)
}

/// `dispatch_block_notify`.
@preconcurrency
public func dispatch_notify(
  _ object: dispatch_block_object_t?, _ queue: dispatch_queue_t?, _ notification_block: @escaping dispatch_block_t
) {
  dispatch_block_notify(object, queue, notification_block)
}

/// `dispatch_group_notify`.
@preconcurrency
public func dispatch_notify(
  _ object: dispatch_group_t, _ queue: dispatch_queue_t?, _ notification_block: @escaping dispatch_block_t
) {
  dispatch_group_notify(object, queue, notification_block)
}

/// `dispatch_block_cancel`.
public func dispatch_cancel(_ object: dispatch_block_object_t?) { dispatch_block_cancel(object) }

/// `dispatch_block_testcancel`.
public func dispatch_testcancel(_ object: dispatch_block_object_t?) -> Int { dispatch_block_testcancel(object) }

/// `dispatch_source_cancel`.
public func dispatch_cancel(_ object: dispatch_source_t?) { dispatch_source_cancel(object) }

/// `dispatch_source_testcancel`.
public func dispatch_testcancel(_ object: dispatch_source_t?) -> Int { dispatch_source_testcancel(object) }
