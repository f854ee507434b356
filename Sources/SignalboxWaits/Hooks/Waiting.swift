// Waiting.swift: the one call that every wait makes before it parks. Alone: all waits share it, and none has it.
// It leaves the record, then searches for a cycle.
import SignalboxSystem
import SignalboxView
import SignalboxWords

/// The slow path of a wait, as the diagnosis sees it.
public enum Waiting {
  /// Says what the calling thread is about to wait for; if that can never end, it is reported before the thread parks.
  ///
  /// Parameters as in `WaitRecord.publish`. `WaitRecord.withdraw()` must follow when the wait is over.
  public static func begin(
    _ kind: WaitKind, object: UInt, isTimed: Bool, park: (word: UInt, value: UInt32)? = nil, _ words: OwnerWords
  ) {
    if Events.areWanted(.waitBegan) { tell(kind, object, words) }
    let since = Clock.uptime()
    func publish() {
      WaitRecord.publish(kind, object: object, isTimed: isTimed, park: park, words, since: since)
      if !isTimed { noticed() }
    }
    publish()
    if !isTimed, Diagnosis.above?.waitBegins() == true { publish() }
  }

  /// What is waited for, and which thread has it at this moment. The caller waits for the object, which is alive.
  @inline(never)
  private static func tell(_ kind: WaitKind, _ object: UInt, _ words: OwnerWords) {
    let holder = words.count == 0 ? 0 : OwnerReader().read(words[0], isKept: true).owner
    // A turn that was handed over a moment ago names the waiter itself.
    let other = holder == ThreadSlot.owner() ? 0 : holder
    Events.tell(.waitBegan, object, other, UInt64(kind.rawValue))
  }

  /// A record of a wait without limit stands: a thread that scans for what no walk finds may sleep.
  package static func noticed() {
    MonitorWord.noticed()
    if Instruments.byte & Instruments.stallDetector != 0 { Diagnosis.above?.stallDetectorIsNeeded() }
  }
}
