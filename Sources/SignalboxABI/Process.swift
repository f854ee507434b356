// Process.swift: what the toolchain's library exports about the process as a whole: threads, forks, settings, measuring. No
// header declares these functions.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

// MARK: threads and forks

/// Whether the library has made a thread yet.
@c(_dispatch_is_multithreaded)
public func _dispatch_is_multithreaded() -> Bool { Threads.haveBeenMade }

/// From now on the first thread that the library needs stops the program; false allows threads again. Too late when there is one.
@c(_dispatch_prohibit_transition_to_multithreaded)
public func _dispatch_prohibit_transition_to_multithreaded(_ prohibit: Bool) {
  guard !Threads.forbid(prohibit), prohibit else { return }
  CFaceSupport.stop(
    "_dispatch_prohibit_transition_to_multithreaded(true) is called after threads were made: call it before anything is submitted"
  )
}

/// Nothing to be done before a fork: the child uses no lock of ours.
@c(dispatch_atfork_prepare)
public func dispatch_atfork_prepare() {}

/// Nothing to be done in the parent.
@c(dispatch_atfork_parent)
public func dispatch_atfork_parent() {}

/// In the child: queues stop the program from now on if the parent had threads of ours. `fork` does this by itself; a child made
/// in another way may call it.
@c(dispatch_atfork_child)
public func dispatch_atfork_child() { ForkGuard.markChild() }

// MARK: settings and reports that mean nothing here

/// Sizes and delays of the other library's channels by number: accepted, ours have none such.
@c(_dispatch_iocntl)
public func _dispatch_iocntl(_ parameter: UInt32, _ value: UInt64) {}

/// Nothing to be done: the library's own thread waits for events.
@c(_dispatch_poll_for_events_4launchd)
public func _dispatch_poll_for_events_4launchd() {}

/// One line on standard error; the program goes on.
@c(_dispatch_bug)
public func _dispatch_bug(_ line: Int, _ value: Int) {
  CFaceSupport.report("_dispatch_bug was called for line \(line), with \(value)")
}

/// Waits until another thread, which is between two steps, has written the word; returns it.
@c(_dispatch_wait_for_enqueuer)
public func _dispatch_wait_for_enqueuer(_ word: UnsafeMutablePointer<UInt>) -> UnsafeMutableRawPointer? {
  // SAFETY: C's caller lends an aligned word that others write atomically.
  let atomic = UnsafeMutableRawPointer(word).assumingMemoryBound(to: Atomic64.self)
  while true {
    let found = atomic.pointee.loadAcquire()  // acquire: what the word points to is whole; pairs with its writer's release
    if found != 0 { return UnsafeMutableRawPointer(bitPattern: UInt(found)) }
    Parking.yield()
  }
}

// MARK: measuring

/// Calls `block` `count` times; returns the nanoseconds of one call on average, 0 for none.
@c(dispatch_benchmark)
public func dispatch_benchmark(_ count: Int, _ block: UnsafeMutableRawPointer?) -> UInt64 {
  let block = block.present(#function)
  return average(count) { Block.call(block) }
}

/// Calls `function(context)` `count` times; returns the nanoseconds of one call on average, 0 for none.
@c(dispatch_benchmark_f)
public func dispatch_benchmark_f(_ count: Int, _ context: UnsafeMutableRawPointer?, _ function: Function) -> UInt64 {
  let work = CWork(function, context)
  return average(count) { work.run() }
}

private func average(_ count: Int, _ body: () -> Void) -> UInt64 {
  guard count > 0 else { return 0 }
  let start = Clock.uptime()
  for _ in 0..<count { body() }
  return (Clock.uptime() - start) / UInt64(count)
}
