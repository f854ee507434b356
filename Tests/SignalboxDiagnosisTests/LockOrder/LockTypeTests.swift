// LockTypeTests.swift: every type of lock tells the instruments what it does: orders, tries, waits, counts. In processes of their
// own. Foundation's classes are in SignalboxFoundationTests/LockOrderTests.swift.
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxLocks

private func watch() {
  alarm(500)
  setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)  // many reports in a row
  LockOrder.mode = .report
}

private var kinds: [LockOrderReport.Kind] { LockOrder.reports.map(\.kind) }

@Suite("Every type of lock takes part in lock-order validation") struct LockTypeTests {
  @Test("A lock of each type that is taken both ways round with a mutex is reported once, with kind and name")
  func orders() async {
    await #expect(processExitsWith: .success) {
      watch()
      for (index, lock) in AnyLock.all().enumerated() {
        // Not numbers: findings whose names differ in numbers alone have one cause.
        let name = "other of \(UnicodeScalar(UInt8(ascii: "g") + UInt8(index)))", other = MutexLock(name: name)
        #expect(kinds.count == index, "\(lock.name)")
        other.withLock { lock.with {} }
        #expect(kinds.count == index, "\(lock.name)")
        for _ in 0..<3 { onThread { lock.with { other.withLock {} } } }
        #expect(kinds.count == index + 1 && kinds.last == .inversion, "\(lock.name): \(kinds)")
        let names = LockOrder.reports.last.map { ($0.steps[0].held, $0.steps[0].wanted) }
        #expect(names?.0.hasPrefix(lock.name) == true, "\(lock.name), not \(names?.0 ?? "")")
        #expect(names?.1 == "mutex \"\(name)\"")
      }
    }
  }

  @Test("A lock of each type that is only tried for makes no order")
  func tries() async {
    await #expect(processExitsWith: .success) {
      watch()
      for lock in AnyLock.all() {
        guard let tryWith = lock.tryWith else { continue }
        let other = MutexLock()
        lock.with { other.withLock {} }
        let edges = LockWorld.graph.edges.count
        onThread { other.withLock { #expect(tryWith {}) } }
        #expect(LockWorld.graph.edges.count == edges && kinds.isEmpty, "\(lock.name)")
        // What was got by trying is held like any other, and given back.
        let held = Count()
        #expect(tryWith { held.value = UInt64(HeldLocks.count) })
        #expect(held.value == 1, "\(lock.name)")
        #expect(HeldLocks.count == 0, "\(lock.name)")
        lock.with { onThread { #expect(!tryWith {}) } }
      }
    }
  }

  @Test("A recursive lock is held from the first time to the last, however often it is taken")
  func recursion() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (lock, account) = (MutexLock(kind: .recursive), Account())
      lock.withLock {
        lock.withLock { #expect(HeldLocks.count == 1) }
        #expect(HeldLocks.count == 1)
        synchronized(account) {
          synchronized(account) { #expect(HeldLocks.count == 2) }
          #expect(HeldLocks.count == 2)
        }
        #expect(HeldLocks.count == 1)
      }
      #expect(HeldLocks.count == 0)
    }
  }

  @Test("Readers that read again hold until the last has been given back, and a read is no write")
  func readers() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (lock, other) = (ReaderWriterLock(name: "book"), MutexLock(name: "other"))
      lock.withReadLock {
        other.withLock { lock.withReadLock { #expect(HeldLocks.count == 2) } }
        #expect(lock.tryReadLock())
        #expect(HeldLocks.count == 1)
        lock.readUnlock()
        #expect(HeldLocks.count == 1)
      }
      #expect(HeldLocks.count == 0)
      #expect(LockWorld.graph.edges.count == 1, "reading again comes after nothing: the thread reads already")
      onThread { other.withLock { lock.withReadLock {} } }
      #expect(kinds.isEmpty, "as long as nobody writes, nobody keeps a reader waiting")
      lock.withWriteLock {}
      #expect(kinds == [.inversion])
      let (one, two) = (ReaderWriterLock(name: "one"), ReaderWriterLock(name: "two"))
      one.withReadLock { two.withReadLock {} }
      onThread { two.withReadLock { one.withReadLock {} } }
      #expect(kinds.count == 1)
      one.withWriteLock {}
      two.withWriteLock {}
      #expect(kinds.count == 2)
    }
  }

  @Test("A new lock at an old address is another lock; the lock of an object stays the same as long as the object lives")
  func lives() async {
    await #expect(processExitsWith: .success) {
      watch()
      let outer = MutexLock(name: "outer")
      for _ in 0..<200 {
        let account = Account()
        let lock = OSAllocatedUnfairLock(initialState: 0)
        outer.withLock { synchronized(account) { lock.withLock { $0 += 1 } } }
      }
      // One class of unfair locks; one of each account that is not yet known to have gone.
      let edges = LockWorld.graph.edges.count
      #expect(edges <= 2 + 2 * 64 * 4, "\(edges)")
      #expect(kinds.isEmpty)
      let (account, inner) = (Account(), MutexLock(name: "inner"))
      synchronized(account) { inner.withLock {} }
      for _ in 0..<3 { synchronized(Account()) {} }
      onThread { inner.withLock { synchronized(account) {} } }
      #expect(kinds == [.inversion])
      #expect(LockOrder.reports[0].steps[0].wanted.hasSuffix(" of Account"))
      // An object as the gate before both orders, its record made again each time.
      let (a, b) = (MutexLock(name: "A"), MutexLock(name: "B"))
      synchronized(outer) { a.withLock { b.withLock {} } }
      onThread { synchronized(outer) { b.withLock { a.withLock {} } } }
      #expect(kinds.count == 1)
      onThread { b.withLock { a.withLock {} } }
      #expect(kinds.count == 2)
    }
  }

  @Test("When there are more objects than are remembered, orders are forgotten, not mixed up")
  func forgetting() async {
    await #expect(processExitsWith: .success) {
      watch()
      func stripe(_ account: Account) -> SyncStripe {
        SyncTable.stripe(of: UInt(bitPattern: Unmanaged.passUnretained(account).toOpaque()))
      }
      // Of one stripe, which remembers this many: of all stripes it would be sixty-four times the work.
      var (all, accounts) = ([Account()], [Account]())
      while accounts.count <= SyncLives.most {
        all.append(Account())
        if stripe(all[all.count - 1]) === stripe(all[0]) { accounts.append(all[all.count - 1]) }
      }
      let outer = MutexLock(name: "outer")
      for account in accounts { outer.withLock { synchronized(account) {} } }
      #expect(LockWorld.graph.edges.count <= SyncLives.most)
      let last = accounts[accounts.count - 1]
      onThread { synchronized(last) { outer.withLock {} } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("Running once under a lock that the body takes is reported, also after it has run")
  func once() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (lock, once) = (MutexLock(name: "settings"), Holder(Once()))
      once.value.run { lock.withLock { #expect(HeldLocks.count == 2) } }
      #expect(HeldLocks.count == 0 && kinds.isEmpty)
      onThread { lock.withLock { once.value.run { Issue.record("a second run") } } }
      #expect(kinds == [.inversion])
      #expect(LockOrder.reports[0].steps[0].held == "mutex \"settings\"")
      struct Wrong: Error {}
      let other = Holder(Once())
      #expect(throws: Wrong.self) { try other.value.run { () throws(Wrong) in throw Wrong() } }
      #expect(HeldLocks.count == 0)
    }
  }

  @Test("While a thread waits for a condition it does not hold the lock, and takes it again after what it kept")
  func condition() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (condition, kept, waiter) = (Holder(ConditionVariable()), MutexLock(name: "kept"), Count())
      let thread = Thread {
        condition.value.withLock {
          #expect(HeldLocks.count == 1)
          waiter.value = ThreadSlot.owner()
          condition.value.wait()
          #expect(HeldLocks.count == 1)
        }
        #expect(HeldLocks.count == 0)
      }
      #expect(eventually { WaitRecord.isWaiting(waiter.value) && waiter.value != 0 })
      let word = condition.value.lock.address
      #expect(HeldLocks.acquisition(of: word, by: waiter.value) == nil)
      condition.value.withLock { condition.value.signal() }
      thread.join()
      #expect(kinds.isEmpty && LockWorld.graph.edges.isEmpty)
      // The lock comes first on the way in, and last on the way out of the wait.
      let other = Thread {
        condition.value.withLock { kept.withLock { _ = condition.value.wait(until: .after(.milliseconds(1))) } }
      }
      other.join()
      #expect(LockWorld.graph.edges.count == 2 && kinds.isEmpty, "one thread alone")
      onThread { condition.value.withLock { kept.withLock {} } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("Waiting for a condition without limit while another lock is held is noted, with a limit not")
  func waitUnderLock() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (condition, outer, isIn) = (Holder(ConditionVariable()), MutexLock(name: "outer"), Count())
      let thread = Thread {
        outer.withLock {
          condition.value.withLock { _ = condition.value.wait(until: .after(.milliseconds(1))) }
          #expect(kinds.isEmpty)
          condition.value.withLock {
            isIn.value = 1
            condition.value.wait()
          }
        }
      }
      #expect(eventually { isIn.value == 1 })
      condition.value.withLock { condition.value.signal() }
      thread.join()
      #expect(kinds == [.waitUnderLock])
      let step = LockOrder.reports[0].steps[0]
      #expect(step.held == "mutex \"outer\"" && step.wanted == "condition")
    }
  }

  @Test("A lock's name is in reports of deadlocks, of orders, and in statistics, and goes with the lock")
  func names() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      watch()
      Deadlock.policy = .report
      LockStatistics.start()
      var address: UInt = 0
      do {
        let lock = MutexLock(name: "ledger")
        address = lock.inner.address
        lock.withLock {}
        #expect(lock.name == "ledger" && LockNames.name(of: address) == "ledger")
        #expect(LockMisuse.name(.mutex, address) == "mutex at 0x\(String(address, radix: 16)) \"ledger\"")
        #expect(LockStatistics.snapshot().map(\.name) == ["mutex \"ledger\""])
        // Asked for twice: told, and then the wait is given up.
        lock.withLock { LockMisuse.relock(.mutex, address) }
      }
      #expect(LockNames.name(of: address) == nil)
      let levels = [MutexLock(name: "node", level: 1), MutexLock(name: "node", level: 2)]
      levels[1].withLock { levels[0].withLock {} }
      #expect(kinds == [.level])
      let books = [ReaderWriterLock(name: "book", level: 1), ReaderWriterLock(name: "book", level: 2)]
      books[1].withReadLock { books[0].withReadLock {} }
      #expect(kinds == [.level, .level])
    }
    let text = errorText(result)
    #expect(text.contains(/wants mutex 0x[0-9a-f]+ "ledger", which it holds already/), "\(text)")
  }

  @Test("A plain word has the name that it was given, until it is forgotten with its orders")
  func words() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (word, other) = (Word(os_unfair_lock()), MutexLock(name: "other"))
      LockOrder.nameLock(at: word.pointer, "word")
      underWord(word) { other.withLock {} }
      LockOrder.forgetLock(at: word.pointer)
      onThread { other.withLock { underWord(word) {} } }
      #expect(kinds.isEmpty, "it is another one")
      LockOrder.nameLock(at: word.pointer, "word")
      onThread { other.withLock { underWord(word) {} } }
      #expect(kinds == [.inversion] && LockOrder.reports[0].steps[0].wanted == "unfair lock \"word\"")
      LockOrder.forgetLock(at: word.pointer)
    }
  }

  @Test("A lock can get another name, and lose it")
  func renaming() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (lock, other) = (MutexLock(name: "first"), MutexLock(name: "other"))
      lock.withLock { other.withLock {} }
      LockNames.name(lock.inner.address, "second")
      onThread { other.withLock { lock.withLock {} } }
      #expect(kinds.isEmpty, "orders were learnt of locks named first")
      lock.withLock { other.withLock {} }
      #expect(kinds == [.inversion])
      LockNames.unname(lock.inner.address)
      #expect(LockNames.name(of: lock.inner.address) == nil)
      onThread { other.withLock { lock.withLock {} } }
      lock.withLock { other.withLock {} }
      #expect(kinds == [.inversion, .inversion], "a class of its own")
      LockNames.name(lock.inner.address, "")
      #expect(LockNames.name(of: lock.inner.address) == "")
    }
  }
}
