// ExplorerEvents.swift: the explorer as a subscriber: operations are points, at which another thread may go first; the
// rest says what a step depends on.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum ExplorerEvents {
  static func hears(_ event: Event) {
    let object = event.object
    switch event.kind {
    case .touched: ExplorerLink.touch(instance: object)
    case .queueTouched: ExplorerLink.touch(queue: object)
    case .wordTouched: ExplorerLink.touch(word: object)
    case .untoldUsed: ExplorerLink.usesUnseen()
    case .queueStopped: ExplorerLink.stopped(object, true)
    case .queueGoesOn: ExplorerLink.stopped(object, false)
    case .gone:
      ExplorerLink.gone(object)
      if event.second == UInt64(WaitKind.sync.rawValue) { ExplorerLink.stopped(object, false) }
    // Which item it is has no address that is the same in each run.
    case .started: ExplorerLink.pass(Int(event.kind.rawValue), object: 0)
    case .groupLeft: ExplorerLink.pass(Int(event.kind.rawValue), object: object, count: event.second)
    default: ExplorerLink.pass(Int(event.kind.rawValue), object: object)
    }
  }
}
