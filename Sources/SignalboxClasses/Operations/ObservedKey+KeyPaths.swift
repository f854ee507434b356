// ObservedKey+KeyPaths.swift: observed properties by their key paths. By their names: Observation/ObservedKey.swift.

extension ObservedKey {
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
