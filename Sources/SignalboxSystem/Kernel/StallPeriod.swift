// StallPeriod.swift: how long nothing may move before the stall detector scans, as people write it. What it searches for is
// SignalboxDiagnosis/Stalls.

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
