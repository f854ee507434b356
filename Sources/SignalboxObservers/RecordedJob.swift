// RecordedJob.swift: a job of Swift's tasks that is about to be submitted or run, as the recorder gets it. As reports
// name it, it is ItemReader's (SignalboxView).
import SignalboxDispatch
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// A job that has not run, of which its task's next function is known.
struct RecordedJob {
  let address: UInt

  /// nil: the item of these words is none.
  @inline(__always) init?(_ slot: Slot) {
    guard slot.first & SlotKind.cFunction != 0, slot.first >= SlotKind.specialLimit else { return nil }
    if ItemWords.isJob(slot) {
      address = JobLayout.address(slot.second)
      return
    }
    let runner = CFaceSupport.jobRunner.loadAcquire()  // acquire: pairs with the release of the C face
    guard runner != 0, slot.first == runner | SlotKind.cFunction else { return nil }
    address = UInt(slot.second)
  }

  /// As its task's priority has it.
  var qosClass: DispatchQoS.QoSClass {
    // SAFETY: an unowned job is the address of the job, which is alive.
    let job = unsafeBitCast(address, to: UnownedJob.self)
    // The numbers of priorities are those of the classes.
    return DispatchQoS.QoSClass(rawValue: qos_class_t(job.priority.rawValue)) ?? .unspecified
  }

  /// Where a task goes on, or begins.
  struct Course {
    /// The function; of a job of something else the one that the job runs.
    var function: UInt64
    /// Of a task that has not begun its context, before which its beginning lies.
    var beginning: UInt?

    /// What `function` may call, where it is a thunk before a closure that is about to begin; 0: nothing.
    var inner: UInt64 {
      guard let context = beginning else { return 0 }
      return UInt64(ClosureReader().asyncClosure(UInt(RecordedJob.word(context &- 16))).first ?? 0)
    }
  }

  /// A task goes on in a function of the runtime's where it has waited there: then it will come out to the function
  /// that called that, by way of contexts that each have the outer one and the function to go on with in that. One that
  /// has not begun has no outer one.
  var course: Course {
    let resume = word(JobLayout.resume)
    // The fourth word of a job's class is the function by which the runtime runs it.
    let known = { Self.word(UInt(word(0)) &+ 24) }, isOfTask = word(JobLayout.flags) & 0xFF == 0
    guard isOfTask, TaskRuntime.contains(resume, beside: known()) else { return Course(function: resume) }
    let own = UInt(word(JobLayout.context))
    var context = own
    for _ in 0..<Self.mostContexts where context != 0 {
      let outer = UInt(Self.word(context)), next = Self.word(context &+ 8)
      if next != 0, !TaskRuntime.contains(next, beside: known()) { return Course(function: next) }
      if outer == 0 {
        return context == own
          ? Course(function: Self.word(context &- UInt(TaskLayout.Frame.closure)), beginning: own) : Course(function: resume)
      }
      context = outer
    }
    return Course(function: resume)
  }

  /// The runtime's own functions call each other no deeper.
  private static let mostContexts = 8

  // SAFETY: the job is alive, and with it its task's contexts; before the first lie words of the task's.
  func word(_ offset: UInt) -> UInt64 { Self.word(address &+ offset) }
  static func word(_ address: UInt) -> UInt64 { UnsafeRawPointer.at(address).load(as: UInt64.self) }
}

/// Where the functions of the runtime of Swift's tasks lie, learned from the first job.
private enum TaskRuntime {
  private static let start = Atomic64(0), end = Atomic64(0)

  /// Whether the function is the runtime's; `known` is one.
  static func contains(_ function: UInt64, beside known: @autoclosure () -> UInt64) -> Bool {
    var last = end.loadAcquire()  // acquire: pairs with the release below: `start` is not older
    if last == 0 { last = learn(UInt(known())) }
    // relaxed: set before `end`
    return function < last && function >= start.loadRelaxed()
  }

  private static func learn(_ known: UInt) -> UInt64 {
    var found = 0..<UInt(1)
    MappedImages().forEach { range, _, _ in if range.contains(known) { found = range } }
    start.storeRelaxed(UInt64(found.lowerBound))  // relaxed: every thread that learns at once learns the same
    end.storeRelease(UInt64(found.upperBound))  // release: pairs with the acquire above
    return UInt64(found.upperBound)
  }
}
