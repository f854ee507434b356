// TimesPicture.swift: the times of act 4, drawn: two bars for each operation.

/// A picture in SVG that reads on light and dark pages.
struct TimesPicture {
  let rows: [TimesAct.Row]
  /// What it was measured on.
  let note: String

  private var rowHeight: Int { 40 }
  private var barHeight: Int { 13 }
  private var left: Int { 190 }
  private var right: Int { 130 }
  private var width: Int { 760 }

  var svg: String {
    let height = 70 + rows.count * rowHeight
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img">
      <title>Ten operations on the toolchain's library and under signalbox run</title>
      <style>
        text { font: 13px system-ui, sans-serif; fill: #24292f } .quiet { fill: #6e7781 }
        .toolchain { fill: #afb8c1 } .signalbox { fill: #1a7f37 } .number { font-size: 11px }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 } .quiet { fill: #8b949e } .toolchain { fill: #484f58 } .signalbox { fill: #3fb950 }
        }
      </style>
      <rect class="toolchain" x="\(left)" y="12" width="12" height="12"/><text x="\(left + 18)" y="23">toolchain</text>
      <rect class="signalbox" x="\(left + 110)" y="12" width="12" height="12"/><text x="\(left + 128)" y="23">signalbox run</text>
      """
    ]
    for (index, row) in rows.enumerated() {
      let top = 40 + index * rowHeight
      parts.append("<text x=\"\(left - 10)\" y=\"\(top + 18)\" text-anchor=\"end\">\(Self.escaped(row.name))</text>")
      let most = max(row.toolchain, row.signalbox)
      for (number, (kind, value)) in [("toolchain", row.toolchain), ("signalbox", row.signalbox)].enumerated() {
        let length = max(1, Int(value / most * Double(width - left - right)))
        let y = top + number * (barHeight + 1)
        let ratio = number == 1 ? ", \(Page.ratio(row.ratio))" : ""
        parts.append("<rect class=\"\(kind)\" x=\"\(left)\" y=\"\(y)\" width=\"\(length)\" height=\"\(barHeight)\"/>")
        parts.append(
          "<text class=\"number\" x=\"\(left + length + 6)\" y=\"\(y + 11)\">\(Page.decimal(value, value < 99.5 ? 1 : 0)) ns\(ratio)</text>"
        )
      }
    }
    parts.append("<text class=\"quiet number\" x=\"\(left)\" y=\"\(height - 10)\">\(Self.escaped(note))</text>")
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
