// Signals.swift: signals sent to the process: monitoring them, whatever the program does with them besides (signals.c).
// Also which of them it goes on after, and which it handles.
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

// MARK: which signals the program goes on after, so that it can handle them

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

// MARK: which signals anybody may send, and a function of the program's answers

/// The program's own signal handlers.
public enum HandledSignals {
  /// The signals that the program handles and that others may send, as things are now.
  ///
  /// Left out are those that a thread raises by a fault of its own, which crash reporters handle; functions of ours; and those of
  /// the Swift runtime's own backtraces.
  /// - Note: a system call for each signal.
  public static var now: [Int32] {
    let handled = (Int32(1)...64).compactMap { number -> (number: Int32, function: UInt)? in
      guard SignalNumber.judge(number) == .watchable, !faults.contains(number) else { return nil }
      let function = sb_signal_function(number)
      return function == 0 || sb_unwinds(function) != 0 ? nil : (number, function)
    }
    return handled.filter { sb_is_backtracer($0.function) == 0 }.map(\.number)
  }

  /// What a signal is called: `SIGTERM`, or by its number.
  public static func name(_ number: Int32) -> String { names[number] ?? "signal \(number)" }

  private static let names: [Int32: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGUSR1: "SIGUSR1", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE",
    SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGCHLD: "SIGCHLD", SIGCONT: "SIGCONT", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN",
    SIGTTOU: "SIGTTOU", SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM", SIGPROF: "SIGPROF",
    SIGWINCH: "SIGWINCH", SIGIO: "SIGIO", SIGPWR: "SIGPWR",
  ]

  private static let faults: Set<Int32> = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT]
}

// MARK: Ctrl-C, and a wish that the process ends, as something that a command asks for

/// The signals that ask a command to end: SIGINT and SIGTERM.
///
/// Thread safety: any thread.
public enum Interrupts {
  // The kernel's numbers.
  private static let signals: [Int32] = [2, 15]

  /// From now on they end nothing by themselves. Where the kernel refuses, the command ends by them, as others do.
  public static func watch() {
    for signal in signals { try? SignalCounts.watch(signal) }
  }

  /// Whether one has come since.
  public static var haveCome: Bool { signals.contains { SignalCounts.count($0) > 0 } }
}
