// HeldJob.swift: a job that a queue holds or runs, as reports name it. How it lies there is QueueJob.swift.
import SignalboxDiagnosis
import SignalboxSystem

/// What is known of a job without running it.
struct HeldJob {
  let role: QueueJob.Role
  /// Where the job's task goes on, or went on when the job began to run; 0 if that is not known.
  let function: UInt

  /// Where the runtime keeps that function in a job: behind the object's two words, two of the executor's, flags and number, and two
  /// that are reserved.
  private static let resumeOffset: UInt = 56
}

extension QueueJob {
  /// The job in an item of these words; nil if the item is none. What is gone is read as nothing.
  static func held(_ first: UInt64, _ second: UInt64) -> HeldJob? {
    role(first).map { HeldJob(role: $0, at: address(second)) }
  }
}

extension HeldJob {
  fileprivate init(role: QueueJob.Role, at job: UInt) {
    self.init(role: role, function: SafeMemory.word64(job &+ Self.resumeOffset).map { UInt($0) } ?? 0)
  }
}

extension RunningItem {
  init(_ job: HeldJob) {
    self.init(kind: job.role == .isolated ? Self.jobOfActor : Self.jobOfTask)
    function = job.function
  }
}
