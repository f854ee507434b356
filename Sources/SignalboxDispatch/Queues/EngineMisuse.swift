// EngineMisuse.swift: stopping and warning, as this module does both: once the diagnosis knows what queues and groups are called. A
// program may be stopped before any of its threads has waited for one.
import SignalboxDiagnosis
import SignalboxSystem

/// In this module in place of `SignalboxSystem.Misuse`.
enum Misuse {
  typealias Subject = SignalboxSystem.Misuse.Subject

  /// Ends the program: see `Misuse.stop` of SignalboxDiagnosis.
  @inline(never) static func stop(_ message: String, about subject: Subject? = nil) -> Never {
    if !Instruments.isForkedChild { _ = QueueWaits.installed }
    SignalboxSystem.Misuse.stop(message, about: subject)
  }

  /// Finds out who we are, for messages in the child of a fork.
  static func learnOwnName() { SignalboxSystem.Misuse.learnOwnName() }

  /// Writes one line on standard error and goes on.
  static func report(_ message: String) { SignalboxSystem.Misuse.report(message) }
}
