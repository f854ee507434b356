// Contracts.swift: the private symbols that Swift's concurrency and Foundation take: the main queue for run loops, and jobs.
import CSignalboxABI
import SignalboxDispatch

/// Gives the main thread to the main queue, for good.
@c(dispatch_main)
public func dispatch_main() { dispatchMain() }

/// Readable while the main queue may hold items; Foundation's run loop waits for it.
@c(_dispatch_get_main_queue_port_4CF)
public func _dispatch_get_main_queue_port_4CF() -> Int32 { mainQueueDescriptor() }

/// The same descriptor by its other name.
@c(_dispatch_get_main_queue_handle_4CF)
public func _dispatch_get_main_queue_handle_4CF() -> Int32 { mainQueueDescriptor() }

private func mainQueueDescriptor() -> Int32 {
  do {
    return try MainQueue.descriptor()
  } catch {
    CFaceSupport.stop("the main queue needs a descriptor for a run loop (\(error)): raise the limit of open files")
  }
}

/// Runs what the main queue holds, or a part of it; called on the main thread by a run loop, which serves others as well.
@c(_dispatch_main_queue_callback_4CF)
public func _dispatch_main_queue_callback_4CF(_ message: UnsafeMutableRawPointer?) { MainQueue.drainSome() }

/// Called by Foundation before anything else; there is nothing to be done before something is used.
@c(libdispatch_init)
public func libdispatch_init() {}

/// A job of Swift's concurrency runtime as an item: no allocation. The runtime looks this function up by name and calls it only
/// if it is there. The job's class tells how it is run, in the fourth word, as the runtime's own way through dispatch_async_f
/// reads it; a runtime that lays its classes out differently does not know this function's contract either.
@c(dispatch_async_swift_job)
public func dispatch_async_swift_job(_ queue: Handle?, _ job: UnsafeMutableRawPointer?, _ qos: UInt32) {
  queue.queue().lend { $0.async(CWork(sb_abi_run_swift_job, job)) }
}

/// Whether this process is the fork of one that had used queues: using them stops it.
@c(_dispatch_is_fork_of_multithreaded_parent)
public func _dispatch_is_fork_of_multithreaded_parent() -> Bool { CFaceSupport.isFork }

// MARK: references by their other name

/// Counts a reference; returns the object.
@c(_os_object_retain)
public func _os_object_retain(_ object: Handle?) -> Handle? {
  dispatch_retain(object)
  return object
}

/// Takes a reference back.
@c(_os_object_release)
public func _os_object_release(_ object: Handle?) { dispatch_release(object) }

// MARK: ours

/// Tells this library from the toolchain's: the version of what it adds, and that it is there at all.
@c(signalbox_abi_version)
public func signalbox_abi_version() -> UInt32 { 1 }
