// SourceHandler.swift: what a source calls. When it is called is SourceCore's.
import SignalboxSystem

/// A closure, a work item, or a C function that is given the source's context as it is at the call.
package enum SourceHandler: @unchecked Sendable {
  // SAFETY of @unchecked: runs in the turn of the source's queue; what a closure captures is its maker's business.
  case closure(() -> Void)
  case workItem(DispatchWorkItem)
  case function(CFunction)

  func call(_ source: SourceCore) {
    switch self {
    case .closure(let body): body()
    case .workItem(let item): item.perform()
    case .function(let function): CWork(function, source.sourceContextValue).run()
    }
  }
}

extension SourceHandler {
  /// The same handler, after all that the calling thread has done, and as an item of `core`, in the thread sanitizer's eyes; without the
  /// sanitizer, the handler itself. For one that was given past the sanitizer's runtime.
  func inSanitizedOrder(of core: SourceCore) -> SourceHandler {
    guard SanitizedOrder.isWatched else { return self }
    SanitizedOrder.precede(core, 0)
    // SAFETY: the core calls it, so the core is there.
    let core = Unmanaged.passUnretained(core)
    return .closure { Lent(core).use { core in core.asSanitizedItem { call(core) } } }
  }

  /// A closure as a generic argument would be wrapped.
  private struct Plain { let body: () -> Void }

  /// The address of what it calls; 0: not known.
  var function: UInt64 {
    switch self {
    // SAFETY: a struct of one closure is its two words: the function, and the context.
    case .closure(let body): UInt64(unsafeBitCast(Plain(body: body), to: (UInt, UInt).self).0)
    case .workItem: 0
    case .function(let function): UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)))
    }
  }
}

/// The handlers of one source; guarded by its lock.
struct SourceHandlers {
  var registration: SourceHandler?
  var event: SourceHandler?
  var cancel: SourceHandler?
  /// Whether the registration handler is due: the source is monitoring.
  var isRegistered = false
  /// Whether the cancel handler has been called, or would have been.
  var isFinished = false

  /// Puts a handler in the place of another, which is for the caller to release outside of the lock.
  mutating func set(_ kind: SourceCore.HandlerKind, _ handler: SourceHandler?) -> SourceHandler? {
    var new = handler
    switch kind {
    case .registration: swap(&registration, &new)
    case .event: swap(&event, &new)
    case .cancel: swap(&cancel, &new)
    }
    return new
  }

  /// Leaves nothing to be called; what was there is for the caller to release outside of the lock.
  mutating func take() -> SourceHandlers {
    defer { (registration, event, cancel) = (nil, nil, nil) }
    return self
  }
}
