// Monitor.swift: one value under a POSIX lock, to wait on with a deadline. Built on neither library under test; what the
// tests say with it is in Witnesses.swift.
import Glibc

/// A value that threads share; waiting for a state of it always has an end.
// SAFETY: the value is touched only with the lock held; lock and condition live exactly as long as the monitor.
final class Monitor<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Reads the value, or changes it and tells those who wait.
  func access<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(lock)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(lock)
    }
    return try body(&value)
  }

  /// Waits until `condition` holds; false when it still does not after `seconds`.
  func wait(seconds: Int, until condition: (Value) -> Bool) -> Bool {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    deadline.tv_sec += seconds
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while !condition(value) {
      if pthread_cond_timedwait(changed, lock, &deadline) == ETIMEDOUT { return condition(value) }
    }
    return true
  }
}
