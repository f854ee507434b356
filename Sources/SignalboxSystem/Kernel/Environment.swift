// Environment.swift: the variables of Signalbox that the process was started with, and how people write what they ask
// for. Those of programs that it starts are SignalboxLaunch's.
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

// MARK: an inspection

// Whether a process is to let itself be asked what it is doing. Under which name it is found then is
// InspectionPlace.swift.

/// What the environment says of that.
public enum InspectionRequest {
  /// The variable by which a program lets itself be asked.
  public static let variable = "SIGNALBOX_INSPECT"

  /// Whether the environment asks for it. Says what cannot be understood.
  public static let isWanted: Bool = {
    guard let text = Environment.value(variable), text != "0" else { return false }
    if text == "1" { return true }
    Misuse.report("\(variable)=\(text) is not 0 or 1: the program cannot be inspected")
    return false
  }()
}

// MARK: a search for stalls

// How long nothing may move before the stall detector scans. What it searches for is SignalboxDiagnosis/Stalls.

/// A period in seconds: the value of SIGNALBOX_WATCH and of `signalbox run --watch`.
public enum StallPeriod {
  /// The variable that switches the stall detector on.
  public static let variable = "SIGNALBOX_WATCH"
  /// The period where none is given, in seconds.
  public static let standard = "5"
  /// What may be written.
  public static let rule = "a number of seconds from 0.01 to 86400"

  /// The nanoseconds that `text` stands for; nil if it is no such number.
  public static func nanoseconds(_ text: String) -> UInt64? {
    guard text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let seconds = Double(text), (0.01...86_400).contains(seconds)
    else { return nil }
    return UInt64(seconds * 1e9)
  }

  /// What the environment asks for, in nanoseconds; nil where the stall detector is off. Says once what cannot be understood.
  public static let fromEnvironment: UInt64? = {
    guard let text = Environment.value(variable), text != "0", text != "off" else { return nil }
    if let period = nanoseconds(text) { return period }
    Misuse.report("\(variable)=\(text) is not \(rule), nor off: the stall detector stays off")
    return nil
  }()
}

// MARK: a limit for items of the main queue

// How long an item may run before it is reported. MainItemMonitor of SignalboxObservers monitors them.

/// A limit in milliseconds: the value of SIGNALBOX_MAIN_LIMIT and of `signalbox run --main-limit`.
public enum MainLimit {
  /// The variable that sets it.
  public static let variable = "SIGNALBOX_MAIN_LIMIT"
  /// What may be written.
  public static let rule = "a number of milliseconds from 1 to 86400000"

  /// The nanoseconds that `text` stands for; nil if it is no such number.
  public static func nanoseconds(_ text: String) -> UInt64? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let milliseconds = UInt64(text)
    else { return nil }
    let (limit, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return !overflow && range.contains(limit) ? limit : nil
  }

  /// The limits that may be set, in nanoseconds.
  public static let range: ClosedRange<UInt64> = 1_000_000...86_400_000_000_000

  /// What the environment asks for, in nanoseconds; nil where items are not monitored. Says once what cannot be understood.
  public static let fromEnvironment: UInt64? = {
    guard let text = Environment.value(variable), text != "0", text != "off" else { return nil }
    if let limit = nanoseconds(text) { return limit }
    Misuse.report("\(variable)=\(text) is not \(rule), nor off: items of the main queue are not monitored")
    return nil
  }()
}

// MARK: a flight recording

// Of how many seconds, and what is reported where that is no such number. What is recorded is SignalboxRecorder's.

/// The seconds of a flight recording, as `signalbox run --flight=SECONDS` and the environment have them.
public enum FlightPeriod {
  /// The variable that asks for one.
  public static let variable = "SIGNALBOX_FLIGHT"
  /// The seconds where none are given.
  public static let standard = "10"
  /// What may be written.
  public static let rule = "a whole number of seconds from 1 to 3600"
  /// The file where none is named; `%p` is the process's number.
  public static let file = "signalbox-flight.%p"

  /// The seconds that `text` stands for; nil if it is no such number.
  public static func seconds(_ text: String) -> UInt64? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let seconds = UInt64(text),
      (1...3600).contains(seconds)
    else { return nil }
    return seconds
  }

  /// What the environment asks for; 0: nothing. Says what cannot be understood.
  public static func fromEnvironment() -> UInt64 {
    guard let text = Environment.value(variable), text != "0", text != "off" else { return 0 }
    if let found = seconds(text.isEmpty ? standard : text) { return found }
    Misuse.report("\(variable)=\(text) is not \(rule), nor off: there is no flight recording")
    return 0
  }
}
