// Contracts.swift: the private symbols that Swift's concurrency and Foundation take: the main queue for run loops, and jobs.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

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

/// Runs what the main queue holds as it is called; called on the main thread by a run loop, which serves others as well.
@c(_dispatch_main_queue_callback_4CF)
public func _dispatch_main_queue_callback_4CF(_ message: UnsafeMutableRawPointer?) { MainQueue.drainOurs() }

/// Called by Foundation before anything else; there is nothing to be done before something is used.
@c(libdispatch_init)
public func libdispatch_init() {}

/// A job of Swift's concurrency runtime as an item: no allocation. The runtime finds this function by name and calls it only
/// if it is there. The job's class tells how it is run, in the fourth word, as the runtime's own way through dispatch_async_f
/// reads it. The first job is checked: if that word is no function of the runtime's, the runtime is not the one we know, and
/// the program is stopped before anything is called.
@c(dispatch_async_swift_job)
public func dispatch_async_swift_job(_ queue: Handle?, _ job: UnsafeMutableRawPointer?, _ qos: UInt32) {
  if _slowPath(knowsJobs.loadRelaxed() == 0) { checkRuntime(job.present(#function)) }  // relaxed: every check finds the same
  queue.queue().lend { $0.async(CWork(sb_abi_run_swift_job, job)) }
}

private let knowsJobs = Atomic32(0)

@inline(never) private func checkRuntime(_ job: UnsafeMutableRawPointer) {
  guard sb_abi_knows_swift_job(job) != 0 else {
    CFaceSupport.stop(
      "this program's Swift runtime lays out its jobs in a way that the library does not know: build Signalbox with the same "
        + "release of Swift as the program, or take it off")
  }
  // SAFETY: a C function's address. release: pairs with the acquire in QueueJob.recorded
  let runner: @convention(c) (UnsafeMutableRawPointer?) -> Void = sb_abi_run_swift_job
  CFaceSupport.jobRunner.storeRelease(UInt64(UInt(bitPattern: unsafeBitCast(runner, to: UnsafeRawPointer.self))))
  knowsJobs.storeRelaxed(1)  // relaxed: who does not see it checks again, and finds the same
}

/// Whether this process is the fork of one that had used queues: using them stops it.
@c(_dispatch_is_fork_of_multithreaded_parent)
public func _dispatch_is_fork_of_multithreaded_parent() -> Bool { CFaceSupport.isFork }

// MARK: ours

/// Tells this library from the toolchain's: the version of what it adds, and that it is there at all.
@c(signalbox_abi_version)
public func signalbox_abi_version() -> UInt32 { 1 }
