// SystemNumbers.swift: the system's numbers that upper layers must name: of signals, by name as well, and of errors.
// Monitoring signals is Signals.swift, an error as a value SystemError.swift.
import Glibc

// MARK: signals

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

// MARK: errors

/// The system's numbers for errors that layers above return by themselves.
public enum ErrorNumber {
  /// `EDEADLK`: the caller would wait for itself.
  public static let deadlock = EDEADLK
  /// `EPERM`: not the caller's to do.
  public static let notPermitted = EPERM
  /// `EBADF`: no open descriptor.
  public static let badDescriptor = EBADF
  /// `EFAULT`: no memory lies there.
  package static let noMemoryThere = EFAULT
  /// `ENOENT`: there is no such thing.
  public static let noEntry = ENOENT
  /// `EEXIST`: it is there already.
  public static let exists = EEXIST
}
