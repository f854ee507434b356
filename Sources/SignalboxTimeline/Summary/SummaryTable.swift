// SummaryTable.swift: one table of a summary: what its columns are called, to people and to programs, and its rows, the one that hurts
// most first. SummaryText.swift prints it.
import SignalboxCommandLine
import SignalboxSystem

struct SummaryTable {
  /// A value of a row.
  enum Cell {
    case text(String)
    case count(Int)
    /// A count that the recording has.
    case figure(ReadNumber)
    /// A part of the whole, from 0 on: 1 is all of it, and what several processors do may be more.
    case share(Double)
    /// Nanoseconds.
    case time(ReadNumber)
    /// A moment, in nanoseconds since the recording began.
    case moment(ReadNumber)
    /// 50, 95 and 99 of a hundred, and the longest, in nanoseconds.
    case spread([ReadNumber])
    /// A name; nil if it is not known, or there is none.
    case optional(String?)
    /// A source file and a line.
    case place(String?)
  }

  struct Column {
    /// To programs and to people; a spread's stands before its first figure.
    let key, title: String
  }

  let key: String
  let title: String
  let columns: [Column]
  let rows: [[Cell]]
  /// How many rows a page has.
  let onPage: Int

  init(_ key: String, _ title: String, onPage: Int, _ columns: [(key: String, title: String)], _ rows: [[Cell]]) {
    (self.key, self.title, self.onPage, self.rows) = (key, title, onPage, rows)
    self.columns = columns.map { Column(key: $0.key, title: $0.title) }
  }

  /// For programs: an object for each row.
  var json: JSON {
    .array(
      rows.map { row in
        .object(zip(columns, row).map { ($0.key, Self.json($1)) })
      })
  }

  private static func json(_ cell: Cell) -> JSON {
    switch cell {
    case .text(let text): .string(text)
    case .count(let count): .number(Double(count))
    case .figure(let count): .number(count.double)
    case .share(let share): .number(share)
    case .time(let time), .moment(let time): .number(time.double)
    case .spread(let figures): .object(zip(Spread.names, figures).map { ($0, .number($1.double)) })
    case .optional(let text), .place(let text): text.map { .string($0) } ?? .null
    }
  }
}
