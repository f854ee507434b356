// ObservedKey.swift: the properties of operations and queues that can be observed, by name and by key path.

/// A property that tells of its changes.
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

  /// nil for key paths to anything else. A property that a subclass overrides has another key path in the subclass: those that
  /// callers write where a path from the base class is asked for are the base's.
  init?<Value>(_ keyPath: KeyPath<Operation, Value>) {
    switch keyPath {
    case \Operation.isFinished: self = .isFinished
    case \Operation.isExecuting: self = .isExecuting
    case \Operation.isReady: self = .isReady
    case \Operation.isCancelled: self = .isCancelled
    case \Operation.isAsynchronous, \Operation.isConcurrent: self = .isAsynchronous
    case \Operation.dependencies: self = .dependencies
    case \Operation.queuePriority: self = .queuePriority
    case \Operation.qualityOfService: self = .qualityOfService
    case \Operation.name: self = .name
    case \Operation.completionBlock: self = .completionBlock
    default: return nil
    }
  }

  init?<Value>(_ keyPath: KeyPath<OperationQueue, Value>) {
    switch keyPath {
    case \OperationQueue.operations: self = .operations
    case \OperationQueue.operationCount: self = .operationCount
    case \OperationQueue.isSuspended: self = .isSuspended
    case \OperationQueue.maxConcurrentOperationCount: self = .maxConcurrentOperationCount
    case \OperationQueue.qualityOfService: self = .qualityOfService
    case \OperationQueue.name: self = .name
    case \OperationQueue.underlyingQueue: self = .underlyingQueue
    default: return nil
    }
  }
}
