// SummaryText.swift: tables of a summary as text: figures under each other, names first, nothing that a terminal would obey.
import SignalboxCommandLine
import SignalboxSystem

enum SummaryText {
  /// The table's lines. `isWhole`: all rows, not only as many as a page has; `width`: of the terminal, 0: no cell is
  /// cut.
  static func lines(_ table: SummaryTable, isWhole: Bool, width: Int) -> [String] {
    guard !table.rows.isEmpty else { return [] }
    let rows = isWhole ? table.rows[...] : table.rows.prefix(table.onPage)
    let figures = table.rows[0].flatMap(areFigures)
    var grid = TextTable(
      zip(table.columns, table.rows[0]).flatMap { heads($0.title, $1) }, right: Set(figures.indices.filter { figures[$0] }))
    for row in rows { grid.add(row.flatMap(words)) }
    let left = table.rows.count - rows.count
    return [table.title] + grid.lines(width: width) + (left > 0 ? ["  … and \(left) more (--all)"] : [])
  }

  private static func heads(_ title: String, _ cell: SummaryTable.Cell) -> [String] {
    guard case .spread = cell else { return [title] }
    return [title + "half", "95 %", "99 %", "longest"]
  }

  private static func areFigures(_ cell: SummaryTable.Cell) -> [Bool] {
    switch cell {
    case .text, .optional, .place: [false]
    case .count, .figure, .share, .time, .moment: [true]
    case .spread: [true, true, true, true]
    }
  }

  private static func words(_ cell: SummaryTable.Cell) -> [String] {
    switch cell {
    case .text(let text): [plain(text)]
    case .optional(let text): [plain(text ?? "")]
    case .place(let text): [plain(text.map(place) ?? "")]
    case .count(let count): [number(count)]
    case .figure(let count): [number(count)]
    case .share(let share): [percent(share)]
    case .time(let time): [span(time)]
    case .moment(let time): [moment(time)]
    case .spread(let figures): figures.map(span)
    }
  }

  /// The last parts of a path.
  static func place(_ path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count <= 4 ? path : "…/" + parts.suffix(3).joined(separator: "/")
  }

  /// A time in two or three figures.
  static func span(_ time: ReadNumber) -> String {
    for (unit, size) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)] as [(String, ReadNumber)] where time >= size {
      let tenths = time / (size / 10)
      return tenths < 100 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(number(tenths / 10)) \(unit)"
    }
    return "\(time) ns"
  }

  /// A moment in seconds, to the microsecond.
  static func moment(_ time: ReadNumber) -> String {
    let rest = "\(time / 1_000 % 1_000_000)"
    return "\(time / 1_000_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest) s"
  }

  /// A number with a comma after each three figures.
  static func number(_ number: Int) -> String { (number < 0 ? "-" : "") + grouped(String(number.magnitude)) }
  /// The same.
  static func number(_ number: ReadNumber) -> String { grouped(number.description) }

  private static func grouped(_ figures: String) -> String {
    var text = "", figures = figures[...]
    let first = (figures.count - 1) % 3 + 1
    text += figures.prefix(first)
    figures = figures.dropFirst(first)
    while !figures.isEmpty {
      text += "," + figures.prefix(3)
      figures = figures.dropFirst(3)
    }
    return text
  }

  private static func percent(_ share: Double) -> String {
    let hundredths = (share * 100).rounded()
    if hundredths == 0 && share > 0 { return "< 1 %" }
    // Of a damaged recording a share may be any number.
    return "\(Int(exactly: hundredths).map { number($0) } ?? "over 10^18") %"
  }

  /// Names may hold anything; a terminal gets what it only shows.
  private static func plain(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory.isShown ? $0 : "\u{FFFD}" }))
  }
}

extension Unicode.GeneralCategory {
  /// No control character, nor one that changes the direction of what follows.
  fileprivate var isShown: Bool {
    switch self {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
    default: true
    }
  }
}
