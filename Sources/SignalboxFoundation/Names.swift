// Names.swift: aliases of the names that Foundation and Dispatch have too. SignalboxFoundation.swift tells what they are for.
//
// There are none of names that are Foundation's alone: where Foundation is imported as well those would come twice, and in an
// expression, `[TimeInterval]()` say, the compiler takes no name that has two declarations.
public import Signalbox
public import SignalboxClasses

/// Operations made of blocks: Signalbox's.
public typealias BlockOperation = SignalboxClasses.BlockOperation
/// Locks with a condition: Signalbox's.
public typealias NSCondition = SignalboxClasses.NSCondition
/// Locks that wait for a number: Signalbox's.
public typealias NSConditionLock = SignalboxClasses.NSConditionLock
/// Locks: Signalbox's.
public typealias NSLock = SignalboxClasses.NSLock
/// Locks that their holder may take again: Signalbox's.
public typealias NSRecursiveLock = SignalboxClasses.NSRecursiveLock
/// Queues that post notifications later: Signalbox's.
public typealias NotificationQueue = SignalboxClasses.NotificationQueue
/// Operations: Signalbox's.
public typealias Operation = SignalboxClasses.Operation
/// Queues of operations: Signalbox's.
public typealias OperationQueue = SignalboxClasses.OperationQueue
/// Run loops: Signalbox's.
public typealias RunLoop = SignalboxClasses.RunLoop
/// Threads: Signalbox's.
public typealias Thread = SignalboxClasses.Thread
/// Timers of run loops: Signalbox's.
public typealias Timer = SignalboxClasses.Timer

/// Bytes in shared regions: Signalbox's.
public typealias DispatchData = Signalbox.DispatchData
/// Iterators over such bytes: Signalbox's.
public typealias DispatchDataIterator = Signalbox.DispatchDataIterator
/// Groups: Signalbox's.
public typealias DispatchGroup = Signalbox.DispatchGroup
/// Channels to files and streams: Signalbox's.
public typealias DispatchIO = Signalbox.DispatchIO
/// What queues, groups and semaphores have in common: Signalbox's.
public typealias DispatchObject = Signalbox.DispatchObject
/// Conditions on the current queue: Signalbox's.
public typealias DispatchPredicate = Signalbox.DispatchPredicate
/// Quality-of-service classes: Signalbox's.
public typealias DispatchQoS = Signalbox.DispatchQoS
/// Queues: Signalbox's.
public typealias DispatchQueue = Signalbox.DispatchQueue
/// Semaphores: Signalbox's.
public typealias DispatchSemaphore = Signalbox.DispatchSemaphore
/// Sources of events: Signalbox's.
public typealias DispatchSource = Signalbox.DispatchSource
/// What a source calls: Signalbox's.
public typealias DispatchSourceHandler = Signalbox.DispatchSourceHandler
/// What sources have in common: Signalbox's.
public typealias DispatchSourceProtocol = Signalbox.DispatchSourceProtocol
/// Sources of bytes to be read: Signalbox's.
public typealias DispatchSourceRead = Signalbox.DispatchSourceRead
/// Sources of signals: Signalbox's.
public typealias DispatchSourceSignal = Signalbox.DispatchSourceSignal
/// Sources that are due at times: Signalbox's.
public typealias DispatchSourceTimer = Signalbox.DispatchSourceTimer
/// Sources that add up: Signalbox's.
public typealias DispatchSourceUserDataAdd = Signalbox.DispatchSourceUserDataAdd
/// Sources that join bits: Signalbox's.
public typealias DispatchSourceUserDataOr = Signalbox.DispatchSourceUserDataOr
/// Sources that keep the last value: Signalbox's.
public typealias DispatchSourceUserDataReplace = Signalbox.DispatchSourceUserDataReplace
/// Sources of room to write: Signalbox's.
public typealias DispatchSourceWrite = Signalbox.DispatchSourceWrite
/// Keys of a queue's specific values: Signalbox's.
public typealias DispatchSpecificKey = Signalbox.DispatchSpecificKey
/// Points on the uptime clock: Signalbox's.
public typealias DispatchTime = Signalbox.DispatchTime
/// Spans of time: Signalbox's.
public typealias DispatchTimeInterval = Signalbox.DispatchTimeInterval
/// How a timed wait ended: Signalbox's.
public typealias DispatchTimeoutResult = Signalbox.DispatchTimeoutResult
/// Points on the wall clock: Signalbox's.
public typealias DispatchWallTime = Signalbox.DispatchWallTime
/// Work items: Signalbox's.
public typealias DispatchWorkItem = Signalbox.DispatchWorkItem
/// Flags of work items: Signalbox's.
public typealias DispatchWorkItemFlags = Signalbox.DispatchWorkItemFlags
