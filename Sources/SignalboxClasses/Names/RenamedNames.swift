// RenamedNames.swift: names that Objective-C knows the classes by, as Apple's platforms have them in Swift: using one is an error
// that says the new name.
public import Foundation

/// The Objective-C name of `Thread`.
@available(*, unavailable, renamed: "Thread")
public typealias NSThread = Thread
/// The Objective-C name of `Operation`.
@available(*, unavailable, renamed: "Operation")
public typealias NSOperation = Operation
/// The Objective-C name of `OperationQueue`.
@available(*, unavailable, renamed: "OperationQueue")
public typealias NSOperationQueue = OperationQueue
/// The Objective-C name of `BlockOperation`.
@available(*, unavailable, renamed: "BlockOperation")
public typealias NSBlockOperation = BlockOperation
/// The Objective-C name of `InvocationOperation`.
@available(*, unavailable, renamed: "InvocationOperation")
public typealias NSInvocationOperation = InvocationOperation
/// The Objective-C name of `Operation.QueuePriority`.
@available(*, unavailable, renamed: "Operation.QueuePriority")
public typealias NSOperationQueuePriority = Operation.QueuePriority
/// The Objective-C name of `QualityOfService`.
@available(*, unavailable, renamed: "QualityOfService")
public typealias NSQualityOfService = QualityOfService
/// The Objective-C name of `RunLoop`.
@available(*, unavailable, renamed: "RunLoop")
public typealias NSRunLoop = RunLoop
/// The Objective-C name of `RunLoop.Mode`.
@available(*, unavailable, renamed: "RunLoop.Mode")
public typealias NSRunLoopMode = RunLoop.Mode
/// The Objective-C name of `Timer`.
@available(*, unavailable, renamed: "Timer")
public typealias NSTimer = Timer
/// The Objective-C name of `NotificationCenter`.
@available(*, unavailable, renamed: "NotificationCenter")
public typealias NSNotificationCenter = NotificationCenter
/// The Objective-C name of `NotificationQueue`.
@available(*, unavailable, renamed: "NotificationQueue")
public typealias NSNotificationQueue = NotificationQueue
/// The Objective-C name of `NotificationQueue.PostingStyle`.
@available(*, unavailable, renamed: "NotificationQueue.PostingStyle")
public typealias NSPostingStyle = NotificationQueue.PostingStyle
/// The Objective-C name of `NotificationQueue.NotificationCoalescing`.
@available(*, unavailable, renamed: "NotificationQueue.NotificationCoalescing")
public typealias NSNotificationCoalescing = NotificationQueue.NotificationCoalescing

/// The Objective-C name of `RunLoop.Mode.default`.
@available(*, unavailable, renamed: "RunLoop.Mode.default")
public let NSDefaultRunLoopMode = RunLoop.Mode.default
/// The Objective-C name of `RunLoop.Mode.common`.
@available(*, unavailable, renamed: "RunLoop.Mode.common")
public let NSRunLoopCommonModes = RunLoop.Mode.common
/// The Objective-C name of `OperationQueue.defaultMaxConcurrentOperationCount`.
@available(*, unavailable, renamed: "OperationQueue.defaultMaxConcurrentOperationCount")
public let NSOperationQueueDefaultMaxConcurrentOperationCount = -1
