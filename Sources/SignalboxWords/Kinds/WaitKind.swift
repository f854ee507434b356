// WaitKind.swift: what threads wait for and hold, by the names that reports use.

/// The kinds of things a thread can wait for in Signalbox.
public enum WaitKind: UInt8, Sendable, CaseIterable {
  case none = 0
  case unfairLock, spinLock, mutex, errorCheckMutex, recursiveMutex, condition, readLock, writeLock, synchronized
  case nsLock, nsRecursiveLock, nsCondition, nsConditionLock
  case once, sync, barrierSync, asyncAndWait, workItem, group, semaphore, apply, foreignMutex
  case operation, operationQueue

  /// What a report calls the thing.
  public var noun: String {
    switch self {
    case .none: "nothing"
    case .unfairLock: "unfair lock"
    case .spinLock: "spin lock"
    case .mutex: "mutex"
    case .errorCheckMutex: "error-checking mutex"
    case .recursiveMutex: "recursive mutex"
    case .condition: "condition"
    case .readLock: "reader-writer lock, for reading"
    case .writeLock: "reader-writer lock, for writing"
    case .synchronized: "object lock"
    case .nsLock: "NSLock"
    case .nsRecursiveLock: "NSRecursiveLock"
    case .nsCondition: "NSCondition"
    case .nsConditionLock: "NSConditionLock"
    case .once: "once"
    case .sync: "queue"
    case .barrierSync: "queue, as a barrier"
    case .asyncAndWait: "queue, for an item's end"
    case .workItem: "work item"
    case .group: "group"
    case .semaphore: "semaphore"
    case .apply: "parallel loop"
    case .foreignMutex: "pthread mutex"
    case .operation: "operation"
    case .operationQueue: "operation queue"
    }
  }

  /// Whether some one thread holds it, or nobody: then who waits for it waits for that thread.
  public var hasOwner: Bool {
    switch self {
    case .none, .condition, .group, .semaphore, .nsCondition, .apply, .operationQueue: false
    default: true
    }
  }

  /// Whether it is a queue that is waited for.
  package var isQueue: Bool { self == .sync || self == .barrierSync || self == .asyncAndWait }
}
