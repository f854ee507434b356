// Waiting.swift: the one call every wait of ours makes before it parks: leave the record, then search for a cycle.
import SignalboxSystem

/// The slow path of a wait, as the diagnosis sees it.
public enum Waiting {
  /// Says what the calling thread is about to wait for; if that can never end, it is reported before the thread parks.
  ///
  /// Parameters as in `WaitRecord.publish`. `WaitRecord.withdraw()` must follow when the wait is over.
  public static func begin(
    _ kind: WaitKind, object: UInt, isTimed: Bool, park: (word: UInt, value: UInt32)? = nil, _ words: OwnerWords
  ) {
    let since = Clock.uptime()
    func publish() {
      WaitRecord.publish(kind, object: object, isTimed: isTimed, park: park, words, since: since)
      if !isTimed { noticed() }
    }
    publish()
    if !isTimed, Deadlock.check() { publish() }
  }

  /// A record of a wait without limit stands: who scans for what no walk finds may sleep.
  static func noticed() {
    ForeignCycleDetector.noticed()
    if Instruments.byte & Instruments.stallDetector != 0 { StallDetector.noticed() }
  }
}
