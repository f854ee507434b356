// RecordingSummary.swift: a recording in tables: the worst moments, the main thread, queues, waits, functions, the pool, classes, timers.
import SignalboxCommandLine
import SignalboxRecorder
import SignalboxSystem

/// What a recording says in numbers.
public struct RecordingSummary {
  private let recording: RecordingFile
  private let counts: SummaryCounts
  private let tables: SummaryTables

  /// Goes through the recording.
  public init(_ recording: RecordingFile) {
    self.recording = recording
    counts = SummaryCounts(recording)
    tables = SummaryTables(counts)
  }

  private var lost: ReadNumber { counts.lost + recording.lostEvents }

  /// For people: a page, with the rows of each table that hurt most. `isWhole`: all rows; `width`: of the terminal, 0:
  /// no cell is cut.
  public func text(isWhole: Bool = false, width: Int = 0) -> String {
    let end =
      recording.damage.words
      ?? (recording.isComplete ? "was stopped in order" : "is incomplete: the program was killed or is still running")
    var lines = [
      "\(SummaryText.span(tables.span)), \(SummaryText.number(recording.threads.count)) threads, "
        + "\(SummaryText.number(counts.events)) events; the recording \(end)"
    ]
    if recording.seconds > 0 { lines.append("the last \(recording.seconds) seconds of it, as far as there was room") }
    if recording.lacksRoom { lines.append("the file had no room for more, on the disk or by the limit of file sizes") }
    if lost > 0 { lines.append("\(SummaryText.number(lost)) events were lost: figures are of those that are left") }
    if recording.lostNames > 0 { lines.append("\(SummaryText.number(recording.lostNames)) names were lost") }
    if counts.unsubmitted > 0 {
      let count = SummaryText.number(counts.unsubmitted)
      lines.append("items that ran and have no submission here: \(count); how long they waited is not known")
    }
    if counts.unrun > 0 { lines.append("items that were submitted and have no run here: \(SummaryText.number(counts.unrun))") }
    for table in tables.all where !table.rows.isEmpty {
      lines += [""] + SummaryText.lines(table, isWhole: isWhole, width: width)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// For programs: times in nanoseconds, moments ("at") since the first event.
  public var json: JSON {
    .object(
      [
        ("complete", .boolean(recording.isComplete && recording.damage.isNone)),
        ("missingPieces", .number(recording.damage.missing.double)), ("damagedPieces", .number(recording.damage.broken.double)),
        ("nanoseconds", .number(tables.span.double)),
        ("threadCount", .number(Double(recording.threads.count))), ("events", .number(Double(counts.events))),
        ("lostEvents", .number(lost.double)), ("lostNames", .number(recording.lostNames.double)),
        ("runsWithoutSubmission", .number(Double(counts.unsubmitted))),
        ("submissionsWithoutRun", .number(Double(counts.unrun))), ("lacksRoom", .boolean(recording.lacksRoom)),
      ] + tables.all.map { ($0.key, $0.json) })
  }
}
