// SignalboxFoundation.swift: the umbrella: what `import SignalboxFoundation` brings, in place of `import Foundation`.
//
// Names that this module declares itself win over those it only passes on. So the lock classes of Locks/ hide Foundation's, and
// the names below say that a queue is Signalbox's, not the one of the toolchain's Dispatch that Foundation passes on.
// `dispatchPrecondition` is PlacedPredicate.swift.
@_exported public import Foundation
@_exported public import Signalbox

/// Queues: Signalbox's.
public typealias DispatchQueue = Signalbox.DispatchQueue
/// Serial queues: Signalbox's.
public typealias DispatchSerialQueue = Signalbox.DispatchSerialQueue
/// Concurrent queues: Signalbox's.
public typealias DispatchConcurrentQueue = Signalbox.DispatchConcurrentQueue
/// Groups: Signalbox's.
public typealias DispatchGroup = Signalbox.DispatchGroup
/// Semaphores: Signalbox's.
public typealias DispatchSemaphore = Signalbox.DispatchSemaphore
/// Work items: Signalbox's.
public typealias DispatchWorkItem = Signalbox.DispatchWorkItem
/// Flags of work items: Signalbox's.
public typealias DispatchWorkItemFlags = Signalbox.DispatchWorkItemFlags
/// What queues, groups and semaphores have in common: Signalbox's.
public typealias DispatchObject = Signalbox.DispatchObject
/// Quality-of-service classes: Signalbox's.
public typealias DispatchQoS = Signalbox.DispatchQoS
/// Keys of a queue's specific values: Signalbox's.
public typealias DispatchSpecificKey = Signalbox.DispatchSpecificKey
/// Points on the uptime clock: Signalbox's.
public typealias DispatchTime = Signalbox.DispatchTime
/// Points on the wall clock: Signalbox's.
public typealias DispatchWallTime = Signalbox.DispatchWallTime
/// Spans of time: Signalbox's.
public typealias DispatchTimeInterval = Signalbox.DispatchTimeInterval
/// How a timed wait ended: Signalbox's.
public typealias DispatchTimeoutResult = Signalbox.DispatchTimeoutResult
/// Conditions on the current queue: Signalbox's.
public typealias DispatchPredicate = Signalbox.DispatchPredicate

/// Sources of events: Signalbox's.
public typealias DispatchSource = Signalbox.DispatchSource
/// What sources have in common: Signalbox's.
public typealias DispatchSourceProtocol = Signalbox.DispatchSourceProtocol
/// Sources that are due at times: Signalbox's.
public typealias DispatchSourceTimer = Signalbox.DispatchSourceTimer
/// Sources of bytes to be read: Signalbox's.
public typealias DispatchSourceRead = Signalbox.DispatchSourceRead
/// Sources of room to write: Signalbox's.
public typealias DispatchSourceWrite = Signalbox.DispatchSourceWrite
/// Sources of signals: Signalbox's.
public typealias DispatchSourceSignal = Signalbox.DispatchSourceSignal
/// Sources that add up: Signalbox's.
public typealias DispatchSourceUserDataAdd = Signalbox.DispatchSourceUserDataAdd
/// Sources that join bits: Signalbox's.
public typealias DispatchSourceUserDataOr = Signalbox.DispatchSourceUserDataOr
/// Sources that keep the last value: Signalbox's.
public typealias DispatchSourceUserDataReplace = Signalbox.DispatchSourceUserDataReplace
/// Channels to files and streams: Signalbox's.
public typealias DispatchIO = Signalbox.DispatchIO
/// Bytes in shared regions: Signalbox's.
public typealias DispatchData = Signalbox.DispatchData
/// Iterators over such bytes: Signalbox's.
public typealias DispatchDataIterator = Signalbox.DispatchDataIterator

/// Runs the main queue on the main thread, for ever: Signalbox's and the toolchain's.
///
/// - Precondition: called on the main thread.
public func dispatchMain() -> Never { Signalbox.dispatchMain() }
