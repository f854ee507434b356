// HeldJob.swift: a job that a queue holds or runs, as reports name it. How it lies there is QueueJob.swift.
import SignalboxDiagnosis
import SignalboxSystem

/// What is known of a job without running it.
struct HeldJob {
  let role: QueueJob.Role
  /// Where the job's task goes on, or went on when the job began to run; 0 if that is not known.
  let function: UInt

  /// Of a task that has not begun, what it will call, among words of another meaning.
  let inner: [UInt]

  /// Where the runtime keeps that function in a job: behind the object's two words, two of the executor's, flags and number, and two
  /// that are reserved. The function's context follows.
  static let resumeOffset: UInt = 56
  static let contextOffset: UInt = 64
  /// Flags, whose lowest byte is 0 in a task's job.
  static let flagsOffset: UInt = 32
}

extension QueueJob {
  /// The job in an item of these words; nil if the item is none. What is gone is read as nothing.
  static func held(_ first: UInt64, _ second: UInt64) -> HeldJob? {
    role(first).map { HeldJob(role: $0, at: address(second)) }
  }
}

extension HeldJob {
  fileprivate init(role: QueueJob.Role, at job: UInt) {
    let function = SafeMemory.word64(job &+ Self.resumeOffset).map { UInt($0) } ?? 0
    self.init(role: role, function: function, inner: Self.entries(ofTaskAt: job))
  }

  /// A task that has not begun goes on in a function of the runtime's. Before its context lie the task's own function, mostly a thunk,
  /// and that one's context: two words of an object, a type perhaps, and the closure.
  private static func entries(ofTaskAt job: UInt) -> [UInt] {
    guard let context = SafeMemory.word64(job &+ contextOffset).map({ UInt($0) }), context != 0,
      let entry = SafeMemory.word64(context &- 24), let closure = SafeMemory.word64(context &- 16)
    else { return [] }
    return [UInt(entry)] + Self.closure(closure)
  }

  /// What an object that may be the context of a thunk before a closure leads to.
  static func closure(_ context: UInt64) -> [UInt] { [24, 16].compactMap { asyncFunction(at: UInt(context) &+ $0) } }

  /// The function of an async closure whose first word lies at `address`: that word leads to its distance from there.
  private static func asyncFunction(at address: UInt) -> UInt? {
    guard let place = SafeMemory.word64(address), place != 0, let words = SafeMemory.word64(UInt(place)) else { return nil }
    return UInt(place) &+ UInt(bitPattern: Int(Int32(truncatingIfNeeded: words)))
  }
}

extension RunningItem {
  init(_ job: HeldJob) {
    self.init(kind: job.role == .isolated ? Self.jobOfActor : Self.jobOfTask)
    (function, inner) = (job.function, job.inner)
  }
}
