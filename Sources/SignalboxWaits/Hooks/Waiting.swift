// Waiting.swift: the one call every wait of ours makes before it parks: leave the record, then search for a cycle.
import SignalboxRecorder
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
    if RecordHooks.isOn { record(kind, object, words) }
    let since = Clock.uptime()
    func publish() {
      WaitRecord.publish(kind, object: object, isTimed: isTimed, park: park, words, since: since)
      if !isTimed { noticed() }
    }
    publish()
    if !isTimed, Diagnosis.above?.waitBegins() == true { publish() }
  }

  /// For the recorder: what is waited for, and who has it at this moment.
  @inline(never)
  private static func record(_ kind: WaitKind, _ object: UInt, _ words: OwnerWords) {
    // The caller waits for the object: it is alive, and has a name.
    RecordedObject.name(kind, object)
    let holder = words.count == 0 ? 0 : OwnerReader().read(words[0], isKept: true).owner
    // A turn that was handed over a moment ago names the waiter itself.
    let other = holder == ThreadSlot.owner() ? 0 : holder
    RecordHooks.write(.waitBegan, UInt64(object), other, UInt64(kind.rawValue))
  }

  /// A record of a wait without limit stands: who scans for what no walk finds may sleep.
  package static func noticed() {
    MonitorWord.noticed()
    if Instruments.byte & Instruments.stallDetector != 0 { Diagnosis.above?.stallDetectorIsNeeded() }
  }
}
