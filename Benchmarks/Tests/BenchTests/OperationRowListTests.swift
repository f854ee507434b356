// OperationRowListTests.swift: the rows about operations, on both libraries: their names, and that they run.
import BenchSupport
import LockRowsSignalbox
import LockRowsToolchain
import Testing

@Suite("The rows about operations") struct OperationRowListTests {
  private let ours = LockRowsSignalbox.operationRows(), theirs = LockRowsToolchain.operationRows()

  @Test("One filter chooses all rows of operations")
  func oneFilterMeansThemAll() {
    #expect(ours.map(\.name) == theirs.map(\.name))
    for row in ours { #expect([NameFilter("operation")].select(row.name) && row.group == .operations, "\(row.name)") }
  }

  @Test("Every row of operations runs")
  func everyRowRuns() {
    for row in ours + theirs { #expect(row.prepare().run(64) > 0, "\(row.name)") }
  }
}
