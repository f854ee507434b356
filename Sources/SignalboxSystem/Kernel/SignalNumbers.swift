// SignalNumbers.swift: signals by number and name. Monitoring them is Signals.swift.
import Glibc

/// Numbers of signals that upper layers must name.
public enum Signals {
  /// What `abort` raises.
  public static let abort: Int32 = SIGABRT
  /// What ends a process at once.
  public static let kill: Int32 = SIGKILL
  /// What stops a process; no program can handle it.
  public static let stop: Int32 = SIGSTOP
  /// What lets a stopped process go on; a program can handle it.
  public static let proceed: Int32 = SIGCONT

  /// Sends this process a signal.
  ///
  /// - Throws: `SystemError`: `EINVAL` for a number that is no signal.
  public static func sendToSelf(_ number: Int32) throws(SystemError) {
    try checkedErrno("kill", Glibc.kill(getpid(), number))
  }

  /// The signal's name and number.
  public static func name(_ number: Int32) -> String {
    let names = [
      SIGABRT: "SIGABRT", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGTERM: "SIGTERM",
      SIGBUS: "SIGBUS", SIGINT: "SIGINT",
    ]
    return names[number] ?? "signal \(number)"
  }
}
