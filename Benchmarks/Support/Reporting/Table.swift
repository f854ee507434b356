// Table.swift: the report as lines of text, one row at a time, so that a long run shows what it has.

/// Whether text may carry colours.
public enum Ink: Sendable {
  /// Plain text.
  case plain
  /// Terminal colours.
  case coloured

  func paint(_ text: String, _ verdict: Verdict) -> String {
    guard self == .coloured else { return text }
    let code =
      switch verdict {
      case .met: "32"
      case .open: "33"
      case .missed: "31;1"
      case .notJudged: "2"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  func bold(_ text: String) -> String { self == .coloured ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}

/// Lays rows out as text.
public struct Table: Sendable {
  let ink: Ink
  private let subjectName: String

  /// A table in the given ink.
  public init(ink: Ink, subjectName: String) {
    self.ink = ink
    self.subjectName = subjectName
  }

  static let nameWidth = 38

  /// The column heads.
  public var heads: String {
    let cells = [
      extended("", to: Self.nameWidth), padded(String(subjectName.prefix(9)), to: 9), padded("toolchain", to: 10),
      padded("floor", to: 8), padded("ratio", to: 7), " " + extended("90 % interval", to: 15), extended("mallocs", to: 12),
      "bar",
    ]
    return ink.bold(cells.joined(separator: " "))
  }

  /// The head of a part of the table.
  public func head(of group: RowGroup) -> String { ink.bold("\(group.rawValue) (ns per operation)") }

  /// One row.
  public func line(_ row: RowResult) -> String {
    let ratio = row.ratio
    let interval = "[\(measuredRatioText(ratio.low)), \(measuredRatioText(ratio.high))]"
    let mallocs = countText(row.signalbox.allocationsPerOperation) + " : " + countText(row.toolchain.allocationsPerOperation)
    let cells = [
      "  " + extended(row.name, to: Self.nameWidth - 2), padded(nanosecondsText(row.signalbox.nanoseconds), to: 9),
      padded(nanosecondsText(row.toolchain.nanoseconds), to: 10), padded(nanosecondsText(row.floor.nanoseconds), to: 8),
      padded(measuredRatioText(ratio.median) + "x", to: 7), " " + extended(interval, to: 15), extended(mallocs, to: 12),
      ink.paint(verdictText(row), row.verdict),
    ]
    return cells.joined(separator: " ")
  }

  /// What the row's further competitors took; nil if it has none.
  public func peers(_ row: RowResult) -> String? {
    guard !row.peers.isEmpty else { return nil }
    let texts = row.peers.map { peer in
      "\(peer.name) \(nanosecondsText(peer.lane.nanoseconds)) (\(measuredRatioText(row.ratio(to: peer).median))x)"
    }
    return extended("", to: Self.nameWidth) + " beside " + texts.joined(separator: ", ")
  }

  /// What the row's lock saw; nil if that was not counted.
  public func contention(_ row: RowResult) -> String? {
    row.contention.map { extended("", to: Self.nameWidth) + " " + $0.text }
  }

  private func verdictText(_ row: RowResult) -> String {
    var text = "\(row.verdict.rawValue) (\(row.bar.text))"
    if case .ownCost = row.bar, let times = row.timesReference { text += ": \(fixedText(times.median, digits: 2))x" }
    if case .ownCostAnd = row.bar, let more = row.aboveReference { text += ": \(fixedText(more.median, digits: 2)) ns more" }
    if case .nearFloor = row.bar { text += ": \(fixedText(row.timesFloor.median, digits: 2))x" }
    if case .kernelBound = row.bar { text += ": \(fixedText(row.timesFloor.median, digits: 2))x floor" }
    return text
  }

  /// A row that was not run: its name, its bar and what one operation is.
  public static func listing(_ row: Row) -> String {
    extended(row.name, to: nameWidth) + extended(row.bar.text, to: 30) + row.operation
  }

  /// A trial that was not run, likewise.
  public static func listing(_ trial: LockTrial) -> String {
    extended(trial.name, to: nameWidth) + extended(trial.barText, to: 30) + trial.operation
  }

  /// What the columns mean.
  public static let legend = """
    ratio = toolchain ÷ Signalbox, the median of the pairs; a bar is missed only when the whole interval lies beyond it.
    mallocs = calls of the malloc family per operation, Signalbox : toolchain. floor = the same bare work with neither library.
    """
}
