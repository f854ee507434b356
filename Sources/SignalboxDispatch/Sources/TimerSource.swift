// TimerSource.swift: a source that fires at a time and again. What it does is in TimerCore.swift; this is the object that its
// users hold, so that letting go of it is noticed although timers and queues still hold the core.
import SignalboxSystem

/// A timer source.
///
/// Inactive at birth. Events, the registration handler and the cancel handler run one at a time, in turn with the target
/// queue's items. Letting go of the last reference without cancelling ends the events; the cancel handler then never runs.
///
/// Thread safety: every method may be called from any thread.
package final class TimerSource: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: the core guards itself.
  private let core: TimerCore

  /// A timer whose handlers run on `queue`; nil means the default global queue.
  package init(queue: DispatchQueue?) {
    core = TimerCore(target: queue ?? GlobalQueues.queue(for: .default))
    super.init()
  }

  deinit { core.abandon() }

  package override func activate() { core.activate() }
  package override func suspend() { core.queue.suspend() }
  /// Takes one `suspend()` back; activates an inactive source that is not suspended, as the header says.
  package override func resume() { core.resume() }
  package override func setTarget(queue: DispatchQueue?) { core.setTarget(queue ?? GlobalQueues.queue(for: .default)) }

  /// Fires at `start`, a raw time, and every `interval` nanoseconds after; `UInt64.max` fires once. Replaces what was set
  /// before; events that have not been handled yet are forgotten.
  package func set(start: dispatch_time_t, interval: UInt64) { core.set(start: start, interval: interval) }

  /// No further events; the cancel handler runs once, after the handler that is running.
  package func cancel() { core.cancel() }
  package var isCancelled: Bool { core.isCancelled }

  /// How often the time came since the last event: of use inside the handler.
  package var data: UInt { core.data }

  package func setHandler(_ kind: TimerCore.HandlerKind, _ handler: SourceHandler?) { core.setHandler(kind, handler) }

  package var context: UnsafeMutableRawPointer? {
    get { core.context.value }
    set { core.context.value = newValue }
  }
  package func setFinalizer(_ function: CFunction?) { core.context.setFinalizer(function) }
}

/// What a source calls: a closure, or a C function that is given the source's context as it is at the call.
package enum SourceHandler: @unchecked Sendable {
  // SAFETY of @unchecked: runs in the turn of the source's queue; what a closure captures is its maker's business.
  case closure(() -> Void)
  case function(CFunction)

  func call(_ context: CContext) {
    switch self {
    case .closure(let body): body()
    case .function(let function): CWork(function, context.value).run()
    }
  }
}
