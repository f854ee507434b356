// ReaderWriterMisuseTests.swift: what stops a program at a reader-writer lock, cycles of several threads among it.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxLocks

@Suite("Misuse and deadlocks of reader-writer locks stop the program") struct ReaderWriterMisuseTests {
  @Test("A reader that asks to write is stopped")
  func upgrade() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let lock = ReaderWriterLock()
      lock.withReadLock { lock.withWriteLock {} }
    }
    expectStop(result, saying: "wants reader-writer lock, for writing 0x")
  }

  @Test("A writer that asks again, to write or to read, is stopped")
  func relock() async {
    let write = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let lock = ReaderWriterLock()
      lock.withWriteLock { lock.withWriteLock {} }
    }
    expectStop(write, saying: "wants reader-writer lock, for writing 0x")
    let read = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let lock = ReaderWriterLock()
      lock.withWriteLock { lock.withReadLock {} }
    }
    expectStop(read, saying: "wants reader-writer lock, for reading 0x")
  }

  @Test("Giving back what the thread does not hold is stopped, either way")
  func unlock() async {
    let read = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly { ReaderWriterLock().readUnlock() }
    }
    expectStop(read, saying: "a thread unlocks the reader-writer lock, for reading at 0x", "which no thread holds")
    let write = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly {
        let lock = ReaderWriterLock()
        onAnotherThread { lock.writeLock() }
        lock.writeUnlock()
      }
    }
    expectStop(write, saying: "a thread unlocks the reader-writer lock, for writing at 0x", "which another thread holds")
    let other = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      plainly {
        let lock = ReaderWriterLock()
        onAnotherThread { lock.readLock() }
        lock.readUnlock()
      }
    }
    expectStop(other, saying: "which another thread holds")
  }

  @Test("A writer that waits for a reader that waits for the writer's mutex is reported")
  func writerBehindReader() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let (lock, mutex, ready) = (ReaderWriterLock(), MutexLock(), Count())
      @Sendable func meet() {
        ready.add()
        while ready.value < 2 { sched_yield() }
      }
      onThreads(2) { thread in
        if thread == 0 {
          mutex.withLock {
            meet()
            lock.withWriteLock {}
          }
        } else {
          lock.withReadLock {
            meet()
            mutex.withLock {}
          }
        }
      }
    }
    expectStop(result, saying: "deadlock")
  }

  @Test("A reader behind a writer that waits for a reader that waits for the first is reported")
  func readerBehindWriter() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let (lock, mutex, reading, waiting) = (ReaderWriterLock(), MutexLock(), Count(), Count())
      onThreads(3) { thread in
        switch thread {
        case 0:
          lock.withReadLock {
            reading.value = 1
            while waiting.value < 2 { sched_yield() }
            mutex.withLock {}
          }
        case 1:
          while reading.value == 0 { sched_yield() }
          waiting.add()
          lock.withWriteLock {}
        default:
          while reading.value == 0 { sched_yield() }
          mutex.withLock {
            // Barred as soon as the writer waits.
            while lock.tryReadLock() {
              lock.readUnlock()
              sched_yield()
            }
            waiting.add()
            lock.withReadLock {}
          }
        }
      }
    }
    expectStop(result, saying: "deadlock")
  }

  @Test("The same cycle is reported behind a writer that was not the first to wait")
  func readerBehindSecondWriter() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let (lock, mutex, isWriting, admitted) = (ReaderWriterLock(), MutexLock(), Count(), Count())
      // relaxed: checked again and again.
      let state = { @Sendable in lock.state.hint() }
      plainly { lock.readLock() }
      let writers = (1...2).map { number in
        let writer = TestThread {
          lock.withWriteLock {
            // The first to come in lets a reader in behind itself; the second waits for that reader forever.
            if isWriting.add() == 1 { _ = eventually { state().readersWait == 1 } }
          }
        }
        _ = eventually { state().writersWait == UInt64(number) }
        return writer
      }
      let stranger = TestThread {
        mutex.withLock {
          _ = eventually { admitted.value != 0 && isAsleep(admitted.value) }
          lock.withReadLock {}
        }
      }
      plainly { lock.readUnlock() }
      _ = eventually { isWriting.value == 1 }
      lock.withReadLock {
        while !mutex.inner.isHeld { sched_yield() }
        admitted.value = kernelID
        mutex.withLock {}
      }
      for thread in writers + [stranger] { thread.join() }
    }
    expectStop(result, saying: "deadlock: 3 threads")
  }

  @Test("Two readers that both ask to write with a deadline give up, which is no deadlock")
  func timedUpgrade() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (lock, ready) = (ReaderWriterLock(), Count())
      onThreads(2) { _ in
        lock.withReadLock {
          ready.add()
          while ready.value < 2 { sched_yield() }
          _ = lock.writeLock(until: .after(.milliseconds(30)))
        }
      }
    }
  }
}
