// MainLimit.swift: how long an item of the main queue may run before it is reported, as people write it. Who monitors them is MainItemMonitor
// in SignalboxDispatch.

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
