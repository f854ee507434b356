// ReportFiles.swift: the files that reports are written to as JSON, one object on one line.
import SignalboxSystem

/// Files that the environment names.
enum ReportFiles {
  /// Of all reports.
  static let all = "SIGNALBOX_REPORT_JSON"
  /// Of deadlocks, stalls and misuse.
  static let deadlocks = "SIGNALBOX_DEADLOCK_JSON"

  /// Appends the report's line to the files that want it; to one file once.
  static func write(_ report: DiagnosticReport) {
    let wanted = [all] + ([.deadlock, .stall, .misuse].contains(report.kind) ? [deadlocks] : [])
    var written: Set<String> = []
    for variable in wanted {
      guard let path = Environment.value(variable), written.insert(path).inserted else { continue }
      do {
        try PrivateFile.append(report.json + "\n", to: path)
      } catch {
        Misuse.report("the report cannot be written to \(variable)=\(path): \(error)")
      }
    }
  }
}
