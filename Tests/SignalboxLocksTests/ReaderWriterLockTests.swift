// ReaderWriterLockTests.swift: readers together, writers alone; which thread waits behind which; what stops the
// program.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxLocks

/// Another thread that holds a lock until it is told to leave.
private struct Holder {
  private let thread: TestThread
  private let leave = Gate()

  init(_ take: @escaping @Sendable () -> Void, _ giveBack: @escaping @Sendable () -> Void) {
    let (held, leave) = (Count(), self.leave)
    thread = TestThread {
      take()
      held.value = 1
      leave.pass()
      giveBack()
    }
    precondition(eventually { held.value == 1 })
  }
  static func reader(_ lock: ReaderWriterLock) -> Holder { Holder({ lock.readLock() }, { lock.readUnlock() }) }
  static func writer(_ lock: ReaderWriterLock) -> Holder { Holder({ lock.writeLock() }, { lock.writeUnlock() }) }

  func end() {
    leave.open()
    thread.join()
  }
}

extension ReaderWriterLock {
  fileprivate var now: ReaderWriterState { state.load() }
}

@Suite("Reader-writer locks") struct ReaderWriterLockTests {
  @Test("Readers are inside together; a writer is alone")
  func sharing() {
    let lock = ReaderWriterLock()
    let reader = Holder.reader(lock)
    #expect(lock.tryReadLock())
    #expect(lock.now.readers == 2)
    #expect(!lock.tryWriteLock())
    lock.readUnlock()
    reader.end()
    #expect(lock.tryWriteLock())
    #expect(lock.isWriteLockedByCurrentThread)
    onAnotherThread {
      #expect(!lock.isWriteLockedByCurrentThread)
      #expect(!lock.tryReadLock() && !lock.tryWriteLock())
    }
    lock.writeUnlock()
    #expect(lock.now.rawValue == 0)
  }

  @Test("Bodies give back what they took, with their result or their error")
  func bodies() {
    struct Wrong: Error, Equatable {}
    struct Token: ~Copyable { let number: Int }
    let lock = ReaderWriterLock()
    #expect(lock.withReadLock { Token(number: 1) }.number + lock.withWriteLock { Token(number: 2) }.number == 3)
    #expect(throws: Wrong()) { try lock.withReadLock { () throws(Wrong) in throw Wrong() } }
    #expect(throws: Wrong()) { try lock.withWriteLock { () throws(Wrong) in throw Wrong() } }
    #expect(lock.now.rawValue == 0)
  }

  @Test("New readers wait behind a writer that waits, and come in when it has left")
  func writerIsNotStarved() {
    let lock = ReaderWriterLock()
    let order = Guarded()
    let reader = Holder.reader(lock)
    let writer = TestThread { lock.withWriteLock { order.sum += 1 } }
    #expect(eventually { lock.now.writersWait == 1 })
    #expect(!lock.tryReadLock())
    #expect(!lock.readLock(until: .after(.milliseconds(5))))
    let late = TestThread { lock.withReadLock { #expect(order.sum == 1) } }
    #expect(eventually { lock.now.readersWait == 1 })
    reader.end()
    writer.join()
    late.join()
    #expect(lock.now.holder == 0 && lock.now.readersWait == 0 && lock.now.writersWait == 0)
  }

  @Test("Readers that wait come in before the next writer")
  func readersAreNotStarved() {
    let lock = ReaderWriterLock()
    let (wrote, readerSaw) = (Count(), Count(99))
    let first = Holder.writer(lock)
    let second = TestThread { lock.withWriteLock { wrote.value = 1 } }
    #expect(eventually { lock.now.writersWait == 1 })
    let reader = TestThread { lock.withReadLock { readerSaw.value = wrote.value } }
    #expect(eventually { lock.now.readersWait == 1 })
    first.end()
    reader.join()
    second.join()
    #expect(readerSaw.value == 0 && wrote.value == 1)
  }

  @Test("A thread that reads may read again while a writer waits for it")
  func reentrantReading() {
    let lock = ReaderWriterLock()
    lock.readLock()
    let writer = TestThread { lock.withWriteLock {} }
    #expect(eventually { lock.now.writersWait == 1 })
    lock.withReadLock { #expect(lock.now.readers == 2) }
    #expect(lock.tryReadLock() && lock.readLock(until: .uptime(0)))
    onAnotherThread { #expect(!lock.tryReadLock()) }
    for _ in 0..<3 { lock.readUnlock() }
    writer.join()
    #expect(lock.now.holder == 0)
  }

  @Test("Readers behind a writer that gives up come in although others still read")
  func writerGivesUp() {
    let lock = ReaderWriterLock()
    let reader = Holder.reader(lock)
    let (cameIn, writerIsAway) = (Count(), Count())
    let writer = TestThread {
      #expect(!lock.writeLock(until: .after(.milliseconds(100))))
      writerIsAway.value = 1
    }
    let late = TestThread {
      while lock.now.writersWait == 0, writerIsAway.value == 0 { sched_yield() }
      lock.withReadLock { cameIn.value = 1 }
    }
    #expect(eventually { cameIn.value == 1 })
    for thread in [writer, late] { thread.join() }
    reader.end()
    #expect(lock.now.rawValue == 0)
  }

  @Test("A writer that waits long sleeps nearly all the while, and is next all the same")
  func longWait() {
    let (lock, waiting) = (ReaderWriterLock(), Count())
    let reader = Holder.reader(lock)
    let writer = TestThread {
      waiting.value = kernelID
      lock.withWriteLock {}
    }
    #expect(eventually { lock.now.writersWait == 1 })
    let thread = Int32(waiting.value)
    let before = KernelThread.switches(thread)
    sleepPlainly(milliseconds: 700)  // what is counted are its wake-ups in that time
    let after = KernelThread.switches(thread)
    // It asks after 10 ms, and then after twice as long each time: six times. Every 10 ms would be 70 times.
    if let before, let after { #expect(after - before < 25, "\(after - before) switches") }
    #expect(lock.now.isHandOff)
    reader.end()
    writer.join()
    #expect(lock.now.rawValue == 0)
  }

  @Test("Timed waits end no earlier than their time, and leave nothing behind")
  func timedWaits() {
    let lock = ReaderWriterLock()
    let writer = Holder.writer(lock)
    let start = Clock.uptime()
    #expect(!lock.readLock(until: .after(.milliseconds(20))))
    #expect(!lock.writeLock(until: .after(.milliseconds(20))))
    #expect(!lock.readLock(until: .wall(1)) && !lock.writeLock(until: .continuous(1)))
    #expect(Clock.uptime() - start >= milliseconds(40))
    #expect(lock.now.readersWait == 0 && lock.now.writersWait == 0)
    writer.end()
    #expect(lock.readLock(until: .uptime(0)))
    // A thread that reads waits for itself in vain.
    #expect(!lock.writeLock(until: .after(.milliseconds(5))))
    lock.readUnlock()
    #expect(lock.writeLock(until: .after(.seconds(60))))
    #expect(!lock.readLock(until: .after(.milliseconds(5))) && !lock.writeLock(until: .after(.milliseconds(5))))
    lock.writeUnlock()
    #expect(lock.now.rawValue == 0)
  }

  @Test("More read holds than are listed work all the same")
  func manyHolds() {
    let locks = (0..<12).map { _ in ReaderWriterLock() }
    for _ in 0..<2 {
      for lock in locks { lock.readLock() }
    }
    for lock in locks.reversed() { #expect(lock.now.readers == 2) }
    for _ in 0..<2 {
      for lock in locks { lock.readUnlock() }
    }
    for lock in locks { #expect(lock.tryWriteLock()) }
    for lock in locks { lock.writeUnlock() }
  }

  @Test("Among eight threads writers are alone, readers see no half-done write, and no addition is lost")
  func exclusion() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let lock = ReaderWriterLock()
      let guarded = Guarded()
      onThreads(8) { thread in
        for round in 1...5_000 {
          switch (thread + round) % 5 {
          case 0: lock.withWriteLock { guarded.visit(round) }
          case 1:
            guard lock.writeLock(until: .after(.microseconds(Int64(round % 50)))) else { continue }
            guarded.visit(round)
            lock.writeUnlock()
          case 2:
            guard lock.readLock(until: .after(.microseconds(Int64(round % 50)))) else { continue }
            #expect(guarded.inside == 0)
            lock.readUnlock()
          default: lock.withReadLock { #expect(guarded.inside == 0) }
          }
        }
      }
      #expect(guarded.sum >= 8_000 && guarded.mostInside == 1)
      #expect(lock.now.rawValue & ~ReaderWriterState.generation == 0)
      #expect(lock.patientWriter.loadRelaxed() == 0)
    }
  }

  @Test("A lock that nobody competes for neither sleeps nor keeps memory")
  func uncontendedCost() async {
    await #expect(processExitsWith: .success) {
      let lock = ReaderWriterLock()
      lock.withWriteLock {}
      _ = allocatedBytes()
      let (switches, bytes) = (voluntarySwitches, allocatedBytes())
      for _ in 0..<10_000 { lock.withReadLock { lock.withReadLock {} } }
      for _ in 0..<10_000 { lock.withWriteLock {} }
      #expect(voluntarySwitches == switches && allocatedBytes() - bytes < 10_000)
    }
  }
}
