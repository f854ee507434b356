// LockOrderTests.swift: orders of locks in programs: what is reported, what is left alone, each in a process of its own.
import Glibc
import Signalbox
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxLocks

/// Begins validation in this process, which a test has to itself; a hang ends it.
private func watch() {
  alarm(500)
  LockOrder.mode = .report
}

private var kinds: [LockOrderReport.Kind] { LockOrder.reports.map(\.kind) }

@Suite("Contradictory lock orders are reported, others are not") struct LockOrderTests {
  @Test("Both orders on two threads, one after the other, are reported once, without a hang, with both places")
  func inversion() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (Lock("A"), Lock("B"))
      a.with { b.with {} }
      #expect(kinds.isEmpty)
      for _ in 0..<3 { onThread { b.with { a.with {} } } }
      #expect(kinds == [.inversion])
      let report = LockOrder.reports[0]
      #expect(report.steps.map(\.held) == ["mutex \"B\"", "mutex \"A\""])
      #expect(report.steps.map(\.wanted) == ["mutex \"A\"", "mutex \"B\""])
      #expect(Set(report.steps.map(\.threadID)).count == 2)
      #expect(report.steps.allSatisfy { !$0.heldAt.isEmpty && !$0.wantedAt.isEmpty })
    }
  }

  @Test("The message names both orders, their threads and their places")
  func message() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      watch()
      setenv("SIGNALBOX_SYMBOLICATOR", "/none", 1)  // the loader's names, whatever debug information there is
      Threads.setName("first-thread")
      let (a, b) = (Lock("accounts"), Lock("log"))
      a.with { b.with {} }
      onThread {
        Threads.setName("second-thread")
        b.with { a.with {} }
      }
    }
    let text = errorText(result)
    for part in [
      "lock order: mutex \"accounts\" is asked for while mutex \"log\" is held",
      "elsewhere mutex \"log\" while mutex \"accounts\"",
      "\"first-thread\"", "\"second-thread\"",
    ] {
      #expect(text.contains(part), "missing: \(part)\n\(text)")
    }
    // Each place is a stack, of which Signalbox's own part is one line, and the program's functions have names.
    let place = #/\ {4}(held since|asked for at):\n {6}\(\d+ frames of Signalbox: .*\)\n {6}0 Lock\.lock\(\) /#
    #expect(text.matches(of: place).count == 4, "\(text)")
  }

  @Test("Both orders on one thread alone are no danger; a second thread makes them one")
  func oneThread() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (Lock("A"), Lock("B"))
      for _ in 0..<2 {
        a.with { b.with {} }
        b.with { a.with {} }
      }
      #expect(kinds.isEmpty)
      onThread { a.with { b.with {} } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("Under a common outer lock both orders are allowed; once without it they are reported")
  func gate() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (gate, a, b) = (Lock("gate"), Lock("A"), Lock("B"))
      gate.with { a.with { b.with {} } }
      onThread { gate.with { b.with { a.with {} } } }
      #expect(kinds.isEmpty)
      onThread { b.with { a.with {} } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("Two outer locks of one class keep nobody apart")
  func twoGates() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (one, other, a, b) = (Lock("gate"), Lock("gate"), Lock("A"), Lock("B"))
      one.with { a.with { b.with {} } }
      onThread { other.with { b.with { a.with {} } } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("A cycle of three locks on three threads is reported when it closes")
  func three() async {
    await #expect(processExitsWith: .success) {
      watch()
      let locks = [Lock("A"), Lock("B"), Lock("C")]
      for index in 0..<3 {
        #expect(kinds.isEmpty)
        onThread { locks[index].with { locks[(index + 1) % 3].with {} } }
      }
      #expect(kinds == [.inversion] && LockOrder.reports[0].steps.count == 3)
    }
  }

  @Test("Locks taken by trying or until a deadline are in no order with those held before, but with those taken after")
  func tries() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b, c) = (Lock("A"), Lock("B"), Lock("C"))
      a.with { b.with {} }
      onThread {
        b.with {
          #expect(a.tryLock())
          a.unlock()
          #expect(a.lock(until: .after(.seconds(10))))
          a.unlock()
        }
      }
      #expect(kinds.isEmpty)
      #expect(c.tryLock())
      b.with {}
      c.unlock()
      onThread { b.with { c.with {} } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("A failed try leaves nothing behind")
  func failedTry() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (Lock("A"), Lock("B"))
      a.lock()
      onThread {
        #expect(!a.tryLock())
        #expect(!a.lock(until: .after(.milliseconds(1))))
        b.with {}
      }
      a.unlock()
      onThread { b.with { a.with {} } }
      #expect(kinds.isEmpty && LockWorld.graph.edges.count == 1)
    }
  }

  @Test("Readers in both orders pass one another, until there is a writer")
  func readers() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (ReadersLock(), ReadersLock())
      a.read { b.read {} }
      onThread { b.read { a.read {} } }
      #expect(kinds.isEmpty)
      a.write {}
      #expect(kinds.isEmpty)
      b.write {}
      #expect(kinds == [.inversion])
    }
  }

  @Test("A writer in one of the orders is enough where the other reads")
  func writers() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (ReadersLock(), ReadersLock())
      a.write { b.read {} }
      onThread { b.write { a.read {} } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("Locks made at one place are one class, which may be nested by rising addresses only")
  func nesting() async {
    await #expect(processExitsWith: .success) {
      watch()
      let pair = (0..<2).map { _ in Lock() }.sorted { $0.address < $1.address }
      pair[0].with { pair[1].with {} }
      onThread { pair[0].with { pair[1].with {} } }
      #expect(kinds.isEmpty)
      onThread { pair[1].with { pair[0].with {} } }
      #expect(kinds == [.nesting])
    }
  }

  @Test("Locks with levels are taken lower level first, whatever the addresses; the other way is reported at once")
  func levels() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (low, high) = (Lock("node", level: 1), Lock("node", level: 2))
      let (otherHigh, otherLow) = (Lock("node", level: 2), Lock("node", level: 1))
      low.with { high.with {} }
      otherLow.with { otherHigh.with {} }
      onThread { low.with { otherHigh.with {} } }
      #expect(kinds.isEmpty)
      high.with { otherLow.with {} }
      #expect(kinds == [.level])
    }
  }

  @Test("Taking a lock again that is held, as recursive locks may be, is no order; given back in any sequence")
  func recursion() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b) = (ReadersLock(), ReadersLock())
      let take = { (lock: ReadersLock) in LockRequest(.recursiveMutex, lock.address, isPatient: true).isGranted() }
      let give = { (lock: ReadersLock) in LockEvent.released(lock.address) }
      take(a)
      take(b)
      take(a)
      give(a)
      #expect(HeldLocks.acquisition(of: a.address, by: ThreadSlot.owner()) != nil)
      give(a)
      #expect(HeldLocks.acquisition(of: a.address, by: ThreadSlot.owner()) == nil)
      onThread { a.write { b.write {} } }
      give(b)
      #expect(kinds.isEmpty)
    }
  }
}
