// DiagnosticReport.swift: a report of any kind, as handlers and files get it, and its number. What a kind says of its
// own is its type's: DeadlockReport, StallReport, LockOrderReport, LongItemReport. How it gets there is
// ReportDelivery.swift.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// A report of any kind: a deadlock, a stall, an order of locks, a long item of the main queue, or a misuse.
///
/// `onReport(_:)` hands these to the program. `SIGNALBOX_REPORT_JSON=FILE` writes `json` of each as one line.
///
/// ```swift
/// Signalbox.onReport { report in
///   print(report.kind, report.time, report.processID, report.stopsProgram)
///   if let deadlock = report.deadlock { print(deadlock.participants.count) }
/// }
/// ```
public struct DiagnosticReport: Sendable {
  /// The kinds of report.
  ///
  /// ```swift
  /// for kind in DiagnosticReport.Kind.allCases { print(kind.rawValue) }
  /// ```
  public enum Kind: String, Sendable, CaseIterable {
    /// Threads, or operations, that wait for one another.
    case deadlock
    /// Waits that no thread is left to end, as the stall detector found.
    case stall
    /// Locks that are acquired in contradictory orders, or held during a wait.
    case lockOrder
    /// An item of the main queue that runs longer than the limit.
    case longItem
    /// A misuse, which stops the program.
    case misuse
  }

  /// The kind.
  public let kind: Kind
  /// The time of the report, in seconds since 1970.
  public let time: Double
  /// The process's identifier.
  public let processID: Int32
  /// The report as lines of text, as on standard error.
  public let text: String
  /// The report as one JSON object on one line: `kind`, `time`, `process`, `text`, and what the kind has beside that.
  public let json: String
  /// Whether the program is stopped when the handlers have been called, or after two seconds.
  public let stopsProgram: Bool
  /// The number of reports just before this one that no handler was called with, because too many were waiting.
  public internal(set) var missed = 0
  /// The kind's own value.
  let details: any Sendable
  /// Which report of the process it is, from 1 on.
  let number: UInt64

  /// Made at this moment.
  ///
  /// - Parameters:
  ///   - number: of `ReportNumber`, taken when it was found.
  ///   - fields: what the kind says, as fields of a JSON object.
  init(_ kind: Kind, _ number: UInt64, text: String, fields: [String], details: any Sendable, stopsProgram: Bool) {
    (self.kind, self.number) = (kind, number)
    time = Double(Clock.wall() / 1_000) / 1e6
    processID = OwnProcess.id
    self.text = text.last == "\n" ? String(text.dropLast()) : text
    let common = ["\"time\":\(time)", "\"process\":\(processID)", "\"text\":\(JSONText.quoted(self.text))"]
    json = JSONText.object(kind, common + fields)
    self.stopsProgram = stopsProgram
    self.details = details
  }
}

extension JSONText {
  /// An object of a report, on one line.
  static func object(_ kind: DiagnosticReport.Kind, _ fields: [String]) -> String {
    "{\((["\"kind\":\(quoted(kind.rawValue))"] + fields).joined(separator: ","))}"
  }
}

// MARK: its number

// And its event in a recording: the moment in which something was found. What the report says, and which handlers get
// it, comes after.

/// Numbers from 1 on.
enum ReportNumber {
  private static let last = Relaxed64(0)  // relaxed: hands out numbers

  /// Something was found that is now reported: the number of its report.
  static func next(_ kind: DiagnosticReport.Kind) -> UInt64 {
    let number = last.add(1) + 1
    Events.emit(.reported, UInt(recorded(kind).rawValue), number)
    return number
  }

  private static func recorded(_ kind: DiagnosticReport.Kind) -> RecordedReport {
    switch kind {
    case .deadlock: .deadlock
    case .stall: .stall
    case .lockOrder: .lockOrder
    case .longItem: .longItem
    case .misuse: .misuse
    }
  }
}
