// FlightPeriod.swift: how a flight recording is asked for: of how many seconds, and what is reported where that is no such number. What is
// recorded is SignalboxRecorder's.

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
