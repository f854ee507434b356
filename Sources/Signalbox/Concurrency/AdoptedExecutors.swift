// AdoptedExecutors.swift: what the runtime asks for in place of its own executors: the default one, which is the pool, and the main
// one, which is the main queue. When they are installed is AdoptConcurrency.swift.
//
// The runtime has variables for each way in as well (`swift_task_enqueueGlobal_hook` and its like), but its own executors, which actors
// and sleeps use, pass them by. What is installed here is asked by every way in.
import SignalboxDispatch
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

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
