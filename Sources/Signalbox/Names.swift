// Names.swift: aliases of the names that the toolchain's Dispatch has too. Signalbox.swift tells what they are for.
public import SignalboxDispatch

/// Bytes in shared regions: Signalbox's.
public typealias DispatchData = SignalboxDispatch.DispatchData
/// Iterators over such bytes: Signalbox's.
public typealias DispatchDataIterator = SignalboxDispatch.DispatchDataIterator
/// Groups: Signalbox's.
public typealias DispatchGroup = SignalboxDispatch.DispatchGroup
/// Channels to files and streams: Signalbox's.
public typealias DispatchIO = SignalboxDispatch.DispatchIO
/// What queues, groups and semaphores have in common: Signalbox's.
public typealias DispatchObject = SignalboxDispatch.DispatchObject
/// Conditions on the current queue: Signalbox's.
public typealias DispatchPredicate = SignalboxDispatch.DispatchPredicate
/// Quality-of-service classes: Signalbox's.
public typealias DispatchQoS = SignalboxDispatch.DispatchQoS
/// Queues: Signalbox's.
public typealias DispatchQueue = SignalboxDispatch.DispatchQueue
/// Semaphores: Signalbox's.
public typealias DispatchSemaphore = SignalboxDispatch.DispatchSemaphore
/// Sources of events: Signalbox's.
public typealias DispatchSource = SignalboxDispatch.DispatchSource
/// What a source calls: Signalbox's.
public typealias DispatchSourceHandler = SignalboxDispatch.DispatchSourceHandler
/// What sources have in common: Signalbox's.
public typealias DispatchSourceProtocol = SignalboxDispatch.DispatchSourceProtocol
/// Sources of bytes to be read: Signalbox's.
public typealias DispatchSourceRead = SignalboxDispatch.DispatchSourceRead
/// Sources of signals: Signalbox's.
public typealias DispatchSourceSignal = SignalboxDispatch.DispatchSourceSignal
/// Sources that are due at times: Signalbox's.
public typealias DispatchSourceTimer = SignalboxDispatch.DispatchSourceTimer
/// Sources that add up: Signalbox's.
public typealias DispatchSourceUserDataAdd = SignalboxDispatch.DispatchSourceUserDataAdd
/// Sources that join bits: Signalbox's.
public typealias DispatchSourceUserDataOr = SignalboxDispatch.DispatchSourceUserDataOr
/// Sources that keep the last value: Signalbox's.
public typealias DispatchSourceUserDataReplace = SignalboxDispatch.DispatchSourceUserDataReplace
/// Sources of room to write: Signalbox's.
public typealias DispatchSourceWrite = SignalboxDispatch.DispatchSourceWrite
/// Keys of a queue's specific values: Signalbox's.
public typealias DispatchSpecificKey = SignalboxDispatch.DispatchSpecificKey
/// Points on the uptime clock: Signalbox's.
public typealias DispatchTime = SignalboxDispatch.DispatchTime
/// Spans of time: Signalbox's.
public typealias DispatchTimeInterval = SignalboxDispatch.DispatchTimeInterval
/// How a timed wait ended: Signalbox's.
public typealias DispatchTimeoutResult = SignalboxDispatch.DispatchTimeoutResult
/// Points on the wall clock: Signalbox's.
public typealias DispatchWallTime = SignalboxDispatch.DispatchWallTime
/// Work items: Signalbox's.
public typealias DispatchWorkItem = SignalboxDispatch.DispatchWorkItem
/// Flags of work items: Signalbox's.
public typealias DispatchWorkItemFlags = SignalboxDispatch.DispatchWorkItemFlags
