// Deadlock+SuspicionSeconds.swift: the program's word on how long what is suspected must have stood: the monitor hears of a new one. Where
// it is kept is Deadlock+Suspicion.swift.
import SignalboxSystem

extension Deadlock {
  /// The number of seconds after which a circle through operations that have not begun is reported as suspected: it must have stood so long
  /// without a change, because `cancel()`, `removeDependency(_:)` or a higher maximum would open it. nil: never. 0: as soon as it
  /// is found.
  ///
  /// At first what `SIGNALBOX_SUSPECT_AFTER` says (seconds, or `off`), else 5. Suspicions never stop the program.
  /// - Precondition: from 0 to 86400, or nil; the program is stopped otherwise.
  public static var suspicionSeconds: Double? {
    get { suspicionDelay.map { Double($0) / 1e9 } }
    set {
      if let seconds = newValue, !(0...86_400).contains(seconds) {
        Misuse.stop("Deadlock.suspicionSeconds is set to \(seconds): give \(SuspicionText.rule), or nil for never")
      }
      setSuspicionDelay(newValue.map { UInt64($0 * 1e9) })
      ForeignCycleDetector.noticed()
    }
  }
}
