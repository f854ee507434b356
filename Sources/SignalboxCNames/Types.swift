// Types.swift: the names of GCD's types as C spells them. The functions over them are in the files beside this one.
public import SignalboxDispatch

/// A queue. Swift manages its references.
public typealias dispatch_queue_t = DispatchQueue
/// The main queue's type; the same class as any queue's.
public typealias dispatch_queue_main_t = DispatchQueue
/// A global queue's type; the same class as any queue's.
public typealias dispatch_queue_global_t = DispatchQueue
/// A serial queue's type; the same class as any queue's.
public typealias dispatch_queue_serial_t = DispatchQueue
/// A concurrent queue's type; the same class as any queue's.
public typealias dispatch_queue_concurrent_t = DispatchQueue
/// A queue that always runs its most urgent item next.
public typealias dispatch_workloop_t = DispatchWorkloop
/// A set of pending work items that can be waited for.
public typealias dispatch_group_t = DispatchGroup
/// A counting semaphore.
public typealias dispatch_semaphore_t = DispatchSemaphore
/// Monitors events and calls handlers on a queue.
public typealias dispatch_source_t = DispatchSource
/// A channel: reads and writes of one descriptor or file.
public typealias dispatch_io_t = DispatchIO
/// Bytes in one or more regions of memory. A value, not an object: its copies share the regions.
public typealias dispatch_data_t = DispatchData
/// The base class of queues, groups, semaphores, sources and channels.
public typealias dispatch_object_t = DispatchObject

/// A closure to run. `dispatch_block_create` makes a `dispatch_block_object_t` from one.
public typealias dispatch_block_t = @Sendable () -> Void

/// A work item that can be waited for, observed and cancelled: the result of `dispatch_block_create`.
///
/// In C such an object is itself a block. A Swift closure has no identity, so here it is a `DispatchWorkItem`, and every
/// function that takes a `dispatch_block_t` takes one of these in its place.
public typealias dispatch_block_object_t = DispatchWorkItem

/// A C function to run; it is called with the context that was submitted with it.
public typealias dispatch_function_t = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// The state of a `dispatch_once`: 0 before, all bits set afterwards, anything else while it runs.
public typealias dispatch_once_t = Int
/// One of the `DISPATCH_QUEUE_PRIORITY_` constants.
public typealias dispatch_queue_priority_t = Int
/// One of the `QOS_CLASS_` constants.
public typealias dispatch_qos_class_t = qos_class_t
/// One of the `DISPATCH_AUTORELEASE_FREQUENCY_` constants.
public typealias dispatch_autorelease_frequency_t = UInt
/// A sum of `DISPATCH_BLOCK_` constants.
public typealias dispatch_block_flags_t = UInt
