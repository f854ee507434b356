// TextTable.swift: rows in columns, for a terminal or a pipe.

/// A table that is printed: each column as wide as its widest cell, or narrower where the terminal is.
package struct TextTable {
  private var rows: [[String]]
  private let rightAligned: Set<Int>

  /// - Parameter right: the columns that are numbers.
  package init(_ head: [String], right: Set<Int> = []) {
    rows = [head]
    rightAligned = right
  }

  package var isEmpty: Bool { rows.count == 1 }
  /// Longer cells are cut: an answer may have any text, and a column is as wide in each row.
  private static let widest = 1_000
  /// No column of text is cut to less.
  private static let narrowest = 12

  package mutating func add(_ row: [String]) {
    rows.append(row.map { Self.plain($0.utf8.count > Self.widest ? $0.prefix(Self.widest - 1) + "…" : $0) })
  }

  /// Its lines, `indent` spaces in. Where they would be longer than `width`, the widest columns of text lose the middle
  /// of their cells; 0: no cell is cut. Numbers are never cut, nor is a column of text to less than 12 characters: a
  /// very narrow terminal wraps lines.
  package func lines(indent: Int = 2, width: Int = 0) -> [String] {
    let widths = widths(indent: indent, within: width)
    return rows.map { row in
      let cells = row.indices.map { column -> String in
        let cell = Self.cut(row[column], to: widths[column])
        let fill = String(repeating: " ", count: widths[column] - cell.count)
        if rightAligned.contains(column) { return fill + cell }
        return column == row.count - 1 ? cell : cell + fill
      }
      var line = String(repeating: " ", count: indent) + cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private func widths(indent: Int, within width: Int) -> [Int] {
    var widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var excess = indent + widths.reduce(0, +) + 2 * (widths.count - 1) - width
    while width > 0, excess > 0 {
      let text = widths.indices.filter { !rightAligned.contains($0) && widths[$0] > Self.narrowest }
      guard let widest = text.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  /// A cell without its middle: names begin it, and lines of sources end it.
  private static func cut(_ cell: String, to width: Int) -> String {
    if cell.count <= width { return cell }
    return cell.prefix(width / 2) + "…" + cell.suffix(width - 1 - width / 2)
  }

  /// A label may hold anything: what a terminal would obey is shown as a mark.
  package static func plain(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) }) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      shown.unicodeScalars.append(scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) ? "?" : scalar)
    }
    return shown
  }
}
