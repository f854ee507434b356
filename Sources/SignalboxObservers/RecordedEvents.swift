// RecordedEvents.swift: the recorder as a subscriber: what an event's object is called, once, and the event into the
// thread's ring. Of items more is written than their words: RecordedItem.swift. The object of an event is alive while
// its subscribers run.
import SignalboxDispatch
import SignalboxRecorder
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum RecordedEvents {
  static func hears(_ event: Event) {
    let object = event.object, second = event.second, third = event.third
    switch event.kind {
    case .submitted, .placeFilled: return RecordedItem.submitted(object, Slot(second, third))
    case .started: return RecordedItem.starts(Slot(second, third))
    case .ended, .turnEnded, .waitEnded: return RecordHooks.write(event.kind)
    case .gone: return isGone(object, second)
    case .timerFired: return RecordedTimer.fired(UInt64(object), second, late: third)
    case .turnBegan:
      RecordedNames.name(queue: object)
      return RecordHooks.write(.turnBegan, UInt64(object) | second)
    case .turnHanded: RecordedNames.name(queue: object)
    case .timerArmed:
      RecordedNames.name(timer: object)
      return RecordHooks.write(.timerArmed, UInt64(object), second, min(third, EventCell.addressMask))
    case .sourceBegan: RecordedNames.name(timer: object)
    case .waitBegan: RecordedNames.name(WaitKind(rawValue: UInt8(truncatingIfNeeded: third)) ?? .none, object)
    case .groupEntered, .groupLeft: RecordedNames.name(.group, object)
    case .semaphoreSignalled: RecordedNames.name(.semaphore, object)
    case .workItemCancelled: RecordedNames.name(.workItem, object)
    case .onceBegan:
      // What lay there before may have been a token, too, which does not say when it goes.
      RecordHooks.gone(object)
      RecordedNames.name(.once, object)
    default: break
    }
    RecordHooks.write(event.kind, UInt64(object), second, third)
  }

  /// By the address of a source's queue the source is known as well.
  private static func isGone(_ object: UInt, _ kind: UInt64) {
    RecordHooks.gone(object)
    if kind == UInt64(WaitKind.sync.rawValue) { RecordHooks.gone(UInt(RecordedTimer.place(object))) }
  }
}
