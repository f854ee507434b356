// Names.swift: aliases of the names that the toolchain's Dispatch has too. Signalbox.swift tells what they are for.
public import SignalboxDispatch

/// Signalbox's `DispatchData`: immutable bytes.
public typealias DispatchData = SignalboxDispatch.DispatchData
/// Signalbox's `DispatchDataIterator`: iterators over such bytes.
public typealias DispatchDataIterator = SignalboxDispatch.DispatchDataIterator
/// Signalbox's `DispatchGroup`: groups.
public typealias DispatchGroup = SignalboxDispatch.DispatchGroup
/// Signalbox's `DispatchIO`: channels to files and streams.
public typealias DispatchIO = SignalboxDispatch.DispatchIO
/// Signalbox's `DispatchObject`: the base class of queues, groups and semaphores.
public typealias DispatchObject = SignalboxDispatch.DispatchObject
/// Signalbox's `DispatchPredicate`: conditions on the current queue.
public typealias DispatchPredicate = SignalboxDispatch.DispatchPredicate
/// Signalbox's `DispatchQoS`: quality-of-service classes.
public typealias DispatchQoS = SignalboxDispatch.DispatchQoS
/// Signalbox's `DispatchQueue`: queues.
public typealias DispatchQueue = SignalboxDispatch.DispatchQueue
/// Signalbox's `DispatchSemaphore`: semaphores.
public typealias DispatchSemaphore = SignalboxDispatch.DispatchSemaphore
/// Signalbox's `DispatchSource`: sources of events.
public typealias DispatchSource = SignalboxDispatch.DispatchSource
/// Signalbox's `DispatchSourceHandler`: a handler of a source.
public typealias DispatchSourceHandler = SignalboxDispatch.DispatchSourceHandler
/// Signalbox's `DispatchSourceProtocol`: the interface of all sources.
public typealias DispatchSourceProtocol = SignalboxDispatch.DispatchSourceProtocol
/// Signalbox's `DispatchSourceRead`: sources that report bytes to read.
public typealias DispatchSourceRead = SignalboxDispatch.DispatchSourceRead
/// Signalbox's `DispatchSourceSignal`: sources of signals.
public typealias DispatchSourceSignal = SignalboxDispatch.DispatchSourceSignal
/// Signalbox's `DispatchSourceTimer`: timer sources.
public typealias DispatchSourceTimer = SignalboxDispatch.DispatchSourceTimer
/// Signalbox's `DispatchSourceUserDataAdd`: sources that add.
public typealias DispatchSourceUserDataAdd = SignalboxDispatch.DispatchSourceUserDataAdd
/// Signalbox's `DispatchSourceUserDataOr`: sources that combine bits.
public typealias DispatchSourceUserDataOr = SignalboxDispatch.DispatchSourceUserDataOr
/// Signalbox's `DispatchSourceUserDataReplace`: sources that keep the last value.
public typealias DispatchSourceUserDataReplace = SignalboxDispatch.DispatchSourceUserDataReplace
/// Signalbox's `DispatchSourceWrite`: sources that report room to write.
public typealias DispatchSourceWrite = SignalboxDispatch.DispatchSourceWrite
/// Signalbox's `DispatchSpecificKey`: keys of a queue's specific values.
public typealias DispatchSpecificKey = SignalboxDispatch.DispatchSpecificKey
/// Signalbox's `DispatchTime`: times on the uptime clock.
public typealias DispatchTime = SignalboxDispatch.DispatchTime
/// Signalbox's `DispatchTimeInterval`: lengths of time.
public typealias DispatchTimeInterval = SignalboxDispatch.DispatchTimeInterval
/// Signalbox's `DispatchTimeoutResult`: the result of a wait with a timeout.
public typealias DispatchTimeoutResult = SignalboxDispatch.DispatchTimeoutResult
/// Signalbox's `DispatchWallTime`: times on the wall clock.
public typealias DispatchWallTime = SignalboxDispatch.DispatchWallTime
/// Signalbox's `DispatchWorkItem`: work items.
public typealias DispatchWorkItem = SignalboxDispatch.DispatchWorkItem
/// Signalbox's `DispatchWorkItemFlags`: flags of work items.
public typealias DispatchWorkItemFlags = SignalboxDispatch.DispatchWorkItemFlags
