// OnceTests.swift: running once: the thread that comes first, waiting for its end, errors, and what stops the program.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

/// A once that threads share.
private final class SharedOnce: Sendable {
  let once = Once()
  var isDone: Bool { once.isDone }
}

@Suite("Once flags") struct OnceTests {
  @Test("The first body runs, later ones do not")
  func once() {
    let shared = SharedOnce()
    #expect(!shared.isDone)
    var ran = 0
    for _ in 0..<3 { shared.once.run { ran += 1 } }
    #expect(ran == 1 && shared.isDone)
    #expect(MemoryLayout<Once>.size == 8)
  }

  @Test("Of many threads one runs the body, and all see what it wrote")
  func race() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      for _ in 0..<200 {
        let (shared, guarded, ready) = (SharedOnce(), Guarded(), Count())
        onThreads(8) { _ in
          ready.add()
          while ready.value < 8 { sched_yield() }
          shared.once.run {
            sleepPlainly(microseconds: 20)  // a body that takes a while
            guarded.sum += 1
          }
          #expect(guarded.sum == 1 && shared.isDone)
        }
      }
    }
  }

  @Test("A thread that comes while the body runs sleeps until its end")
  func sleeping() {
    let shared = SharedOnce()
    let (running, leave, waiter, after) = (Count(), Gate(), Count(), Count())
    let runner = TestThread {
      shared.once.run {
        running.value = 1
        leave.pass()
      }
    }
    #expect(eventually { running.value == 1 })
    let second = TestThread {
      waiter.value = kernelID
      shared.once.run { Issue.record("the body ran twice") }
      after.value = 1
    }
    #expect(eventually { waiter.value != 0 && isAsleep(waiter.value) })
    #expect(after.value == 0)
    leave.open()
    for thread in [runner, second] { thread.join() }
    #expect(after.value == 1)
  }

  @Test("A body that throws counts as not run, and whoever waited runs its own")
  func throwing() {
    struct Wrong: Error, Equatable {}
    let shared = SharedOnce()
    let (running, leave, waiter, ran) = (Count(), Gate(), Count(), Count())
    let failing = TestThread {
      #expect(throws: Wrong()) {
        try shared.once.run { () throws(Wrong) in
          running.value = 1
          leave.pass()
          throw Wrong()
        }
      }
    }
    #expect(eventually { running.value == 1 })
    let second = TestThread {
      waiter.value = kernelID
      shared.once.run { ran.add() }
    }
    #expect(eventually { waiter.value != 0 && isAsleep(waiter.value) })
    leave.open()
    for thread in [failing, second] { thread.join() }
    #expect(ran.value == 1 && shared.isDone)
  }

  @Test("A body that comes back to its own once is stopped")
  func recursion() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let shared = SharedOnce()
      shared.once.run { shared.once.run {} }
    }
    expectStop(result, saying: "deadlock of one thread: the body of the once at 0x")
  }

  @Test("Two bodies that each wait for the other's end are found")
  func crossed() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      killOnHang()
      let (shared, running) = ([SharedOnce(), SharedOnce()], Count())
      onThreads(2) { index in
        shared[index].once.run {
          running.add()
          while running.value < 2 { sched_yield() }
          shared[1 - index].once.run {}
        }
      }
    }
    expectStop(result, saying: "deadlock")
  }
}
