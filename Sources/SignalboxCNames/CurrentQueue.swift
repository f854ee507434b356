// Assertions.swift: "am I on this queue?" answered by stopping the program if not; and handing over the main thread.
//
// A nil queue stops the program as well. Any thread may call. Unlike assertions proper they are always on.
import SignalboxDispatch

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
