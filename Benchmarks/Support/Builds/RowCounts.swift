// RowCounts.swift: `signalbox bench --count`: a row's instructions on both libraries, and how they are printed.
import SignalboxCommandLine

/// What an operation of a row takes, in instructions.
public struct RowCounts: Sendable {
  /// The row's name.
  public let name: String
  /// On Signalbox; nil if the row cannot be counted.
  public let signalbox: InstructionCounts?
  /// On the toolchain's library.
  public let toolchain: InstructionCounts?

  /// Counts a row and its twin.
  public init(_ row: Row, _ twin: Row?, _ stepper: Stepper) {
    name = row.name
    signalbox = InstructionCounts(of: row, stepper)
    toolchain = twin.flatMap { InstructionCounts(of: $0, stepper) }
  }

  /// All rows as one JSON object.
  public static func json(_ rows: [RowCounts]) -> JSON {
    .object([
      (
        "rows",
        .array(
          rows.map { row in
            .object([
              ("name", .string(row.name)), ("signalbox", row.signalbox?.json ?? .null),
              ("toolchain", row.toolchain?.json ?? .null),
            ])
          })
      )
    ])
  }
}

/// Prints counts on standard output, row by row.
public struct CountTable {
  private let ink = OutputStream.output.ink
  private static let nameWidth = 32, width = 20

  /// A table.
  public init() {}

  /// Prints what is counted, and the column heads.
  public func printHead() {
    write("instructions of one operation on the thread that calls it, and (how many of them lock a cache line)")
    write("~: the thread waits for others, so the counts differ from call to call; -: too long to count")
    write("")
    write(
      ink.bold(extended("", to: Self.nameWidth) + padded("Signalbox", to: Self.width) + padded("toolchain", to: Self.width)))
  }

  /// Prints one row.
  public func print(_ row: RowCounts) {
    write(
      extended(row.name, to: Self.nameWidth) + padded(row.signalbox?.text ?? "-", to: Self.width)
        + padded(row.toolchain?.text ?? "-", to: Self.width))
  }

  private func write(_ text: String) { OutputStream.output.write(text + "\n") }
}
