// Deadlock+Suspicion.swift: how long a circle that the program could still open must have stood before it is told of. What is
// certain is told at once: Deadlock.swift.
import SignalboxSystem

extension Deadlock {
  /// After how many seconds a circle through operations that have not begun is told of, as suspected: it must have stood so long
  /// without a change, because `cancel()`, `removeDependency(_:)` or a higher maximum would open it. nil: never. 0: as soon as it
  /// is found.
  ///
  /// At first what `SIGNALBOX_SUSPECT_AFTER` says (seconds, or `off`), else 5. Suspicions never stop the program.
  /// - Precondition: from 0 to 86400, or nil; the program is stopped otherwise.
  public static var suspicionSeconds: Double? {
    get { suspicionDelay.map { Double($0) / 1e9 } }
    set {
      guard newValue.map({ (0...86_400).contains($0) }) ?? true else {
        Misuse.stop("Deadlock.suspicionSeconds is set to \(newValue!): give \(SuspicionText.rule), or nil for never")
      }
      delayWord.storeRelease(newValue.map { UInt64($0 * 1e9) } ?? never)
      ForeignCycleDetector.noticed()
    }
  }

  /// The same in nanoseconds.
  package static var suspicionDelay: UInt64? {
    let delay = delayWord.loadAcquire()
    if delay == never { return nil }
    return delay == unset ? readSuspicionDelay() : delay
  }

  private static let unset: UInt64 = .max, never: UInt64 = .max - 1
  private static let delayWord = Atomic64(unset)

  private static func readSuspicionDelay() -> UInt64? {
    let text = Environment.value(SuspicionText.variable)
    let read = text == "off" ? never : text.map { SuspicionText.nanoseconds($0) ?? unset } ?? SuspicionText.standard
    let delay = read == unset ? SuspicionText.standard : read
    guard delayWord.casAcqRel(unset, delay).exchanged else { return suspicionDelay }
    if read == unset {
      Misuse.report("\(SuspicionText.variable)=\(text ?? "") is not \(SuspicionText.rule), nor off: it is 5 now")
    }
    return delay == never ? nil : delay
  }
}

/// The delay as people write it.
private enum SuspicionText {
  static let variable = "SIGNALBOX_SUSPECT_AFTER"
  static let rule = "a number of seconds from 0 to 86400"
  static let standard: UInt64 = 5_000_000_000

  static func nanoseconds(_ text: String) -> UInt64? {
    // The watch's numbers, and none.
    text.contains { $0 != "0" && $0 != "." } || !text.contains("0") ? StallPeriod.nanoseconds(text) : 0
  }
}
