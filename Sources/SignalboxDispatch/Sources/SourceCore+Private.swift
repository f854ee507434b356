// SourceCore+Private.swift: what only C's private functions ask of a source: waiting for its end, and a cancel handler that must
// have been called.
import SignalboxSystem

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
