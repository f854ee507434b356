// RecordedWaits.swift: the recorder as a subscriber in programs that have locks and no queues. Where there are queues,
// it is RecordedEvents.swift (SignalboxObservers), whichever of the two is registered first.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

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
