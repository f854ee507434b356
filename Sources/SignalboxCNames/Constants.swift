// Constants.swift: the numbers GCD's C functions are called with. Those of queue attributes
// are in QueueAttributes+C.swift, of sources in SourceTypes.swift, of channels and data beside their functions.
import SignalboxDispatch

// MARK: service classes

/// For work that the user interface depends on.
public let QOS_CLASS_USER_INTERACTIVE: qos_class_t = 0x21
/// For work that the user started and waits for.
public let QOS_CLASS_USER_INITIATED: qos_class_t = 0x19
/// For work that is neither urgent nor deferrable.
public let QOS_CLASS_DEFAULT: qos_class_t = 0x15
/// For work whose progress the user may see but does not wait for.
public let QOS_CLASS_UTILITY: qos_class_t = 0x11
/// For work that no user waits for.
public let QOS_CLASS_BACKGROUND: qos_class_t = 0x09
/// No class of its own.
public let QOS_CLASS_UNSPECIFIED: qos_class_t = 0x00
/// The lowest relative priority.
public let QOS_MIN_RELATIVE_PRIORITY: Int32 = -15

// MARK: global queues by their old priorities

/// The global queue of `QOS_CLASS_USER_INITIATED`.
public let DISPATCH_QUEUE_PRIORITY_HIGH: dispatch_queue_priority_t = 2
/// The global queue of `QOS_CLASS_DEFAULT`.
public let DISPATCH_QUEUE_PRIORITY_DEFAULT: dispatch_queue_priority_t = 0
/// The global queue of `QOS_CLASS_UTILITY`.
public let DISPATCH_QUEUE_PRIORITY_LOW: dispatch_queue_priority_t = -2
/// The global queue of `QOS_CLASS_BACKGROUND`.
public let DISPATCH_QUEUE_PRIORITY_BACKGROUND: dispatch_queue_priority_t = -32768

// MARK: stand-ins for a queue

/// As a target: the default target of that kind of object.
public let DISPATCH_TARGET_QUEUE_DEFAULT: dispatch_queue_t? = nil
/// In `dispatch_queue_get_label`: the current queue.
public let DISPATCH_CURRENT_QUEUE_LABEL: dispatch_queue_t? = nil
/// In `dispatch_apply`: whatever threads suit the caller.
public let DISPATCH_APPLY_AUTO: dispatch_queue_t? = nil

// MARK: time

/// The current time.
public let DISPATCH_TIME_NOW: dispatch_time_t = 0
/// A time that is never reached.
public let DISPATCH_TIME_FOREVER: dispatch_time_t = ~0
/// The current time on the wall clock, as an argument of `dispatch_time`.
public let DISPATCH_WALLTIME_NOW: dispatch_time_t = ~1
/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000

// MARK: work objects

/// The work runs alone on a concurrent queue.
public let DISPATCH_BLOCK_BARRIER: dispatch_block_flags_t = 0x1
/// The work is not part of the submitter's execution context.
public let DISPATCH_BLOCK_DETACHED: dispatch_block_flags_t = 0x2
/// The work takes the execution context that is current where it is created.
public let DISPATCH_BLOCK_ASSIGN_CURRENT: dispatch_block_flags_t = 0x4
/// The work has no service class.
public let DISPATCH_BLOCK_NO_QOS_CLASS: dispatch_block_flags_t = 0x8
/// The queue's service class takes precedence over the work's.
public let DISPATCH_BLOCK_INHERIT_QOS_CLASS: dispatch_block_flags_t = 0x10
/// The work's service class takes precedence over the queue's, unless it is lower.
public let DISPATCH_BLOCK_ENFORCE_QOS_CLASS: dispatch_block_flags_t = 0x20

// MARK: autorelease pools (accepted; Linux has none)

/// As the target queue does.
public let DISPATCH_AUTORELEASE_FREQUENCY_INHERIT: dispatch_autorelease_frequency_t = 0
/// A pool around every item.
public let DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM: dispatch_autorelease_frequency_t = 1
/// No pools.
public let DISPATCH_AUTORELEASE_FREQUENCY_NEVER: dispatch_autorelease_frequency_t = 2

/// The version of the C interface these names follow.
public let DISPATCH_API_VERSION: Int32 = 20_180_109
