// UnboundJob.swift: jobs of tasks that prefer nothing, once the pool is the process's default executor.
// Signalbox/Concurrency makes it so. Alone, because a job at a time needs Time, which lies above Queues, where all
// other jobs are.
import SignalboxSystem

/// Where the default executor's jobs go.
package enum UnboundJob {
  /// Submits it to the global queue for its priority.
  package static func submit(_ job: consuming ExecutorJob) { QueueJob(job, .unbound).submitByClass() }

  /// Submits it there at a time of one of the three clocks.
  package static func submit(_ job: consuming ExecutorJob, at time: dispatch_time_t) {
    let job = QueueJob(job, .unbound)
    // A time that never comes: the job is never run, and its task never goes on.
    GlobalQueues.queue(for: job.qosClass).asyncAfter(raw: time, job.work, never: {})
  }

  /// This many nanoseconds after now, on the clock that stops while the system sleeps or on the one that does not; a point further off
  /// than the clocks reach is never reached.
  package static func time(after nanoseconds: UInt64, isUptime: Bool) -> dispatch_time_t {
    RawTime.adding(Int64(clamping: nanoseconds), to: isUptime ? RawTime.now : RawTime.continuousNow)
  }
}
