// ObservedKey.swift: the properties of operations and queues that can be observed, by name and by key path.

/// A property that reports its changes.
enum ObservedKey: UInt8, Sendable {
  case isFinished, isExecuting, isReady, isCancelled, isAsynchronous, dependencies, queuePriority, qualityOfService, name
  case completionBlock
  case operations, operationCount, isSuspended, maxConcurrentOperationCount, underlyingQueue

  /// nil for names that are nobody's. Both the name of the getter and that of the property behind it count.
  init?(_ name: String) {
    switch name {
    case "isFinished", "finished": self = .isFinished
    case "isExecuting", "executing": self = .isExecuting
    case "isReady", "ready": self = .isReady
    case "isCancelled", "cancelled": self = .isCancelled
    case "isAsynchronous", "asynchronous", "isConcurrent", "concurrent": self = .isAsynchronous
    case "dependencies": self = .dependencies
    case "queuePriority": self = .queuePriority
    case "qualityOfService": self = .qualityOfService
    case "name": self = .name
    case "completionBlock": self = .completionBlock
    case "operations": self = .operations
    case "operationCount": self = .operationCount
    case "isSuspended", "suspended": self = .isSuspended
    case "maxConcurrentOperationCount": self = .maxConcurrentOperationCount
    case "underlyingQueue": self = .underlyingQueue
    default: return nil
    }
  }
}
