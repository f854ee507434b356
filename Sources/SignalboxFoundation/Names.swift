// Names.swift: aliases of the names that Foundation and Dispatch have too. SignalboxFoundation.swift tells what they are for.
//
// There are none of names that are Foundation's alone: where Foundation is imported as well those would come twice, and in an
// expression, `[TimeInterval]()` say, the compiler takes no name that has two declarations.
public import Signalbox
public import SignalboxClasses

/// Signalbox's `BlockOperation`: operations made of blocks.
public typealias BlockOperation = SignalboxClasses.BlockOperation
/// Signalbox's `NSCondition`: locks with a condition.
public typealias NSCondition = SignalboxClasses.NSCondition
/// Signalbox's `NSConditionLock`: locks with a numbered condition.
public typealias NSConditionLock = SignalboxClasses.NSConditionLock
/// Signalbox's `NSLock`: locks.
public typealias NSLock = SignalboxClasses.NSLock
/// Signalbox's `NSRecursiveLock`: recursive locks.
public typealias NSRecursiveLock = SignalboxClasses.NSRecursiveLock
/// Signalbox's `NotificationQueue`: queues that post notifications later.
public typealias NotificationQueue = SignalboxClasses.NotificationQueue
/// Signalbox's `Operation`: operations.
public typealias Operation = SignalboxClasses.Operation
/// Signalbox's `OperationQueue`: queues of operations.
public typealias OperationQueue = SignalboxClasses.OperationQueue
/// Signalbox's `RunLoop`: run loops.
public typealias RunLoop = SignalboxClasses.RunLoop
/// Signalbox's `Thread`: threads.
public typealias Thread = SignalboxClasses.Thread
/// Signalbox's `Timer`: timers of run loops.
public typealias Timer = SignalboxClasses.Timer

/// Signalbox's `DispatchData`: immutable bytes.
public typealias DispatchData = Signalbox.DispatchData
/// Signalbox's `DispatchDataIterator`: iterators over such bytes.
public typealias DispatchDataIterator = Signalbox.DispatchDataIterator
/// Signalbox's `DispatchGroup`: groups.
public typealias DispatchGroup = Signalbox.DispatchGroup
/// Signalbox's `DispatchIO`: channels to files and streams.
public typealias DispatchIO = Signalbox.DispatchIO
/// Signalbox's `DispatchObject`: the base class of queues, groups and semaphores.
public typealias DispatchObject = Signalbox.DispatchObject
/// Signalbox's `DispatchPredicate`: conditions on the current queue.
public typealias DispatchPredicate = Signalbox.DispatchPredicate
/// Signalbox's `DispatchQoS`: quality-of-service classes.
public typealias DispatchQoS = Signalbox.DispatchQoS
/// Signalbox's `DispatchQueue`: queues.
public typealias DispatchQueue = Signalbox.DispatchQueue
/// Signalbox's `DispatchSemaphore`: semaphores.
public typealias DispatchSemaphore = Signalbox.DispatchSemaphore
/// Signalbox's `DispatchSource`: sources of events.
public typealias DispatchSource = Signalbox.DispatchSource
/// Signalbox's `DispatchSourceHandler`: a handler of a source.
public typealias DispatchSourceHandler = Signalbox.DispatchSourceHandler
/// Signalbox's `DispatchSourceProtocol`: the interface of all sources.
public typealias DispatchSourceProtocol = Signalbox.DispatchSourceProtocol
/// Signalbox's `DispatchSourceRead`: sources that report bytes to read.
public typealias DispatchSourceRead = Signalbox.DispatchSourceRead
/// Signalbox's `DispatchSourceSignal`: sources of signals.
public typealias DispatchSourceSignal = Signalbox.DispatchSourceSignal
/// Signalbox's `DispatchSourceTimer`: timer sources.
public typealias DispatchSourceTimer = Signalbox.DispatchSourceTimer
/// Signalbox's `DispatchSourceUserDataAdd`: sources that add.
public typealias DispatchSourceUserDataAdd = Signalbox.DispatchSourceUserDataAdd
/// Signalbox's `DispatchSourceUserDataOr`: sources that combine bits.
public typealias DispatchSourceUserDataOr = Signalbox.DispatchSourceUserDataOr
/// Signalbox's `DispatchSourceUserDataReplace`: sources that keep the last value.
public typealias DispatchSourceUserDataReplace = Signalbox.DispatchSourceUserDataReplace
/// Signalbox's `DispatchSourceWrite`: sources that report room to write.
public typealias DispatchSourceWrite = Signalbox.DispatchSourceWrite
/// Signalbox's `DispatchSpecificKey`: keys of a queue's specific values.
public typealias DispatchSpecificKey = Signalbox.DispatchSpecificKey
/// Signalbox's `DispatchTime`: times on the uptime clock.
public typealias DispatchTime = Signalbox.DispatchTime
/// Signalbox's `DispatchTimeInterval`: lengths of time.
public typealias DispatchTimeInterval = Signalbox.DispatchTimeInterval
/// Signalbox's `DispatchTimeoutResult`: the result of a wait with a timeout.
public typealias DispatchTimeoutResult = Signalbox.DispatchTimeoutResult
/// Signalbox's `DispatchWallTime`: times on the wall clock.
public typealias DispatchWallTime = Signalbox.DispatchWallTime
/// Signalbox's `DispatchWorkItem`: work items.
public typealias DispatchWorkItem = Signalbox.DispatchWorkItem
/// Signalbox's `DispatchWorkItemFlags`: flags of work items.
public typealias DispatchWorkItemFlags = Signalbox.DispatchWorkItemFlags
