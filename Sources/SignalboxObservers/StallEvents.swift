// StallEvents.swift: what the stall detector notes: where groups were entered and queues stopped, and what each thread
// has run last, for the report of a program in which nothing is left that could happen. What runs now is known from
// frames (ItemWords.swift).
import SignalboxDispatch
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

enum StallEvents {
  static func hears(_ event: Event) {
    if event.kind.needsWorkers || event.kind == .mainLoopBegan { Diagnosis.above?.stallDetectorIsNeeded() }
    switch event.kind {
    case .groupEntered: EnterNotes.entered(event.object, event.site)
    case .groupLeft: EnterNotes.left(event.object, event.second)
    case .queueStopped: StopNotes.stopped(event.object, event.site)
    case .queueGoesOn: StopNotes.forget(event.object)
    case .gone:
      switch WaitKind(rawValue: UInt8(truncatingIfNeeded: event.second)) {
      case .group: EnterNotes.forget(event.object)
      case .sync: StopNotes.forget(event.object)
      default: break
      }
    // A queue is no item: its own items are.
    case .started where event.second != SlotKind.queue:
      let words = ItemWords.essence(Slot(event.second, event.third))
      LastItems.note(.init(kind: words.kind, function: words.function, inner: words.inner, since: Clock.uptime()))
    default: break
    }
  }
}
