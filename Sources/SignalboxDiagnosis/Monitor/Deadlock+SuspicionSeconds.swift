// Deadlock+SuspicionSeconds.swift: the program's word on how long what is suspected must have stood: the monitor hears of a new one. Where
// it is kept is Deadlock+Suspicion.swift.
import SignalboxSystem

extension Deadlock {
  /// The number of seconds after which a cycle of operations that have not started is reported as suspected; nil for never, 0
  /// for at once. The cycle must have existed unchanged for that time, because `cancel()`, `removeDependency(_:)` or a higher
  /// maximum would break it.
  ///
  /// Initially set by `SIGNALBOX_SUSPECT_AFTER` (seconds, or `off`), otherwise 5. A suspected deadlock never stops the program.
  /// - Precondition: the value is from 0 to 86400, or nil; otherwise the program is stopped.
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
