// AdoptConcurrency.swift: Swift's tasks on Signalbox's pool in a program that links Signalbox: when that begins, and
// the executors that are installed.
import SignalboxDispatch
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// Makes Swift's tasks run on Signalbox's pool from now on, without `signalbox run`: tasks and actors without an executor of their own,
/// sleeps of tasks, and `MainActor`, whose jobs become items of `DispatchQueue.main`.
///
/// ```
/// @main struct Server {
///   static func main() async {
///     Signalbox.adoptConcurrency()
///     …
///   }
/// }
/// ```
/// Jobs that were enqueued before still run on the toolchain's threads; what their tasks do after their next wait runs on the pool.
/// The toolchain's Dispatch keeps threads of its own, and runs what is submitted to it: Foundation's networking, for instance.
/// Executors that the program itself has written, and tasks that prefer them, stay as they are.
///
/// Further calls have no effect.
///
/// Thread safety: call it before any other thread uses tasks, as the first thing in `main`: the runtime reads without a lock what is
/// set here. Afterwards, any thread. Complexity: O(1).
public func adoptConcurrency() { _ = adoption }

private let adoption: Void = _createExecutors(factory: AdoptedExecutors.self)

// MARK: what the runtime asks for in place of its own executors

// The default one, which is the pool, and the main one, which is the main queue.
//
// The runtime has variables for each way in as well (`swift_task_enqueueGlobal_hook` and its like), but its own
// executors, which actors and sleeps use, pass them by. What is installed here is asked by every way in.
struct AdoptedExecutors: ExecutorFactory {
  static let mainExecutor: any MainExecutor = AdoptedMainExecutor()
  static let defaultExecutor: any TaskExecutor = AdoptedDefaultExecutor()
}

/// The pool, for jobs of tasks that prefer nothing.
private final class AdoptedDefaultExecutor: TaskExecutor, SchedulingExecutor {
  func enqueue(_ job: consuming ExecutorJob) { UnboundJob.submit(job) }

  func enqueue<C: Clock>(_ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C) {
    guard let time = JobTime.after(delay, on: clock) else {
      return Self.platforms.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
    }
    UnboundJob.submit(job, at: time)
  }

  func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
    guard let time = JobTime.after(clock.now.duration(to: instant), on: clock) else {
      return Self.platforms.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
    }
    UnboundJob.submit(job, at: time)
  }

  /// The toolchain's, for clocks that only it may know.
  private static var platforms: any SchedulingExecutor {
    guard let executor = PlatformExecutorFactory.defaultExecutor as? any SchedulingExecutor else {
      fatalError("the toolchain's default executor knows no clocks")
    }
    return executor
  }
}

/// The main queue, for jobs of the main actor: in one order with its items.
private final class AdoptedMainExecutor: MainExecutor {
  func enqueue(_ job: consuming ExecutorJob) { DispatchQueue.main.enqueue(job) }

  func checkIsolated() { DispatchQueue.main.checkIsolated() }
  func isIsolatingCurrentContext() -> Bool? { DispatchQueue.main.isIsolatingCurrentContext() }

  // Asked only if the program's main function has not begun to wait for its tasks yet. The toolchain's loop runs our main queue too.
  func run() throws { try PlatformExecutorFactory.mainExecutor.run() }
  func runUntil(_ condition: () -> Bool) throws { try PlatformExecutorFactory.mainExecutor.runUntil(condition) }
  func stop() { PlatformExecutorFactory.mainExecutor.stop() }
}

// MARK: when a sleeping task is due, as the engine's clocks have it

enum JobTime {
  /// The point that lies `delay` after now; nil if the clock counts in other units than the standard library's. A point further off than
  /// the engine's clocks reach is never reached.
  static func after<C: Clock>(_ delay: C.Duration, on clock: C) -> dispatch_time_t? {
    guard let delay = delay as? Duration else { return nil }
    // All clocks but this one go on while the system sleeps, as far as is known.
    return UnboundJob.time(after: nanoseconds(delay), isUptime: clock is SuspendingClock)
  }

  /// Rounded up, so that no task wakes too early; 0 for what is over.
  static func nanoseconds(_ delay: Duration) -> UInt64 {
    let (seconds, attoseconds) = delay.components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let rest = (UInt64(attoseconds) + 999_999_999) / 1_000_000_000
    let (sum, overflowsToo) = whole.addingReportingOverflow(rest)
    return overflows || overflowsToo ? .max : sum
  }
}
