// DispatchSource.swift: the object that a source's users hold, so that letting go of it is noticed although the event
// thread and queues still hold what it is made of (SourceCore). What it offers by kind is SourceProtocols.swift.
import SignalboxSystem
import SignalboxWaits

/// Monitors one kind of event and calls handlers on a queue.
///
/// A source is created inactive. Its registration handler, event handler and cancel handler run one at a time, in turn with the
/// items of the target queue. Events that arrive meanwhile are merged into one. If the last reference goes without `cancel()`,
/// events stop and the cancel handler never runs.
///
/// Thread safety: every method may be called from any thread.
///
/// ```swift
/// let timer = DispatchSource.makeTimerSource(queue: .global()), ticks = DispatchSemaphore(value: 0)
/// timer.schedule(deadline: .now(), repeating: .milliseconds(10))
/// timer.setEventHandler { ticks.signal() }
/// timer.activate()
/// for _ in 1...3 { ticks.wait() }
/// timer.cancel()
/// ```
public class DispatchSource: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: the core guards itself.
  /// First, since the thread sanitizer takes it for the target (SanitizerWords).
  package final let core: SourceCore

  package init(_ core: SourceCore) {
    self.core = core
    super.init()
  }

  deinit {
    SanitizedDeeds.hands(self, over: core)
    core.abandon()
  }

  /// What `print` shows.
  override final func text(at address: UInt) -> String {
    // acquire: pairs with the swap that activated or suspended the source's queue; for people.
    let state = core.isCancelled ? "cancelled" : core.state.load().stopFact ?? "active"
    return ObjectText.plain("DispatchSource", nil, address, ["\(core.noun) on \"\(core.label)\"", state])
  }

  /// Starts event delivery; has no effect on an active source.
  ///
  /// ```swift
  /// let timer = DispatchSource.makeTimerSource(), fired = DispatchSemaphore(value: 0)
  /// timer.schedule(deadline: .now() + .milliseconds(10))
  /// timer.setEventHandler { fired.signal() }
  /// timer.activate()  // no event comes before
  /// fired.wait()
  /// timer.cancel()
  /// ```
  public override final func activate() { core.activateSource() }
  /// Prevents handlers from starting until a matching `resume()`; a running handler continues.
  ///
  /// ```swift
  /// let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timers"))
  /// timer.schedule(deadline: .now(), repeating: .milliseconds(10))
  /// timer.setEventHandler { print("tick") }
  /// timer.activate()
  /// timer.suspend()  // no handler starts from now on
  /// timer.resume()
  /// timer.cancel()
  /// ```
  public override final func suspend() { core.suspend() }
  /// Reverses one `suspend()`; activates an inactive source that is not suspended. One call too many stops the program.
  ///
  /// ```swift
  /// let timer = DispatchSource.makeTimerSource(), fired = DispatchSemaphore(value: 0)
  /// timer.setEventHandler { fired.signal() }
  /// timer.activate()
  /// timer.suspend()
  /// timer.schedule(deadline: .now())
  /// timer.resume()  // the event that came meanwhile is handled now
  /// fired.wait()
  /// timer.cancel()
  /// ```
  public override final func resume() { core.resumeSource() }
  /// Sets the queue that runs the handlers; nil means the default global queue.
  ///
  /// ```swift
  /// let timer = DispatchSource.makeTimerSource()
  /// let clock = DispatchQueue(label: "clock"), fired = DispatchSemaphore(value: 0)
  /// (timer as? DispatchSource)?.setTarget(queue: clock)
  /// timer.setEventHandler { dispatchPrecondition(condition: .onQueue(clock)); fired.signal() }
  /// timer.schedule(deadline: .now())
  /// timer.activate()
  /// fired.wait()
  /// timer.cancel()
  /// ```
  public override final func setTarget(queue: DispatchQueue?) { core.setTarget(queue: DispatchSource.target(queue)) }

  /// The queue that is meant; nil means the default global queue.
  package static func target(_ queue: DispatchQueue?) -> DispatchQueue { queue ?? GlobalQueues.queue(for: .default) }

  override final var sanitizedCause: UInt { core.address }

  // MARK: what the C face and the protocols offer

  package final func setHandler(_ kind: SourceCore.HandlerKind, _ handler: SourceHandler?) { core.setHandler(kind, handler) }
  package final var context: UnsafeMutableRawPointer? {
    get { core.sourceContextValue }
    set { core.sourceContext.value = newValue }
  }
  package final func setFinalizer(_ function: CFunction?) { core.sourceContext.setFinalizer(function) }
}

// MARK: what only C's private functions ask of it

// They wait for a source's end, or set a cancel handler that must have been called.

extension DispatchSource {
  /// Cancels, and returns when no handler runs any more and the handle is the program's again. An inactive source is activated.
  ///
  /// Stops the program when the source has a cancel handler, which says the same thing, or when a handler of the source asks.
  package final func cancelAndWait() {
    if core.hasCancelHandler {
      Misuse.stop("\(core.sourceName) is cancelled and waited for although it has a cancel handler: have one of the two")
    }
    core.stopIfInsideChain(alone: true)
    let ended = DispatchSemaphore(value: 0)
    core.cancel()
    core.setHandler(.cancel, .closure { ended.signal() })  // called even if the end has come already
    core.activateSource()
    ended.wait()
    SanitizedOrder.follow(core, 0)  // its handlers
  }

  /// Like `setHandler(.cancel, …)`; the source may not be let go of without having been cancelled.
  package final func setMandatoryCancelHandler(_ handler: SourceHandler?) {
    guard handler != nil else {
      Misuse.stop("the mandatory cancel handler of \(core.sourceName) is NULL: give it one, or use an ordinary cancel handler")
    }
    core.mustBeCancelled = true
    core.setHandler(.cancel, handler?.inSanitizedOrder(of: core))
  }
}
