// CurrentQueue.swift: "am I on this queue?", answered by stopping the program if not, or by a word that the queue keeps
// under a key. Also handing over the main thread.
//
// A nil queue stops the program as well. Any thread may call.
import SignalboxDispatch

// MARK: assertions, which unlike assertions proper are always on; the main thread

/// Stops the program unless the calling code runs as an item of `queue` or of a queue that targets it, directly or through the
/// item that is waiting for this one. For the main queue, running on the main thread is enough.
public func dispatch_assert_queue(_ queue: dispatch_queue_t?) {
  dispatchPrecondition(condition: .onQueue(present(queue)))
}

/// Stops the program unless `dispatch_assert_queue` would return and the running item excludes all others of `queue`.
public func dispatch_assert_queue_barrier(_ queue: dispatch_queue_t?) {
  dispatchPrecondition(condition: .onQueueAsBarrier(present(queue)))
}

/// Stops the program where `dispatch_assert_queue` would return.
public func dispatch_assert_queue_not(_ queue: dispatch_queue_t?) {
  dispatchPrecondition(condition: .notOnQueue(present(queue)))
}

/// The same as `dispatch_assert_queue` in debug builds; does nothing in release builds.
public func dispatch_assert_queue_debug(_ queue: dispatch_queue_t?) { assert(holds { dispatch_assert_queue(queue) }) }

/// The same as `dispatch_assert_queue_barrier` in debug builds; does nothing in release builds.
public func dispatch_assert_queue_barrier_debug(_ queue: dispatch_queue_t?) {
  assert(holds { dispatch_assert_queue_barrier(queue) })
}

/// The same as `dispatch_assert_queue_not` in debug builds; does nothing in release builds.
public func dispatch_assert_queue_not_debug(_ queue: dispatch_queue_t?) { assert(holds { dispatch_assert_queue_not(queue) }) }

private func holds(_ check: () -> Void) -> Bool {
  check()
  return true
}

/// Runs the main queue on the main thread and never returns. Call it on the main thread.
public func dispatch_main() -> Never { dispatchMain() }

// MARK: words that queues keep under keys

/// Stores `context` with `queue` under `key`, replacing the previous one.
///
/// - Parameters:
///   - queue: any queue; nil stops the program.
///   - key: an address that serves as a unique key, such as that of a global variable; nothing behind it is read. Nil has no
///     effect.
///   - context: nil removes the stored one.
///   - destructor: called with `context` on the default global queue when it is replaced or the queue is gone; nil if there is
///     nothing to do. Ignored if `context` is nil.
public func dispatch_queue_set_specific(
  _ queue: dispatch_queue_t?, _ key: UnsafeRawPointer?, _ context: UnsafeMutableRawPointer?,
  _ destructor: dispatch_function_t?
) {
  guard let key else { return }
  present(queue).setRawSpecific(key: key, value: context, destructor: destructor)
}

/// The context stored with `queue` itself under `key`; nil if there is none.
public func dispatch_queue_get_specific(_ queue: dispatch_queue_t?, _ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  guard let key else { return nil }
  return present(queue).rawSpecific(key: key)
}

/// The context stored under `key` with the queue whose item is running, or else with the nearest queue along its targets; nil
/// if there is none, and outside of items.
public func dispatch_get_specific(_ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  guard let key else { return nil }
  return DispatchQueue.currentRawSpecific(key: key)
}
