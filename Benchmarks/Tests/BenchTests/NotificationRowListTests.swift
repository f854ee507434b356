// NotificationRowListTests.swift: the rows about notifications, on both libraries: their names, and that they run.
import BenchSupport
import LockRowsSignalbox
import LockRowsToolchain
import Testing

@Suite("The rows about notifications") struct NotificationRowListTests {
  private let ours = LockRowsSignalbox.notificationRows(), theirs = LockRowsToolchain.notificationRows()

  @Test("One filter chooses all rows of notifications")
  func oneFilterMeansThemAll() {
    #expect(ours.map(\.name) == theirs.map(\.name))
    for row in ours {
      #expect([NameFilter("notification")].select(row.name) && row.group == .notifications, "\(row.name)")
    }
  }

  @Test("Every row of notifications runs")
  func everyRowRuns() {
    for row in ours + theirs { #expect(row.prepare().run(64) > 0, "\(row.name)") }
  }
}
