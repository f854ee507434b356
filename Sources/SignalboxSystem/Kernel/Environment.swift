// Environment.swift: the variables of Signalbox that the process was started with. Those of programs it starts are SignalboxLaunch's.
import CSignalbox
import Glibc

/// The process's environment variables, those of Signalbox.
public enum Environment {
  /// The value of `name`; nil when unset, or when the program runs with more rights than its caller (AT_SECURE).
  public static func value(_ name: String) -> String? {
    guard sb_secure_execution() == 0, let value = getenv(name) else { return nil }
    return String(cString: value)
  }
}
