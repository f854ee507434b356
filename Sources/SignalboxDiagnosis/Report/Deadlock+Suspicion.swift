// Deadlock+Suspicion.swift: how long a cycle that the program could still open must have stood before it is reported. What is
// certain is reported at once: Deadlock.swift.
import SignalboxSystem

extension Deadlock {
  /// The number of nanoseconds after which such a cycle is reported; nil: never (`suspicionSeconds`).
  package static var suspicionDelay: UInt64? {
    // acquire: pairs with the release in `setSuspicionDelay`; a number, and nothing is read through it
    let delay = delayWord.loadAcquire()
    if delay == never { return nil }
    return delay == unset ? readSuspicionDelay() : delay
  }

  /// Sets it.
  // release: pairs with the acquire in `suspicionDelay`
  static func setSuspicionDelay(_ delay: UInt64?) { delayWord.storeRelease(delay ?? never) }

  private static let unset: UInt64 = .max, never: UInt64 = .max - 1
  private static let delayWord = Atomic64(unset)

  private static func readSuspicionDelay() -> UInt64? {
    let text = Environment.value(SuspicionText.variable)
    let read = text == "off" ? never : text.map { SuspicionText.nanoseconds($0) ?? unset } ?? SuspicionText.standard
    let delay = read == unset ? SuspicionText.standard : read
    // acquire-release: of several who read the environment one decides, and a setter before them
    guard delayWord.casAcqRel(unset, delay).exchanged else { return suspicionDelay }
    if read == unset {
      Misuse.report("\(SuspicionText.variable)=\(text ?? "") is not \(SuspicionText.rule), nor off: 5 is used")
    }
    return delay == never ? nil : delay
  }
}

/// The delay as people write it.
enum SuspicionText {
  fileprivate static let variable = "SIGNALBOX_SUSPECT_AFTER"
  static let rule = "a number of seconds from 0 to 86400"
  fileprivate static let standard: UInt64 = 5_000_000_000

  fileprivate static func nanoseconds(_ text: String) -> UInt64? {
    // The stall detector's numbers, and none.
    text.contains { $0 != "0" && $0 != "." } || !text.contains("0") ? StallPeriod.nanoseconds(text) : 0
  }
}
