// AcquiredTests.swift: the lines of a deadlock report that say where each lock was taken, and what stands there if nobody took notes.
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxLocks

/// Takes both locks, the second once the other thread has its first. Of this name in the report.
@inline(never)
func takesLedgerFirst(_ ledger: MutexLock, _ journal: MutexLock, _ meet: () -> Void) {
  ledger.lock()
  meet()
  journal.lock()
}

/// As above, the other way round.
@inline(never)
func takesJournalFirst(_ ledger: MutexLock, _ journal: MutexLock, _ meet: () -> Void) {
  journal.lock()
  meet()
  ledger.lock()
}

/// Two threads that wait for each other; the report ends the process.
private func crosswise() {
  alarm(500)
  setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
  let (ledger, journal, inside) = (MutexLock(name: "ledger"), MutexLock(name: "journal"), Count())
  let meet = { @Sendable in
    inside.add()
    until("both are inside") { inside.value == 2 }
  }
  PlainThread("alpha") { takesLedgerFirst(ledger, journal, meet) }
  PlainThread("beta") { takesJournalFirst(ledger, journal, meet) }
  sleepForEver()
}

@Suite("Deadlock reports say where each lock was acquired") struct AcquiredTests {
  /// The lines that follow the one with `title`, as far as they belong to it.
  private func lines(_ title: String, of lock: String, in text: String) -> [Substring] {
    let all = text.split(separator: "\n")
    guard let start = all.firstIndex(where: { $0.contains(title) && $0.contains("\"\(lock)\"") }) else { return [] }
    return Array(all[(start + 1)...].prefix { $0.hasPrefix("      ") })
  }

  @Test("With the order of locks checked the report says where each lock was taken, without a helper")
  func validated() async throws {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      LockOrder.mode = .report
      crosswise()
    }
    let text = errorText(result)
    expectStop(result, saying: "deadlock: 2 threads wait for one another, forever")
    for (lock, function) in [("ledger", "takesLedgerFirst"), ("journal", "takesJournalFirst")] {
      let names = lines("acquired mutex 0x", of: lock, in: text)
      #expect(names.contains { $0.contains(function) }, "\(lock): \(names)\n\(text)")
    }
    #expect(!text.contains("unknown: run with"), "\(text)")
  }

  @Test("Without validation the report says how to turn it on")
  func unwatched() async throws {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      LockOrder.mode = .off
      crosswise()
    }
    let text = errorText(result)
    for lock in ["ledger", "journal"] {
      let line = try Regex("acquired mutex 0x[0-9a-f]+ \"\(lock)\": unknown: run with SIGNALBOX_LOCK_ORDER=report\\n")
      #expect(text.contains(line), "\(text)")
    }
  }

  @Test("The place is also given where a reader waits for a writer, and where a thread sleeps in a mutex of the C library")
  func otherHolders() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      killOnHang()
      let reports = Reports()
      LockOrder.mode = .report
      let (book, ledger, gate) = (ReaderWriterLock(name: "book"), MutexLock(name: "ledger"), Gate())
      let writer = Actor(holds: { book.writeLock() }, after: gate) { ledger.lock() }
      let reader = Actor(holds: { ledger.lock() }, after: gate) { book.readLock() }
      gate.open()
      #expect(writer.isRecorded() && reader.isRecorded() && eventually { reports.all.count == 1 })
      #expect(reports.all[0].participants.allSatisfy { $0.acquired?.isEmpty == false })
      let (ours, theirs, other) = (MutexLock(name: "ours"), ForeignLock(), Gate())
      let one = Actor(holds: { ours.lock() }, after: other) { theirs.lock() }
      let two = Actor(holds: { theirs.lock() }, after: other) { ours.lock() }
      other.open()
      #expect(one.isInMutex() && two.isRecorded() && eventually { reports.all.count == 2 })
      #expect(reports.all[1].certainty == .suspected)
      #expect(reports.all[1].participants.filter { $0.acquired?.isEmpty == false }.map(\.threadID) == [UInt64(one.id)])
      _exit(0)
    }
    let text = errorText(result)
    #expect(text.contains(/acquired mutex 0x[0-9a-f]+ "ours" at:\n/), "\(text)")
    #expect(text.contains(/acquired pthread mutex 0x[0-9a-f]+: unknown: the C library does not record it/), "\(text)")
  }

  @Test("The place is given for a lock that its own holder asks for again, and for a reader that asks to write")
  func selfWaits() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      alarm(500)
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)
      LockOrder.mode = .report
      Deadlock.policy = .report
      let (lock, book) = (MutexLock(name: "ledger"), ReaderWriterLock(name: "book"))
      lock.withLock { LockMisuse.relock(.mutex, lock.inner.address) }
      book.withReadLock { LockMisuse.upgrade(book.address) }
    }
    let text = errorText(result)
    #expect(!lines("acquired mutex 0x", of: "ledger", in: text).isEmpty, "\(text)")
    #expect(!lines("acquired reader-writer lock, for writing 0x", of: "book", in: text).isEmpty, "\(text)")
  }
}
