// LockChart.swift: what each lock takes, as a picture: panels of grouped bars. Which panels and groups there are is
// LockPanels.swift; ratios of rows of all kinds are Chart.swift.

/// Draws rows about locks as a self-contained SVG document, times on a logarithmic scale.
public struct LockChart {
  private let report: Report
  private let panels: [LockPanel]

  private static let labelWidth = 230.0, plotWidth = 560.0, valueWidth = 230.0
  private static let barHeight = 13.0, groupGap = 9.0, panelHead = 46.0, panelGap = 22.0, footHeight = 30.0

  private static let lineHeight = 15.0, charactersInLine = 150
  /// The narrowest gap between two ticks that both have words.
  private static let tickWords = 50.0

  private var headHeight: Double { 77 + Double(headlines.count) * Self.lineHeight }

  /// Where and on what, in lines that fit: broken where parts end.
  private var headlines: [String] {
    report.headline.split(separator: " · ").reduce(into: []) { lines, part in
      if let last = lines.last, last.count + part.count + 3 <= Self.charactersInLine {
        lines[lines.count - 1] = "\(last) · \(part)"
      } else {
        lines.append(String(part))
      }
    }
  }

  /// A chart of a report; rows that are not about locks are left out.
  public init(_ report: Report) {
    self.report = report
    panels = LockPanel.panels(of: report.rows)
  }

  /// The document.
  public var svg: String {
    let width = Self.labelWidth + Self.plotWidth + Self.valueWidth
    let height = headHeight + panels.reduce(0) { $0 + Self.height($1) } + Self.footHeight
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(coordinate(width)) \(coordinate(height))" \
      width="\(coordinate(width))" height="\(coordinate(height))" role="img" aria-labelledby="title">
      <title id="title">What locks take</title>
      <style>\(Self.style)</style>
      <rect class="paper" width="100%" height="100%"/>
      \(text("title", 16, 28, "What locks take: nanoseconds to take a lock, run the section and give the lock back"))
      \(headlines.enumerated().map { text("quiet", 16, 46 + Double($0) * Self.lineHeight, $1) }.joined(separator: "\n"))
      \(legend(y: headHeight - 24))
      \(drawnPanels.joined(separator: "\n"))
      \(text("quiet", 16, height - 12, Self.foot))
      </svg>

      """
  }

  private static let foot = "bar: median · whisker: quickest to slowest sample · dashed: the bare work · scale: logarithmic"

  private var drawnPanels: [String] {
    var top = headHeight
    return panels.map { panel in
      defer { top += Self.height(panel) }
      return draw(panel, top)
    }
  }

  private static func height(_ group: LockGroup) -> Double { Double(group.bars.count) * barHeight + groupGap }
  private static func height(_ panel: LockPanel) -> Double {
    panelHead + panel.groups.reduce(0) { $0 + height($1) } + panelGap
  }

  private func legend(y: Double) -> String {
    let entries: [(LockGroup.Side, String)] = [
      (.ours, report.subjectName), (.theirs, "the toolchain's, or the nearest to it"),
      (.peer, "glibc's mutexes, Swift's Mutex"),
    ]
    var x = 16.0
    return entries.map { side, words in
      defer { x += 40 + Double(words.count) * 7 }
      return rectangle(side, x, y - 10, 14) + text("key", x + 20, y, words)
    }.joined(separator: "\n")
  }

  private func draw(_ panel: LockPanel, _ top: Double) -> String {
    let groups = panel.groups
    let scale = LogarithmicScale(
      coveringTimes: groups.flatMap { $0.bars.flatMap(\.lane.samples) } + [panel.floor], from: Self.labelWidth,
      to: Self.labelWidth + Self.plotWidth)
    let first = top + Self.panelHead, bottom = first + groups.reduce(0) { $0 + Self.height($1) }
    var parts = [text("panel", 16, top + 14, panel.title), grid(scale, first, bottom)]
    var y = first
    for group in groups {
      parts.append(draw(group, scale, y))
      y += Self.height(group)
    }
    return (parts + [line("floor", scale.position(panel.floor), first - 6, bottom)]).joined(separator: "\n")
  }

  private func grid(_ scale: LogarithmicScale, _ top: Double, _ bottom: Double) -> String {
    var lastWords = -Double.infinity
    return scale.ticks.map { tick in
      let x = scale.position(tick)
      guard x - lastWords >= Self.tickWords else { return line("grid", x, top - 6, bottom) }
      lastWords = x
      return line("grid", x, top - 6, bottom) + text("tick", x, top - 10, Self.timeText(tick))
    }.joined(separator: "\n")
  }

  private static func timeText(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case 1e6...: ratioText(nanoseconds / 1e6).dropLast() + " ms"
    case 1e3...: ratioText(nanoseconds / 1e3).dropLast() + " us"
    default: ratioText(nanoseconds).dropLast() + " ns"
    }
  }

  /// A time with three figures.
  private static func measuredText(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case 1e6...: "\(nanosecondsText(nanoseconds / 1e6)) ms"
    case 1e3...: "\(nanosecondsText(nanoseconds / 1e3)) us"
    default: "\(nanosecondsText(nanoseconds)) ns"
    }
  }

  private func draw(_ group: LockGroup, _ scale: LogarithmicScale, _ top: Double) -> String {
    let middle = top + Double(group.bars.count) * Self.barHeight / 2
    let bars = group.bars.enumerated().map { draw($1, scale, top + Double($0) * Self.barHeight) }
    return ([text("label", Self.labelWidth - 10, middle + 3, group.label)] + bars).joined(separator: "\n")
  }

  private func draw(_ bar: LockGroup.Bar, _ scale: LogarithmicScale, _ y: Double) -> String {
    let note = Self.labelWidth + Self.plotWidth + 12
    guard bar.lane.isMeasured else {
      return text("value", note, y + Self.barHeight - 3, "not measured \(bar.note)")
    }
    let end = scale.position(bar.lane.nanoseconds), middle = coordinate(y + (Self.barHeight - 2) / 2)
    let low = scale.position(bar.lane.samples.min() ?? 0), high = scale.position(bar.lane.samples.max() ?? 0)
    let words = "\(Self.measuredText(bar.lane.nanoseconds)) \(bar.note)"
    return """
      \(rectangle(bar.side, Self.labelWidth, y, max(1, end - Self.labelWidth)))
      <line class="whisker" x1="\(coordinate(low))" x2="\(coordinate(high))" y1="\(middle)" y2="\(middle)"/>
      \(text("value", note, y + Self.barHeight - 3, words))
      """
  }

  private func rectangle(_ side: LockGroup.Side, _ x: Double, _ y: Double, _ width: Double) -> String {
    "<rect class=\"\(side.rawValue)\" x=\"\(coordinate(x))\" y=\"\(coordinate(y))\" width=\"\(coordinate(width))\" "
      + "height=\"\(coordinate(Self.barHeight - 2))\" rx=\"1.5\"/>"
  }

  private func line(_ style: String, _ x: Double, _ top: Double, _ bottom: Double) -> String {
    let x = coordinate(x)
    return "<line class=\"\(style)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(coordinate(top))\" y2=\"\(coordinate(bottom))\"/>"
  }

  private func text(_ style: String, _ x: Double, _ y: Double, _ content: String) -> String {
    "<text class=\"\(style)\" x=\"\(coordinate(x))\" y=\"\(coordinate(y))\">\(escaped(content))</text>"
  }

  private func coordinate(_ value: Double) -> String { fixedText(value, digits: 1) }

  private static let style = """
    text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#222}.title{font-size:17px;font-weight:600}.quiet{fill:#666;font-size:11px}\
    .panel{font-weight:600;font-size:14px}.label{text-anchor:end}.tick{text-anchor:middle;fill:#666;font-size:11px}\
    .value{font-size:11px}.paper{fill:#fff}.grid{stroke:#ddd}.floor{stroke:#555;stroke-dasharray:4 3}\
    .whisker{stroke:#222;stroke-width:1}.ours{fill:#3b7dd8}.theirs{fill:#d9a441}.peer{fill:#9aa5b1}\
    @media(prefers-color-scheme:dark){text{fill:#ddd}.paper{fill:#16181c}.quiet,.tick{fill:#999}.grid{stroke:#333}\
    .floor{stroke:#aaa}.whisker{stroke:#eee}}
    """
}
