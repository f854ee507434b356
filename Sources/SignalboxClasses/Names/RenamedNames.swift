// RenamedNames.swift: names that Objective-C knows the classes by, as Apple's platforms have them in Swift: using one is an error
// that says the new name.
public import Foundation

/// `Thread`, as Objective-C calls it.
@available(*, unavailable, renamed: "Thread")
public typealias NSThread = Thread
/// `Operation`, as Objective-C calls it.
@available(*, unavailable, renamed: "Operation")
public typealias NSOperation = Operation
/// `OperationQueue`, as Objective-C calls it.
@available(*, unavailable, renamed: "OperationQueue")
public typealias NSOperationQueue = OperationQueue
/// `BlockOperation`, as Objective-C calls it.
@available(*, unavailable, renamed: "BlockOperation")
public typealias NSBlockOperation = BlockOperation
/// `InvocationOperation`, as Objective-C calls it.
@available(*, unavailable, renamed: "InvocationOperation")
public typealias NSInvocationOperation = InvocationOperation
/// `Operation.QueuePriority`, as Objective-C calls it.
@available(*, unavailable, renamed: "Operation.QueuePriority")
public typealias NSOperationQueuePriority = Operation.QueuePriority
/// `QualityOfService`, as Objective-C calls it.
@available(*, unavailable, renamed: "QualityOfService")
public typealias NSQualityOfService = QualityOfService
/// `RunLoop`, as Objective-C calls it.
@available(*, unavailable, renamed: "RunLoop")
public typealias NSRunLoop = RunLoop
/// `RunLoop.Mode`, as Objective-C calls it.
@available(*, unavailable, renamed: "RunLoop.Mode")
public typealias NSRunLoopMode = RunLoop.Mode
/// `Timer`, as Objective-C calls it.
@available(*, unavailable, renamed: "Timer")
public typealias NSTimer = Timer
/// `NotificationCenter`, as Objective-C calls it.
@available(*, unavailable, renamed: "NotificationCenter")
public typealias NSNotificationCenter = NotificationCenter
/// `NotificationQueue`, as Objective-C calls it.
@available(*, unavailable, renamed: "NotificationQueue")
public typealias NSNotificationQueue = NotificationQueue
/// `NotificationQueue.PostingStyle`, as Objective-C calls it.
@available(*, unavailable, renamed: "NotificationQueue.PostingStyle")
public typealias NSPostingStyle = NotificationQueue.PostingStyle
/// `NotificationQueue.NotificationCoalescing`, as Objective-C calls it.
@available(*, unavailable, renamed: "NotificationQueue.NotificationCoalescing")
public typealias NSNotificationCoalescing = NotificationQueue.NotificationCoalescing

/// `RunLoop.Mode.default`, as Objective-C calls it.
@available(*, unavailable, renamed: "RunLoop.Mode.default")
public let NSDefaultRunLoopMode = RunLoop.Mode.default
/// `RunLoop.Mode.common`, as Objective-C calls it.
@available(*, unavailable, renamed: "RunLoop.Mode.common")
public let NSRunLoopCommonModes = RunLoop.Mode.common
/// `OperationQueue.defaultMaxConcurrentOperationCount`, as Objective-C calls it.
@available(*, unavailable, renamed: "OperationQueue.defaultMaxConcurrentOperationCount")
public let NSOperationQueueDefaultMaxConcurrentOperationCount = -1
