// DeliveredSignals.swift: which signals the program goes on after, so that it can handle them. How they are counted is
// Signals.swift.
import CSignalbox
import Glibc

/// Signals that can be delivered to this process without ending or stopping it, as things are now.
public enum DeliveredSignals {
  /// Those that the program handles or ignores, and those that do nothing when it does neither.
  ///
  /// Left out are the signals that a thread raises by a fault of its own, and SIGCHLD while it is ignored: the kernel then takes
  /// children away, which it would not do if the signal were counted.
  public static var now: [Int32] { (1...64).filter(isSurvived) }

  private static func isSurvived(_ number: Int32) -> Bool {
    let isFault = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT].contains(number)
    guard !isFault, SignalNumber.judge(number) == .watchable else { return false }
    switch Int(sb_signal_disposition(number)) {
    case SB_SIGNAL_DEFAULT: return [SIGCHLD, SIGURG, SIGWINCH, SIGCONT].contains(number)
    case SB_SIGNAL_IGNORED: return number != SIGCHLD
    case SB_SIGNAL_HANDLED: return true
    default: return false
    }
  }
}
