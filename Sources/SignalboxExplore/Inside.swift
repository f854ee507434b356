// Inside.swift: what the engine and the core tell an exploration in this process, on threads that it controls.
import CSignalboxExplore
import CSignalboxExploreInside
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// The explorer as the engine sees it. One exploration at a time has threads.
final class Inside: ExplorerLink.Inside {
  // SAFETY: written by the body's thread before any other of its run begins; read by the one on which the run fails.
  nonisolated(unsafe) static var current: BodyRunner?

  private static let installed: Void = {
    ExplorerLink.install(Inside())
    #if Explore
    ExploreControl.install(
      ExploreControl(
        before: sbx_inside_word_before, loaded: sbx_inside_word_loaded, changed: sbx_inside_word_changed,
        park: sbx_inside_park, wake: sbx_inside_park_wake, fence: sbx_inside_fence))
    #endif
    sbx_inside_take_jobs(
      { job, isMain, delay in Inside.take(ExploredJob(job, isMain: isMain != 0), delay) },
      { isMain, context, work in
        sbx_inside_blunt_here()
        let call = LaterCall(work: work, context: context)
        (isMain != 0 ? DispatchQueue.main : .global()).async { call.run() }
      },
      { when, context, work in
        sbx_inside_blunt_here()
        let call = LaterCall(work: work, context: context)
        DispatchQueue.global().asyncAfter(raw: when) { call.run() }
      })
  }()
  /// From now on threads with a private engine come here.
  static func install() { _ = installed }

  func pass(_ primitive: Int, object: UInt, count: UInt64) {
    let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: primitive))
    switch kind {
    case .groupEntered: Self.entered(object, 1)
    case .groupLeft: Self.entered(object, -Int(count))
    default: break
    }
    if Self.isInstance(kind) { sbx_inside_instance(UInt64(object)) }
    sbx_inside_point(UInt32(truncatingIfNeeded: primitive), UInt64(object), 0)
    Self.touch(kind, object)
  }

  /// Whether the object of such a point is an instance of a class, within which there may be words that threads sleep on.
  private static func isInstance(_ kind: EventKind?) -> Bool {
    switch kind {
    case .submitted, .turnAsked, .groupEntered, .groupLeft, .groupWaitAsked, .semaphoreWaitAsked, .semaphoreSignalled: true
    default: false
    }
  }

  /// What the step touches that begins now, beside `object`.
  private static func touch(_ kind: EventKind?, _ object: UInt) {
    switch kind {
    case .submitted, .turnAsked, .suspended, .resumed, .activated: PrivateEngine.uses(queue: object)
    // The object alone; what comes after it has points of its own. A drain's queues are seen in the thread's frames.
    case .started, .groupEntered, .groupLeft, .groupWaitAsked, .semaphoreWaitAsked, .semaphoreSignalled, .workItemPerformed,
      .workItemWaitAsked, .onceAsked, .notifyAsked, .lockAsked, .lockReleased:
      break
    // Whoever asks an item whether it is cancelled passes no point.
    case .workItemCancelled: sbx_inside_touch_all()
    case .delayAsked: PrivateEngine.uses(delayTo: object)
    default: sbx_inside_blunt_here()
    }
  }

  func touch(_ object: UInt) { sbx_inside_touch(UInt64(object)) }
  func touch(instance: UInt) {
    sbx_inside_instance(UInt64(instance))
    touch(instance)
  }
  func touch(queue: UInt) { PrivateEngine.uses(queue: queue) }
  func touch(word: UInt) { sbx_inside_touch_word(UInt64(word)) }
  func gone(_ object: UInt) { sbx_inside_gone(UInt64(object)) }
  func stopped(_ queue: UInt, _ isStopped: Bool) { sbx_inside_stop(UInt64(queue), isStopped ? 1 : 0) }
  func expectsWake(_ word: UInt) { sbx_inside_expect(UInt64(word)) }
  func usesUnseen() { sbx_inside_blunt_here() }

  func fail(_ report: () -> String) -> Never {
    guard let current = Self.current else { Misuse.stop("a thread is explored, and there is no exploration") }
    current.failWithReport(report)
  }

  func suspend(_ body: () -> Void) {
    // One within another: the outer one ends it.
    guard sbx_inside_is_on() != 0 else { return body() }
    sbx_inside_suspend(1)
    body()
    sbx_inside_suspend(0)
  }

  /// A job goes to the engine of the thread that enqueues it.
  private static func take(_ job: ExploredJob, _ delay: UInt64) {
    sbx_inside_blunt_here()  // actors and tasks change by atomics of the runtime's
    let queue = job.queue
    if delay == 0 { return queue.async { job.run() } }
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay))) { job.run() }
  }

  /// For a search: what the calling thread has turns of.
  static func turns(_ turns: UnsafeMutablePointer<sbx_turn>, _ capacity: Int32) -> Int32 {
    var count: Int32 = 0
    PrivateEngine.forEachTurn { frame, queue in
      guard count >= 0, count < capacity else {
        count = -1
        return false
      }
      turns[Int(count)] = sbx_turn(frame: UInt64(frame), object: UInt64(queue))
      count += 1
      return true
    }
    return count
  }

  private static func entered(_ group: UInt, _ change: Int) {
    // Later the group may be no more. Who is asked has locks, by which the thread sanitizer would see an order.
    guard sbx_inside_enters(UInt64(group), Int64(change)) != 0, sbx_inside_is_sanitized() == 0 else { return }
    if let name = ExplorerLink.unseen({ LockNames.name(of: group) }) { sbx_inside_name_group(UInt64(group), name) }
  }

  // SAFETY: the run's engine, which lives forever.
  static func begins() {
    // Who a thread is to the engine is settled before its first step.
    sbx_inside_unseen(1)
    Unmanaged<PrivateEngine>.fromOpaque(sbx_inside_kept()).takeUnretainedValue().adopt()
    WaitRecord.prepare()
    sbx_inside_unseen(0)
  }
  static func over() { current?.isOver() }
}

/// A job of one of Swift's tasks: what runs between two of its waits.
private struct ExploredJob: @unchecked Sendable {
  // SAFETY of @unchecked: the runtime gives a job to whoever enqueues it, who runs it once.
  private let job: UnsafeMutableRawPointer
  private let isMain: Bool

  init(_ job: UnsafeMutableRawPointer, isMain: Bool) { (self.job, self.isMain) = (job, isMain) }

  func run() { sbx_inside_run_job(job, isMain ? 1 : 0) }

  var queue: DispatchQueue { isMain ? .main : .global(qos: qos) }

  private var qos: DispatchQoS.QoSClass {
    // SAFETY: that is what the runtime's pointer is.
    switch unsafeBitCast(job, to: UnownedJob.self).priority.rawValue {
    case 0x21...: .userInteractive
    case 0x19...: .userInitiated
    case 0x15..., 0: .default
    case 0x11...: .utility
    default: .background
    }
  }
}

/// A C function that is called later.
private struct LaterCall: @unchecked Sendable {
  // SAFETY of @unchecked: whoever submits a function with its context gives both away.
  let work: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let context: UnsafeMutableRawPointer?
  func run() { work(context) }
}
