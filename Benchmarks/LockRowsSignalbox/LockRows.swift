// LockRows.swift: the locks, uncontended and wanted by several threads. Making a row is LockRow.swift, how evenly locks serve is
// LockTrials.swift.
import BenchSupport

private let nsLock = LockSubject("nslock", "NSLock") { NSLockEntry() }
private let unfair = LockSubject("unfair", "os_unfair_lock", beside: "pthread_mutex") { UnfairEntry() }
private let allocatedUnfair = LockSubject("unfair-allocated", "OSAllocatedUnfairLock", beside: "Swift's Mutex") {
  AllocatedUnfairEntry()
}
private let mutex = LockSubject("mutex", "MutexLock", beside: "pthread_mutex") { MutexEntry(.normal) }
private let errorCheckMutex = LockSubject(
  "mutex-error-check", "MutexLock, error-checking", beside: "pthread_mutex of that kind"
) {
  MutexEntry(.errorCheck)
}
private let recursiveMutex = LockSubject("mutex-recursive", "MutexLock, recursive", beside: "pthread_mutex of that kind") {
  MutexEntry(.recursive)
}
private let recursive = LockSubject("nsrecursivelock", "NSRecursiveLock") { NSRecursiveLockEntry() }
private let nested = LockSubject("nsrecursivelock-nested", "NSRecursiveLock, twice") { NestedRecursiveLockEntry() }
private let condition = LockSubject("nscondition", "NSCondition") { NSConditionEntry() }
private let conditionLock = LockSubject("nsconditionlock", "NSConditionLock") { NSConditionLockEntry() }
private let dated = LockSubject("nsconditionlock", "NSConditionLock, before a date") { DatedConditionLockEntry() }
private let numbered = LockSubject("nsconditionlock-when", "NSConditionLock, when") { NumberedConditionLockEntry() }
private let semaphore = LockSubject("semaphore", "DispatchSemaphore") { SemaphoreEntry() }
private let serialQueue = LockSubject("serial-queue", "serial queue") { SerialQueueEntry() }
private let object = LockSubject("synchronized", "@synchronized", beside: "NSRecursiveLock") { SynchronizedEntry() }
private let reading = LockSubject("rwlock-read", "ReaderWriterLock, reading", beside: "pthread_rwlock") { ReadEntry() }
private let writing = LockSubject("rwlock-write", "ReaderWriterLock, writing", beside: "pthread_rwlock") { WriteEntry() }

/// All rows about locks, on the library that this module is compiled on.
public func lockRows() -> [Row] { uncontendedRows() + capturingLockRows() + contendedRows() + longRows() }

/// The class that this half calls `NSLock`, with its module: evidence of what the half runs on.
public func lockClassName() -> String { String(reflecting: NSLock.self) }

private func uncontendedRows() -> [Row] {
  [
    spin.uncontended(.nearFloor(atMost: 1.3)), unfair.uncontended(.nearFloor(atMost: 1.3)),
    allocatedUnfair.uncontended(.nearFloor(atMost: 1.3)).completing, semaphore.uncontended(.notSlower),
    mutex.uncontended(.nearFloor(atMost: 1.3)), errorCheckMutex.uncontended(.notSlower).completing,
    recursiveMutex.uncontended(.notSlower), nsLock.uncontended(.ratio(1.3)).besidePeers(),
    condition.uncontended(.notSlower), recursive.uncontended(.ratio(1.2)), nested.uncontended(.notSlower).completing,
    conditionLock.uncontended(.ratio(3)), numbered.uncontended(.ratio(3)).completing, object.uncontended(.none),
    reading.uncontended(.notSlower), writing.uncontended(.notSlower), serialQueue.uncontended(.notSlower),
  ]
}

private func contendedRows() -> [Row] {
  let everyLoad = [2, 4, 16].flatMap { threads in
    [
      nsLock.contended(threads, .ratioBesidePeers(2.5)).besidePeers(),
      unfair.contended(threads, .notSlower).completing,
      mutex.contended(threads, .notSlower).completing,
    ]
  }
  let others = [spin, semaphore, recursiveMutex, condition, recursive, dated, reading, writing, serialQueue]
  return everyLoad + others.map { $0.contended(4, .notSlower).completing } + [object.contended(4, .none).completing]
}

private func longRows() -> [Row] {
  [2, 4, 16].map { nsLock.long($0, .notSlower).besidePeers() }
    + [unfair, recursive, semaphore, serialQueue].map { $0.long(4, .notSlower).completing }
}

private let spin = (SpinSource.self as any SubjectSource.Type).subject

private protocol SubjectSource { static var subject: LockSubject { get } }

/// OSSpinLock is deprecated, as its users are to know; that it is measured all the same is seen through the protocol only.
private enum SpinSource: SubjectSource {
  @available(*, deprecated)
  static var subject: LockSubject { LockSubject("spin", "OSSpinLock", beside: "pthread_spinlock") { SpinEntry() } }
}
