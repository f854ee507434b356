// DispatchQueue+Suspend.swift: suspending, resuming, activating: keeping a queue from starting further items.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  final func suspendSelf() {
    guard canStop else { return }
    Events.emit(.suspended, address)
    let done: Bool? = tryUpdate { state in state.afterSuspend().map { ($0, true) } }
    if done == nil { Misuse.stop("queue \"\(name)\" is suspended more than \(QueueState.suspendCount.mask) times at once") }
    Events.emit(.queueStopped, address)
  }

  final func resumeSelf() {
    guard canStop else { return }
    Events.emit(.resumed, address)
    let recheck: Bool? = tryUpdate { state in state.afterResume().map { ($0.next, $0.recheck) } }
    guard let recheck else {
      Misuse.stop(
        "queue \"\(name)\" is resumed more often than suspended: every resume() needs an earlier suspend(); "
          + "an inactive queue starts with activate()")
    }
    if recheck { recheckAfterStop() }
  }

  final func activateSelf() {
    guard canStop else { return }
    Events.emit(.activated, address)
    Events.emit(.queueTouched, address)
    let recheck: Bool? = tryUpdate { state in state.afterActivate().map { ($0.next, $0.recheck) } }
    if recheck == true { recheckAfterStop() }
  }

  private final func recheckAfterStop() {
    Events.emit(.queueGoesOn, address)
    if !list.isEmpty { wakeIfNeeded() }
  }
}
