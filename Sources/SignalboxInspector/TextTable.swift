// TextTable.swift: rows in columns, for a terminal.

/// A table that is printed: each column as wide as its widest cell, the last as it comes.
struct TextTable {
  private var rows: [[String]]
  private let rightAligned: Set<Int>

  /// - Parameter right: the columns that are numbers.
  init(_ head: [String], right: Set<Int> = []) {
    rows = [head]
    rightAligned = right
  }

  var isEmpty: Bool { rows.count == 1 }
  /// Longer cells are cut: an answer may have any text, and a column is as wide in each row.
  private static let widest = 1_000

  mutating func add(_ row: [String]) {
    rows.append(row.map { Self.plain($0.utf8.count > Self.widest ? $0.prefix(Self.widest - 1) + "…" : $0) })
  }

  /// Its lines, `indent` spaces in, cut to a width; 0: not cut.
  func lines(indent: Int = 2, width: Int = 0) -> [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { column -> String in
        let fill = String(repeating: " ", count: widths[column] - row[column].count)
        if rightAligned.contains(column) { return fill + row[column] }
        return column == row.count - 1 ? row[column] : row[column] + fill
      }
      var line = String(repeating: " ", count: indent) + cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return width > 0 && line.count > width ? line.prefix(width - 1) + "…" : line
    }
  }

  /// A label may hold anything: what a terminal would obey is shown as a mark.
  static func plain(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) }) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      shown.unicodeScalars.append(scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) ? "?" : scalar)
    }
    return shown
  }
}
