// LockStatisticsTests.swift: how often locks are taken and waited for, by name; in processes of their own.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxLocks

private func usage(_ name: String) -> LockStatistics.Usage? { LockStatistics.snapshot().first { $0.name == name } }

/// The calling thread runs `wait` while a thread of that name is inside `hold`, and sleeps there for two milliseconds at least.
private func behind(_ name: String, _ hold: @escaping @Sendable (() -> Void) -> Void, waits wait: () -> Void) {
  let (begun, waiter) = (Atomic64Box(), Atomic64Box())
  let holder = Thread {
    Threads.setName(name)
    hold {
      begun.word.storeRelease(1)
      _ = eventually { waiter.word.loadAcquire() != 0 && WaitRecord.isWaiting(waiter.word.loadAcquire()) }
      sleepPlainly(milliseconds: 3)  // what the wait has lasted at least
    }
    // The name is looked up when the wait is over: the holder is still there.
    _ = eventually { begun.word.loadAcquire() == 0 }
  }
  #expect(eventually { begun.word.loadAcquire() != 0 })
  waiter.word.storeRelease(ThreadSlot.owner())
  wait()
  begun.word.storeRelease(0)
  holder.join()
}

@Suite("Statistics count how often locks are acquired and waited for") struct LockStatisticsTests {
  @Test("Locks of one name count together; nothing counts before and after")
  func counts() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      LockOrder.mode = .off
      let (one, other, unnamed) = (Lock("log"), Lock("log"), Lock())
      one.with {}
      LockStatistics.start()
      for _ in 0..<5 { one.with {} }
      other.with {}
      #expect(one.tryLock())
      one.unlock()
      unnamed.with {}
      LockStatistics.stop()
      one.with {}
      let usages = LockStatistics.snapshot()
      #expect(usages.first { $0.name == "mutex \"log\"" }?.acquisitions == 7)
      #expect(usages.first { $0.name == "mutex without a name" }?.acquisitions == 1)
      #expect(usages.allSatisfy { $0.contended == 0 && $0.totalWait == 0 && $0.longestHolder == nil })
      LockStatistics.start()
      #expect(LockStatistics.snapshot().isEmpty)
    }
  }

  @Test("While orders are validated as well, each acquisition counts once, and nothing is held in the end")
  func withOrders() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      LockOrder.mode = .report
      LockStatistics.start()
      let (one, other) = (Lock("one"), Lock("other"))
      for _ in 0..<5 { one.with {} }
      one.with { other.with {} }
      other.with { one.with {} }
      let usages = LockStatistics.snapshot()
      #expect(usages.first { $0.name == "mutex \"one\"" }?.acquisitions == 7)
      #expect(usages.first { $0.name == "mutex \"other\"" }?.acquisitions == 2)
      #expect(HeldLocks.count == 0)
    }
  }

  @Test("The longest wait is kept, and who held the lock meanwhile")
  func contention() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      LockStatistics.start()
      let (lock, begun, waiter) = (Lock("shared"), Atomic64Box(), Atomic64Box())
      let holder = Thread {
        Threads.setName("the-holder")
        lock.with {
          begun.word.storeRelease(UInt64(ThreadSlot.kernelID()))
          _ = eventually { WaitRecord.isWaiting(waiter.word.loadAcquire()) }
          sleepPlainly(milliseconds: 3)  // what the wait has lasted at least
        }
        // The name is looked up when the wait is over: the holder is still there.
        _ = eventually { begun.word.loadAcquire() == 0 }
      }
      #expect(eventually { begun.word.loadAcquire() != 0 })
      let tid = begun.word.loadAcquire()
      waiter.word.storeRelease(ThreadSlot.owner())
      lock.with {}
      begun.word.storeRelease(0)
      holder.join()
      let usage = LockStatistics.snapshot().first { $0.name == "mutex \"shared\"" }
      #expect(usage?.acquisitions == 2 && usage?.contended == 1)
      #expect((usage?.longestWait ?? 0) >= 2_000_000 && usage?.longestWait == usage?.totalWait)
      #expect(usage?.longestHolder == .init(threadID: tid, threadName: "the-holder"))
      #expect(LockStatistics.table().contains("longest behind thread \(tid) \"the-holder\""))
    }
  }

  @Test("Waits behind a mutex's holder, behind readers and behind a writer are each counted by name")
  func types() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      LockStatistics.start()
      let (mutex, book) = (MutexLock(name: "mutex"), ReaderWriterLock(name: "book"))
      behind("the-mutex") {
        mutex.withLock($0)
      } waits: {
        mutex.withLock {}
      }
      behind("the-reader") {
        book.withReadLock($0)
      } waits: {
        book.withWriteLock {}
      }
      #expect(usage("reader-writer lock \"book\"")?.longestHolder == nil, "readers have no name")
      behind("the-writer") {
        book.withWriteLock($0)
      } waits: {
        book.withReadLock {}
      }
      let (first, second) = (usage("mutex \"mutex\""), usage("reader-writer lock \"book\""))
      #expect(first?.acquisitions == 2 && first?.contended == 1 && first?.longestHolder?.threadName == "the-mutex")
      #expect(second?.acquisitions == 4 && second?.contended == 2)
      #expect((second?.totalWait ?? 0) >= 4_000_000 && (second?.longestWait ?? 0) < (second?.totalWait ?? 0))
    }
  }

  @Test("The environment switches the statistics on, and a table is printed when the program ends")
  func environment() async throws {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_LOCK_STATISTICS", "1", 1)
      alarm(500)
      let lock = Lock("journal")
      for _ in 0..<3 { lock.with {} }
      exit(0)
    }
    expectReport(result, saying: "acquisitions", "mutex \"journal\"")
  }
}
