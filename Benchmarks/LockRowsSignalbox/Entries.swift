// Entries.swift: the locks that both libraries have under one name, in the bench's dress.
import BenchSupport

struct NSLockEntry: BenchLock {
  let lock = NSLock()
  @inline(__always) func around(_ body: () -> Void) {
    lock.lock()
    body()
    lock.unlock()
  }
}

struct NSRecursiveLockEntry: BenchLock {
  let lock = NSRecursiveLock()
  @inline(__always) func around(_ body: () -> Void) {
    lock.lock()
    body()
    lock.unlock()
  }
}

/// The inner of two takings: what it costs to take a lock again.
struct NestedRecursiveLockEntry: BenchLock {
  let lock = NSRecursiveLock()
  @inline(__always) func around(_ body: () -> Void) {
    lock.lock()
    lock.lock()
    body()
    lock.unlock()
    lock.unlock()
  }
}

struct NSConditionEntry: BenchLock {
  let lock = NSCondition()
  @inline(__always) func around(_ body: () -> Void) {
    lock.lock()
    body()
    lock.unlock()
  }
}

struct NSConditionLockEntry: BenchLock {
  let lock = NSConditionLock(condition: 0)
  @inline(__always) func around(_ body: () -> Void) {
    lock.lock()
    body()
    lock.unlock()
  }
}

/// The same until tomorrow: the toolchain's `lock()` stops the program when it has to wait (Differences/locks.json), so
/// where threads compete it cannot be measured.
struct DatedConditionLockEntry: BenchLock {
  let lock = NSConditionLock(condition: 0)
  let limit = Date(timeIntervalSinceNow: 86_400)
  @inline(__always) func around(_ body: () -> Void) {
    guard lock.lock(before: limit) else { return }
    body()
    lock.unlock()
  }
}

/// Asked for under a number, and given back with it.
struct NumberedConditionLockEntry: BenchLock {
  let lock = NSConditionLock(condition: 1)
  @inline(__always) func around(_ body: () -> Void) {
    lock.lock(whenCondition: 1)
    body()
    lock.unlock(withCondition: 1)
  }
}

struct SemaphoreEntry: BenchLock {
  let semaphore = DispatchSemaphore(value: 1)
  @inline(__always) func around(_ body: () -> Void) {
    semaphore.wait()
    body()
    semaphore.signal()
  }
}

struct SerialQueueEntry: BenchLock {
  let queue = DispatchQueue(label: "bench.lock")
  @inline(__always) func around(_ body: () -> Void) { queue.sync { body() } }
}
