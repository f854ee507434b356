// Subscribers.swift: subscribers of events that know no queue: the explorer, the recorder, and counts for tests. The
// order of locks is one as well: LockEvents.swift.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

// MARK: the explorer

// Operations are points, at which another thread may go first; the rest says what a step depends on.

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

// MARK: the recorder, in programs that have locks and no queues

// Where there are queues, it is RecordedEvents.swift (SignalboxObservers), whichever of the two is registered first.

enum RecordedWaits {
  static func hears(_ event: Event) {
    let object = UInt64(event.object)
    switch event.kind {
    case .waitBegan:
      let kind = WaitKind(rawValue: UInt8(truncatingIfNeeded: event.third)) ?? .none
      RecordHooks.name(.object, object, extra: UInt64(kind.rawValue)) { ObjectNaming.name(kind, event.object) }
      RecordHooks.write(.waitBegan, object, event.second, event.third)
    case .waitEnded: RecordHooks.write(.waitEnded)
    case .reported: RecordHooks.write(.reported, object, event.second)
    case .gone: RecordHooks.gone(event.object)
    default: break  // of queues
    }
  }
}

// MARK: how often each operation happened, for tests

package enum EventCounts {
  private static let counts = InlineArray<256, Atomic64> { _ in Atomic64(0) }

  static func hears(_ event: Event) {
    _ = counts[Int(event.kind.rawValue)].addRelaxed(1)  // relaxed: statistics, read alone
  }

  /// How often that happened while operations were counted.
  // relaxed: statistics, nothing is read through the number
  package static func count(of kind: EventKind) -> UInt64 { counts[Int(kind.rawValue)].loadRelaxed() }
}
