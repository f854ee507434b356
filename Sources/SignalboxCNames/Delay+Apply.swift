// Delay+Apply.swift: work at a later time, and one closure run many times at once. A nil queue stops the program in the former.
import SignalboxDispatch

/// Submits `block` to `queue` when `when` has passed: never earlier, at once if it is in the past, never for
/// `DISPATCH_TIME_FOREVER`.
///
/// - Parameter when: from `dispatch_time` or `dispatch_walltime`; its clock decides whether time asleep counts and whether
///   setting the clock matters.
/// - Parameter queue: where `block` runs; nil stops the program.
/// - Parameter block: called once, unless the time never comes.
/// - Note: Thread safety: any thread.
@preconcurrency
public func dispatch_after(
  _ when: dispatch_time_t, _ queue: dispatch_queue_t?, _ block: consuming @escaping dispatch_block_t
) {
  present(queue).asyncAfter(raw: when, execute: block)
}

/// Submits a call of `work` with `context` to `queue` when `when` has passed; see `dispatch_after`.
public func dispatch_after_f(
  _ when: dispatch_time_t, _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  present(queue).asyncAfter(raw: when, CWork(work, context), never: {})
}

/// Runs `block` with 0 up to `iterations` - 1 and returns when all calls have ended; on a concurrent queue several run at the
/// same time.
///
/// - Parameters:
///   - iterations: the number of calls; 0 or less returns at once.
///   - queue: where it runs; on a serial queue that is a plain loop. Nil (`DISPATCH_APPLY_AUTO`) uses whatever threads suit
///     the caller.
///   - block: must be safe to run on several threads at the same time.
/// - Note: Thread safety: any thread; may be nested.
public func dispatch_apply(_ iterations: Int, _ queue: dispatch_queue_t?, _ block: (Int) -> Void) {
  guard iterations > 0 else { return }
  Engine.apply(iterations, on: queue, block)
}

/// Calls `work` with `context` and 0 up to `iterations` - 1 and returns when all have ended; see `dispatch_apply`.
public func dispatch_apply_f(
  _ iterations: Int, _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping @convention(c) (UnsafeMutableRawPointer?, Int) -> Void
) {
  let call = CWork(address: unsafeBitCast(work, to: UnsafeRawPointer.self), context)
  dispatch_apply(iterations, queue) { call.run($0) }
}
