// ThreadRowListTests.swift: the rows about threads and run loops, on both libraries: their names, and that they run.
import BenchSupport
import LockRowsSignalbox
import LockRowsToolchain
import Testing

@Suite("The rows about threads and run loops", .serialized) struct ThreadRowListTests {
  private let ours = LockRowsSignalbox.threadRows() + LockRowsSignalbox.runLoopRows()
  private let theirs = LockRowsToolchain.threadRows() + LockRowsToolchain.runLoopRows()

  @Test("One filter chooses all rows of threads")
  func oneFilterMeansThemAll() {
    #expect(ours.map(\.name) == theirs.map(\.name))
    let filter = NameFilter("operation|thread|runloop|timer|notification")
    let groups: Set<RowGroup> = [.threads, .runLoops]
    for row in ours { #expect(filter.matches(row.name) && groups.contains(row.group), "\(row.name)") }
    #expect(Set(ours.map(\.group)) == groups)
  }

  @Test(
    "Every row of threads runs", arguments: 0..<LockRowsSignalbox.threadRows().count + LockRowsSignalbox.runLoopRows().count)
  func everyRowRuns(number: Int) {
    for row in [ours[number], theirs[number]] { #expect(row.prepare().run(64) > 0, "\(row.name)") }
  }

  @Test("The bare work beside every row of threads runs", arguments: [Floor.threadStart, .lateSleep, .pollerEcho])
  func floorsRun(floor: Floor) {
    #expect(floor.prepare().run(8) > 0)
  }
}
