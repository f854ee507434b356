// LockRowListTests.swift: the rows about locks, on both libraries: their names, that they run, and on what.
import BenchSupport
import LockRowsSignalbox
import LockRowsToolchain
import Testing

@Suite("The rows about locks") struct LockRowListTests {
  private let ours = LockRowsSignalbox.lockRows(), theirs = LockRowsToolchain.lockRows()

  @Test("The two halves of a lock's row differ in the library alone")
  func halvesDifferInTheLibraryAlone() {
    #expect(LockRowsSignalbox.lockClassName() == "SignalboxClasses.NSLock")
    #expect(LockRowsToolchain.lockClassName() == "Foundation.NSLock")
    #expect(ours.map(\.name) == theirs.map(\.name))
    #expect(ours.map(\.contest) == theirs.map(\.contest))
    #expect(LockRowsSignalbox.lockTrials().map(\.name) == LockRowsToolchain.lockTrials().map(\.name))
  }

  @Test("One filter chooses all rows of locks")
  func oneFilterMeansThemAll() {
    let names = ours.map(\.name) + LockRowsSignalbox.lockTrials().map(\.name)
    #expect(Set(names).count == names.count)
    for name in names { #expect([NameFilter("lock")].select(name) && name.hasPrefix("lock-"), "\(name)") }
  }

  @Test("The names of the rows of locks say their load")
  func namesTellTheLoad() throws {
    for row in ours {
      let contest = try #require(row.contest)
      #expect(row.name.contains("-\(contest.threads)-threads") == (contest.threads > 1), "\(row.name)")
      #expect(row.name.hasSuffix("-long") == (contest.section == .long), "\(row.name)")
    }
  }

  /// Every lock of the article's chart, and every load that is asked for.
  @Test("There is a row for every lock and every load of the article's chart")
  func nothingIsMissing() {
    for lock in [
      "spin", "unfair", "semaphore", "mutex", "mutex-recursive", "nslock", "nscondition", "nsrecursivelock", "nsconditionlock",
      "synchronized", "rwlock-read", "rwlock-write", "serial-queue",
    ] {
      #expect(ours.contains { $0.name == "lock-\(lock)" && $0.weight == .leading }, "\(lock)")
    }
    for threads in [2, 4, 16] {
      for suffix in ["", "-long"] {
        let row = ours.first { $0.name == "lock-nslock-\(threads)-threads\(suffix)" }
        #expect(row?.peers.map(\.name) == ["glibc default", "glibc adaptive", "Swift Mutex"])
      }
    }
  }

  @Test("Every row of locks runs")
  func everyRowRuns() {
    for row in ours + theirs {
      #expect(row.prepare().run(64) > 0, "\(row.name)")
      for peer in row.peers { #expect(peer.prepare().run(64) > 0, "\(row.name), \(peer.name)") }
    }
  }

  @Test("Every trial of locks runs")
  func everyTrialRuns() {
    for trial in LockRowsSignalbox.lockTrials() + LockRowsToolchain.lockTrials() {
      for turn in [trial.turn] + trial.peers.map(\.turn) { #expect(turn(2).counts.count == 16, "\(trial.name)") }
    }
  }

  @Test("Signalbox's half of a row counts its locks")
  func signalboxCountsItsLocks() throws {
    func half(_ rows: [Row]) -> Subject { Subject(name: "half", rows: rows.filter { $0.name == "lock-nslock-4-threads" }) }
    let ours = half(LockRowsSignalbox.lockRows())
    let runner = Runner(
      signalbox: ours, toolchain: half(LockRowsToolchain.lockRows()), rounds: 1, pace: .smoke, counter: nil,
      lockCounter: LockRowsSignalbox.lockCounter())
    let seen = try #require(runner.run(ours.rows[0]) { _, _ in }.contention)
    #expect(seen.acquisitions >= ours.rows[0].batch.smallest && (0...1).contains(seen.share))
    #expect(seen.contended == 0 || seen.longestWaitNanoseconds > 0)
  }
}
