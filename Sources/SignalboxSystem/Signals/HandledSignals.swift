// HandledSignals.swift: the signals that anybody may send and a function of the program's answers. Monitoring signals is
// Signals.swift.
import CSignalbox
import Glibc

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
