// Chart.swift: the report as a picture: one bar per row, its length the ratio on a logarithmic scale, a mark where its bar is.

/// Draws the ratios as a self-contained SVG document.
public struct Chart: Sendable {
  private let report: Report
  private let scale: LogarithmicScale

  private static let labelWidth = 220.0, plotWidth = 520.0, valueWidth = 330.0
  private static let rowHeight = 20.0, headHeight = 84.0, footHeight = 30.0

  /// A chart of a report.
  public init(_ report: Report) {
    self.report = report
    let values = report.rows.flatMap { row -> [Double] in [row.ratio.low, row.ratio.high, row.bar.requiredRatio ?? 1] }
    scale = LogarithmicScale(covering: values, from: Self.labelWidth, to: Self.labelWidth + Self.plotWidth)
  }

  /// The document.
  public var svg: String {
    let width = Self.labelWidth + Self.plotWidth + Self.valueWidth
    let height = Self.headHeight + Double(lines.count) * Self.rowHeight + Self.footHeight
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(coordinate(width)) \(coordinate(height))" \
      width="\(coordinate(width))" height="\(coordinate(height))" role="img" aria-labelledby="title">
      <title id="title">\(escaped("How many times faster than the toolchain's Dispatch"))</title>
      <style>\(Self.style)</style>
      <rect class="paper" width="100%" height="100%"/>
      <text class="title" x="16" y="28">\(escaped("\(report.subjectName): times faster than the toolchain's Dispatch"))</text>
      <text class="quiet" x="16" y="46">\(escaped(report.headline))</text>
      \(grid(bottom: height - Self.footHeight))
      \(lines.enumerated().map { $1.draw(self, Self.headHeight + (Double($0) + 0.5) * Self.rowHeight) }.joined(separator: "\n"))
      <text class="quiet" x="\(coordinate(Self.labelWidth))" y="\(coordinate(height - 10))">\
      \(escaped("bar: median of the pairs · whisker: 90 % interval · red mark: what the row must reach · scale: logarithmic"))</text>
      </svg>

      """
  }

  private enum Line {
    case group(RowGroup)
    case row(RowResult)

    func draw(_ chart: Chart, _ middle: Double) -> String {
      switch self {
      case .group(let group): chart.text("group", 16, middle + 4, group.rawValue)
      case .row(let row): chart.draw(row, middle)
      }
    }
  }

  /// Rows with a head wherever the group changes.
  private var lines: [Line] {
    var lines: [Line] = [], group: RowGroup?
    for row in report.rows {
      if row.group != group { lines.append(.group(row.group)) }
      group = row.group
      lines.append(.row(row))
    }
    return lines
  }

  private func grid(bottom: Double) -> String {
    scale.ticks.map { tick in
      let x = coordinate(scale.position(tick))
      return """
        <line class="\(tick == 1 ? "one" : "grid")" x1="\(x)" x2="\(x)" \
        y1="\(coordinate(Self.headHeight - 8))" y2="\(coordinate(bottom))"/>
        <text class="tick" x="\(x)" y="\(coordinate(Self.headHeight - 14))">\(ratioText(tick))</text>
        """
    }.joined(separator: "\n")
  }

  private func draw(_ row: RowResult, _ middle: Double) -> String {
    let ratio = row.ratio
    let start = scale.position(1), end = scale.position(ratio.median)
    let low = coordinate(scale.position(ratio.low)), high = coordinate(scale.position(ratio.high))
    let y = coordinate(middle)
    var parts = [
      text("label", Self.labelWidth - 10, middle + 4, row.name),
      """
      <rect class="\(row.verdict.styleClass)" x="\(coordinate(min(start, end)))" y="\(coordinate(middle - 6))" \
      width="\(coordinate(max(1, (end - start).magnitude)))" height="12" rx="1.5">\
      <title>\(escaped("\(row.name): \(row.operation)"))</title></rect>
      """,
      "<line class=\"whisker\" x1=\"\(low)\" x2=\"\(high)\" y1=\"\(y)\" y2=\"\(y)\"/>",
    ]
    if let required = row.bar.requiredRatio {
      let x = coordinate(scale.position(required))
      parts.append(
        "<line class=\"mark\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(coordinate(middle - 9))\" y2=\"\(coordinate(middle + 9))\"/>")
    }
    parts.append(text("value", Self.labelWidth + Self.plotWidth + 12, middle + 4, valueText(row)))
    return parts.joined(separator: "\n")
  }

  private func valueText(_ row: RowResult) -> String {
    let own = nanosecondsText(row.signalbox.nanoseconds), theirs = nanosecondsText(row.toolchain.nanoseconds)
    var text = "\(measuredRatioText(row.ratio.median))x · \(own) / \(theirs) ns"
    text += " · floor \(nanosecondsText(row.floor.nanoseconds))"
    if case .ownCost(let limit, _) = row.bar, let times = row.timesReference {
      text += " · \(fixedText(times.median, digits: 1))x own (≤ \(ratioText(limit)))"
    }
    if case .ownCostAnd(let most, _) = row.bar, let more = row.aboveReference {
      text += " · \(fixedText(more.median, digits: 1)) ns above own (≤ \(nanosecondsText(most)))"
    }
    if case .time(let most) = row.bar { text += " · ≤ \(nanosecondsText(most)) ns" }
    return text + (row.verdict == .missed ? " · missed" : "")
  }

  private func text(_ style: String, _ x: Double, _ y: Double, _ content: String) -> String {
    "<text class=\"\(style)\" x=\"\(coordinate(x))\" y=\"\(coordinate(y))\">\(escaped(content))</text>"
  }

  private static let style = """
    text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#222}.title{font-size:17px;font-weight:600}.quiet{fill:#666;font-size:11px}\
    .group{font-weight:600}.label{text-anchor:end}.tick{text-anchor:middle;fill:#666;font-size:11px}.paper{fill:#fff}\
    .grid{stroke:#ddd}.one{stroke:#888}.whisker{stroke:#222;stroke-width:1.2}.mark{stroke:#b3261e;stroke-width:2}\
    .met{fill:#3b7dd8}.open{fill:#d9a441}.missed{fill:#c65b4e}.unjudged{fill:#9aa5b1}\
    @media(prefers-color-scheme:dark){text{fill:#ddd}.paper{fill:#16181c}.quiet,.tick{fill:#999}.grid{stroke:#333}\
    .whisker{stroke:#ddd}.mark{stroke:#ff8a80}}
    """
}

extension Verdict {
  fileprivate var styleClass: String { self == .notJudged ? "unjudged" : rawValue }
}

private func coordinate(_ value: Double) -> String { fixedText(value, digits: 1) }

/// Text as it may stand in XML.
func escaped(_ text: String) -> String {
  text.reduce(into: "") { result, character in
    switch character {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    default: result.append(character)
    }
  }
}
