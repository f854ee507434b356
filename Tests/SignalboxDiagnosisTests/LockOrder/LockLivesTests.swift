// LockLivesTests.swift: what the order of locks knows when locks come and go, and when validation begins and ends.
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxLocks

private func watch(_ mode: LockOrder.Mode = .report) {
  alarm(500)
  LockOrder.mode = mode
}

private var kinds: [LockOrderReport.Kind] { LockOrder.reports.map(\.kind) }

@Suite("Lock order forgets locks that are gone") struct LockLivesTests {
  @Test("A lock in the place of one that is gone has nothing of its orders")
  func reuse() async {
    await #expect(processExitsWith: .success) {
      watch()
      let outer = Lock("outer")
      let place = LockPlace()
      place.fill()
      outer.with { place.with {} }
      #expect(LockWorld.graph.edges.count == 1)
      place.clear()
      #expect(LockWorld.graph.edges.isEmpty)
      place.fill()
      onThread { place.with { outer.with {} } }
      #expect(kinds.isEmpty)
      place.clear()
    }
  }

  @Test("A lock held when checking began is unknown, which is no error, and known when it is taken again")
  func attach() async {
    await #expect(processExitsWith: .success) {
      watch(.off)
      let (a, b) = (Lock("A"), Lock("B"))
      a.lock()
      LockOrder.mode = .report
      b.with {}
      a.unlock()
      #expect(LockWorld.graph.edges.isEmpty)
      a.with { b.with {} }
      #expect(LockWorld.graph.edges.count == 1)
    }
  }

  @Test("A lock that is given back while checking is off is not held when checking begins again")
  func pause() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (Lock("A"), Lock("B"))
      a.lock()
      LockOrder.mode = .off
      a.unlock()
      LockOrder.mode = .report
      b.with {}
      #expect(LockWorld.graph.edges.isEmpty)
      a.lock()
      LockOrder.mode = .off
      b.with {}
      LockOrder.mode = .report
      b.with {}
      a.unlock()
      #expect(LockWorld.graph.edges.isEmpty, "A was taken before validation began")
    }
  }

  @Test("Switching on and off beside eight busy threads ends well, and reports nothing that is not there")
  func switching() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b, stop) = (Lock("A"), Lock("B"), Atomic64Box())
      let threads = (0..<8).map { _ in
        Thread {
          while stop.word.loadAcquire() == 0 {
            a.with { b.with {} }
            b.with {}
            if b.tryLock() { b.unlock() }
          }
        }
      }
      for round in 0..<2_000 {
        LockOrder.mode = round % 2 == 0 ? .off : .report
        if round % 100 == 0 { sched_yield() }
      }
      stop.word.storeRelease(1)
      for thread in threads { thread.join() }
      #expect(kinds.isEmpty)
    }
  }

  @Test("A lock that another thread gives back is not held any more")
  func stranger() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (Lock("A"), Lock("B"))
      a.lock()
      onThread { #expect(a.unlockForAnybody()) }
      b.with {}
      #expect(LockWorld.graph.edges.isEmpty)
      let many = (0..<12).map { _ in Lock("many") }
      for lock in many { lock.lock() }
      onThread { for lock in many { #expect(lock.unlockForAnybody()) } }
      let before = LockWorld.graph.edges.count
      b.with {}
      #expect(LockWorld.graph.edges.count == before)
    }
  }

  @Test("With the policy stop, the message comes and then SIGABRT, before the thread waits")
  func stop() async throws {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      watch(.stop)
      let (a, b) = (Lock("A"), Lock("B"))
      a.with { b.with {} }
      onThread { b.with { a.with {} } }
    }
    expectStop(result, saying: "misuse: lock order: mutex \"A\" is asked for while mutex \"B\" is held")
  }

  @Test("The environment switches the checks on")
  func environment() async throws {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      setenv("SIGNALBOX_LOCK_ORDER", "stop", 1)
      alarm(500)
      let (a, b) = (Lock("A"), Lock("B"))
      a.with { b.with {} }
      onThread { b.with { a.with {} } }
    }
    expectStop(result, saying: "lock order")
  }

  @Test("A handler gets each report, may use locks, and is not validated")
  func handler() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b, heard) = (Lock("A"), Lock("B"), Atomic64Box())
      LockOrder.onReport { report in
        a.with {}
        _ = heard.word.addRelaxed(report.kind == .inversion ? 1 : 1_000)
      }
      a.with { b.with {} }
      onThread { b.with { a.with {} } }
      #expect(heard.word.loadAcquire() == 1)
    }
  }

  @Test("Where a sleeping holder took its lock can be read from another thread")
  func acquisition() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b, owner) = (Lock("A"), Lock("B"), Atomic64Box())
      b.lock()
      let holder = Thread {
        a.with {
          owner.word.storeRelease(ThreadSlot.owner())
          b.with {}
        }
      }
      #expect(eventually { owner.word.loadAcquire() != 0 && WaitRecord.isWaiting(owner.word.loadAcquire()) })
      let sleeper = owner.word.loadAcquire()
      #expect(HeldLocks.acquisition(of: a.address, by: sleeper)?.isEmpty == false)
      #expect(HeldLocks.acquisition(of: b.address, by: sleeper) == nil)
      #expect(HeldLocks.acquisition(of: b.address, by: ThreadSlot.owner())?.isEmpty == false)
      b.unlock()
      holder.join()
      #expect(HeldLocks.acquisition(of: a.address, by: sleeper) == nil)
    }
  }

  @Test("A chain that the thread knows takes no lock of the instruments, for other locks of the same classes neither")
  func seen() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (outer, first, second, step) = (Lock("outer"), Lock("inner"), Lock("inner"), Atomic64Box())
      let thread = Thread {
        second.with {}  // the thread's own memory
        outer.with { first.with {} }
        step.word.storeRelease(1)
        while step.word.loadAcquire() != 2 { sched_yield() }
        for _ in 0..<1_000 { outer.with { first.with {} } }
        for _ in 0..<1_000 { outer.with { second.with {} } }
        step.word.storeRelease(3)
      }
      #expect(eventually { step.word.loadAcquire() == 1 })
      let isThrough = LockWorld.lock.withLock { () -> Bool in
        step.word.storeRelease(2)
        return eventually { step.word.loadAcquire() == 3 }
      }
      #expect(isThrough)
      thread.join()
    }
  }

  @Test("In the child of a fork locks work, whatever another thread of the parent had begun")
  func fork() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (Lock("A"), Lock("B"))
      a.lock()
      LockWorld.lock.withLock {
        Instruments.markForkedChild()
        b.with {}
        a.unlock()
        a.with { b.with {} }
        LockNames.name(a.address, "C")
        _ = Lock("D")
      }
    }
  }

  @Test("When more locks are held at once than are tracked, none is lost, and all are given back")
  func deep() async {
    await #expect(processExitsWith: .success) {
      watch()
      let locks = (0..<50).map { Lock("lock \($0)") }
      for _ in 0..<2 {
        for lock in locks { lock.lock() }
        for lock in locks { lock.unlock() }
      }
      let edges = LockWorld.graph.edges.count
      locks[49].with { locks[0].with {} }
      #expect(LockWorld.graph.edges.count == edges + 1 && kinds.isEmpty)
    }
  }

  @Test("Ten thousand locks that come and go leave no orders, and threads that end their memory to others")
  func many() async {
    await #expect(processExitsWith: .success) {
      watch()
      let outer = Lock("outer")
      for _ in 0..<100 {
        onThread {
          let locks = (0..<100).map { _ in LockBox() }
          outer.with { for lock in locks { lock.use() } }
        }
      }
      #expect(LockWorld.graph.edges.isEmpty && kinds.isEmpty)
    }
  }
}

/// A word that threads share.
final class Atomic64Box: Sendable { let word = Atomic64(0) }

/// Memory that one lock after the other lives in.
private final class LockPlace: @unchecked Sendable {
  // SAFETY: filled and cleared while no other thread has it.
  private let memory = UnsafeMutablePointer<LockCore>.allocate(capacity: 1)
  deinit { memory.deallocate() }
  func fill() { memory.initialize(to: LockCore()) }
  func clear() {
    memory.pointee.isGone()
    memory.deinitialize(count: 1)
  }
  func with(_ body: () -> Void) {
    memory.pointee.lock(.mutex)
    body()
    _ = memory.pointee.unlock(.mutex)
  }
}

/// A lock whose creation was not reported: a class of its own.
private final class LockBox: Sendable {
  let core = LockCore()
  deinit { core.isGone() }
  func use() {
    core.lock(.unfairLock)
    _ = core.unlock(.unfairLock)
  }
}
