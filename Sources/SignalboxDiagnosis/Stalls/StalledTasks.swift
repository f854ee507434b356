// StalledTasks.swift: Swift's tasks in the report of a program in which nothing can happen any more: what they wait
// for, and where. They are read once in the life of the process.
import SignalboxSystem
import SignalboxView

extension StallReport {
  /// Tasks that do the same at the same place.
  public struct Tasks: Sendable {
    /// How many there are.
    public var count: Int
    /// What the first of them are called, by number and name; at most three.
    public var titles: [String]
    /// What they do, in words.
    public var deed: String
    /// The functions with which they and those that await them go on, the innermost first.
    public var awaits: [UInt]
  }
}

/// The tasks of this process, as a report has them.
struct StalledTasks {
  /// Most first; at most eight.
  private(set) var rows: [StallReport.Tasks] = []
  /// Tasks that wait for one another, in a sentence each.
  private(set) var cycles: [String] = []

  private static let mostRows = 8

  /// Reads them. None in a program without tasks, or where the kernel does not copy memory.
  init() { self.init(TaskRows.own) }

  init(_ set: TaskSet?) {
    let found = TaskRows(set, wantsRunning: false)
    cycles = found.cycles
    rows = found.rows.prefix(Self.mostRows).map {
      StallReport.Tasks(count: $0.count, titles: $0.titles, deed: $0.deed, awaits: $0.awaits)
    }
  }

  /// How to fix it; nil: no task waits.
  var hint: String? {
    if !cycles.isEmpty { return "let no task await the end of one that awaits its own, directly or through others" }
    return rows.isEmpty ? nil : "make sure that each continuation is resumed, on every way out"
  }
}

extension StallReport.Tasks {
  private var row: TaskRow { TaskRow(count: count, titles: titles, deed: deed, awaits: awaits) }
  var places: [UInt] { row.places }

  func lines(_ symbols: ReportSymbols) -> [String] { row.lines(symbols) }

  func json(_ symbols: ReportSymbols) -> String {
    "{\"count\":\(count),\"titles\":\(JSONText.list(titles)),\"does\":\(JSONText.quoted(deed)),"
      + "\"awaits\":\(JSONText.list(symbols.awaits(places)))}"
  }
}
