// Signals.swift: monitoring signals sent to the process, whatever the program does with them besides (signals.c).
import CSignalbox
import Glibc

/// A signal as a number.
public enum SignalNumber {
  /// Whether a program can monitor it.
  public enum Judgement: Sendable {
    /// It can.
    case watchable
    /// There is no such signal, or the C library keeps it to itself.
    case unknown
    /// The kernel keeps it to itself: SIGKILL and SIGSTOP.
    case notForPrograms
  }

  /// What can be done with signal `number`.
  public static func judge(_ number: Int32) -> Judgement {
    switch number {
    case SIGKILL, SIGSTOP: .notForPrograms
    case 1..<32, 34...64: .watchable  // 32 and 33 are the C library's
    default: .unknown
    }
  }

  /// What to say of those that are not for programs.
  public static let refusal =
    "the kernel reports SIGKILL and SIGSTOP to no program; use SIGCONT to learn that the process continues after a stop, "
    + "SIGTSTP for a stop by the terminal, and SIGTERM for a request to end"
}

/// Counts of signals.
public enum SignalCounts {
  /// Makes `event` readable at each monitored signal from now on; it must stay open forever.
  public static func tell(_ event: EventDescriptor) { sb_signal_event(event.descriptor) }

  /// Begins to count a signal; what it does besides stays as the program has set it, but its default action is not taken.
  public static func watch(_ number: Int32) throws(SystemError) { try checked("sigaction", sb_signal_watch(number)) }

  /// Takes one `watch` back. With the last one the signal does again what the program asked for.
  public static func unwatch(_ number: Int32) { sb_signal_unwatch(number) }

  /// How often the signal has come while it was monitored. The kernel may make one of several that come close together.
  public static func count(_ number: Int32) -> UInt64 { sb_signal_count(number) }

  /// Whether the calling thread takes the signal. One of our threads has to, where the program's have it blocked.
  public static func takeHere(_ number: Int32, _ whether: Bool) { _ = sb_signal_take_here(number, whether ? 1 : 0) }
}
