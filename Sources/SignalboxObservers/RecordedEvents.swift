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
    case .forgotten: return RecordHooks.gone(object)
    case .timerFired: return RecordHooks.write(.timerFired, UInt64(object), second, lateness(third))
    case .turnBegan:
      RecordedNames.name(queue: object)
      return RecordHooks.write(.turnBegan, UInt64(object) | second)
    case .turnHanded: RecordedNames.name(queue: object)
    case .timerArmed:
      RecordedNames.name(timer: object)
      return RecordHooks.write(.timerArmed, UInt64(object), second, min(third, EventCell.addressMask))
    case .loopTimerArmed:
      RecordedNames.name(.object, UInt64(object), of: event) { $0.object }
      return RecordHooks.write(.timerArmed, UInt64(object), 0, min(third, EventCell.addressMask))
    case .loopBegan:
      RecordedNames.name(.object, UInt64(object), of: event) { $0.object }
      RecordedNames.name(.note, second, of: event) { $0.second }
    case .operationAdded, .operationBegan:
      RecordedNames.name(operation: object, second, third)
      return RecordHooks.write(event.kind, UInt64(object), second, third & ~OperationTraits.isClass)
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
    if kind == UInt64(WaitKind.sync.rawValue) { RecordHooks.gone(object | 1) }
  }

  /// As a recording says how many nanoseconds after its leeway a timer has fired: and one. A clock that was set back
  /// makes it early.
  private static func lateness(_ nanoseconds: UInt64) -> UInt64 {
    (Int64(bitPattern: nanoseconds) < 0 ? 0 : min(nanoseconds, EventCell.addressMask - 1)) + 1
  }
}
