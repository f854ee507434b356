// Chart.swift: the report as a picture for readers: one bar per row, its length the ratio on a logarithmic scale. What a
// row must reach is not shown: the table and the JSON text have that.

/// Draws the ratios as a self-contained SVG document.
public struct Chart: Sendable {
  private let report: Report
  private let scale: LogarithmicScale

  private static let plotWidth = 460.0, valueWidth = 250.0
  /// Of a letter, at most on average.
  private static let letterWidth = 6.2
  private let labelWidth: Double
  private static let rowHeight = 20.0, headHeight = 84.0, footHeight = 30.0

  /// A chart of a report.
  public init(_ report: Report) {
    self.report = report
    let longest = report.rows.map(\.operation.count).max() ?? 0
    labelWidth = max(200, Double(longest) * Self.letterWidth + 30)
    let values = report.rows.flatMap { row -> [Double] in [row.ratio.low, row.ratio.high, 1] }
    scale = LogarithmicScale(covering: values, from: labelWidth, to: labelWidth + Self.plotWidth)
  }

  /// The document.
  public var svg: String {
    let width = labelWidth + Self.plotWidth + Self.valueWidth
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
      <text class="quiet" x="\(coordinate(labelWidth))" y="\(coordinate(height - 10))">\
      \(escaped("bar: median of the pairs · whisker: 90 % interval · scale: logarithmic"))</text>
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
    return [
      text("label", labelWidth - 10, middle + 4, row.operation),
      """
      <rect class="\(styleClass(ratio))" x="\(coordinate(min(start, end)))" y="\(coordinate(middle - 6))" \
      width="\(coordinate(max(1, (end - start).magnitude)))" height="12" rx="1.5">\
      <title>\(escaped(row.name))</title></rect>
      """,
      "<line class=\"whisker\" x1=\"\(low)\" x2=\"\(high)\" y1=\"\(y)\" y2=\"\(y)\"/>",
      text("value", labelWidth + Self.plotWidth + 12, middle + 4, valueText(row)),
    ].joined(separator: "\n")
  }

  /// Whether the whole interval is on one side of 1.
  private func styleClass(_ ratio: Estimate) -> String { ratio.low > 1 ? "faster" : ratio.high < 1 ? "slower" : "even" }

  private func valueText(_ row: RowResult) -> String {
    let own = nanosecondsText(row.signalbox.nanoseconds), other = nanosecondsText(row.toolchain.nanoseconds)
    return "\(measuredRatioText(row.ratio.median))x · \(own) ns beside \(other) ns"
  }

  private func text(_ style: String, _ x: Double, _ y: Double, _ content: String) -> String {
    "<text class=\"\(style)\" x=\"\(coordinate(x))\" y=\"\(coordinate(y))\">\(escaped(content))</text>"
  }

  private static let style = """
    text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#222}.title{font-size:17px;font-weight:600}.quiet{fill:#666;font-size:11px}\
    .group{font-weight:600}.label{text-anchor:end}.tick{text-anchor:middle;fill:#666;font-size:11px}.paper{fill:#fff}\
    .grid{stroke:#ddd}.one{stroke:#888}.whisker{stroke:#222;stroke-width:1.2}\
    .faster{fill:#3b7dd8}.slower{fill:#c65b4e}.even{fill:#9aa5b1}\
    @media(prefers-color-scheme:dark){text{fill:#ddd}.paper{fill:#16181c}.quiet,.tick{fill:#999}.grid{stroke:#333}\
    .whisker{stroke:#ddd}}
    """
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
