// ConditionTests.swift: conditions: which thread is woken, in which order, what a deadline does, and that no signal is
// lost.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxLocks

/// A condition with plain variables that only its lock protects.
private final class Desk: @unchecked Sendable {
  // SAFETY: touched only while the condition's lock is held, or after all threads have ended.
  let condition = ConditionVariable()
  var items = 0
  var taken = 0
  var waiting = 0
  var order: [Int] = []

  // A macro of the tests cannot hold what cannot be copied.
  var isMine: Bool { condition.lock.isMine }
  func locked<R>(_ body: () -> R) -> R { condition.withLock(body) }
  func wait(until deadline: LockDeadline) -> Bool { condition.wait(until: deadline) }

  /// Waits until this many threads wait.
  func awaitWaiters(_ count: Int) -> Bool { eventually { condition.withLock { waiting == count } } }
}

@Suite("Condition variables") struct ConditionTests {
  @Test("A condition needs no memory but its words")
  func size() {
    #expect(MemoryLayout<ConditionCore>.size == 28)
    #expect(MemoryLayout<ConditionVariable>.size <= 40)
  }

  @Test("Signals wake in the order of waiting, one thread each")
  func order() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let desk = Desk()
      var threads: [TestThread] = []
      for number in 0..<6 {
        threads.append(
          TestThread {
            desk.condition.withLock {
              desk.waiting += 1
              desk.condition.wait()
              desk.order.append(number)
            }
          })
        #expect(desk.awaitWaiters(number + 1))
      }
      for number in 0..<6 {
        desk.condition.signal()
        #expect(eventually { desk.locked { desk.order.count == number + 1 } })
      }
      for thread in threads { thread.join() }
      #expect(desk.order == [0, 1, 2, 3, 4, 5])
    }
  }

  @Test("A broadcast reaches all who wait, in their order, and nobody who comes later")
  func broadcast() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let desk = Desk()
      var threads: [TestThread] = []
      for number in 0..<6 {
        threads.append(
          TestThread {
            desk.condition.withLock {
              desk.waiting += 1
              // Odd ones with a deadline that does not come.
              if number % 2 == 0 { desk.condition.wait() } else { desk.condition.wait(until: .after(.seconds(1000))) }
              desk.order.append(number)
            }
          })
        #expect(desk.awaitWaiters(number + 1))
      }
      desk.condition.broadcast()
      for thread in threads { thread.join() }
      #expect(desk.order == [0, 1, 2, 3, 4, 5])
      #expect(!desk.locked { desk.wait(until: .after(.milliseconds(5))) })
    }
  }

  @Test("Signals that nobody waits for are not kept")
  func nobodyWaits() {
    let desk = Desk()
    desk.condition.signal()
    desk.condition.broadcast()
    desk.condition.withLock { #expect(!desk.wait(until: .after(.milliseconds(2)))) }
  }

  @Test(
    "A wait ends at its deadline, not before, with the lock held",
    arguments: [
      LockDeadline.after(.milliseconds(20)), .wall(Clock.wall() + 20_000_000), .continuous(Clock.continuous() + 20_000_000),
    ])
  func deadline(_ deadline: LockDeadline) {
    let desk = Desk()
    desk.condition.withLock {
      #expect(!desk.wait(until: deadline))
      #expect(deadline.hasPassed)
      #expect(desk.isMine)
    }
  }

  @Test("A past deadline answers at once and does not let go of the lock")
  func pastDeadline() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let desk = Desk()
      let thread: TestThread = desk.condition.withLock {
        let thread = TestThread { desk.condition.withLock { desk.items += 1 } }
        for _ in 0..<200 {
          #expect(!desk.wait(until: .uptime(0)))
          #expect(desk.items == 0)
        }
        return thread
      }
      thread.join()
      #expect(desk.items == 1)
    }
  }

  @Test("Producers and consumers, with and without deadlines, lose nothing and take nothing twice")
  func producersAndConsumers() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let desk = Desk()
      onThreads(8) { number in
        for round in 0..<2_000 {
          desk.condition.withLock {
            if number % 2 == 0 {
              desk.items += 1
              desk.condition.signal()
              return
            }
            while desk.items == 0 {
              if round % 3 == 0 { desk.condition.wait(until: .after(.microseconds(30))) } else { desk.condition.wait() }
            }
            desk.items -= 1
            desk.taken += 1
          }
        }
      }
      #expect(desk.items == 0 && desk.taken == 8_000)
    }
  }

  @Test("Threads that wait for each other's turn, all by one condition and broadcasts, each get it every round")
  func turns() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let desk = Desk()
      onThreads(5) { number in
        for round in 0..<400 {
          desk.condition.withLock {
            while desk.items != round * 5 + number { desk.condition.wait() }
            desk.items += 1
            desk.condition.broadcast()
          }
        }
      }
      #expect(desk.items == 2_000)
    }
  }

  @Test("Waits that return true are never more than signals")
  func signalsAreNotInvented() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let desk = Desk()
      let (called, signals, running) = (Tally(), Tally(), Tally())
      running.add(4)
      onThreads(6) { number in
        guard number < 4 else {
          while running.value > 0 {
            signals.add()
            desk.condition.signal()
            sleepPlainly(microseconds: 20)  // so that waits time out as well
          }
          return
        }
        for _ in 0..<500 {
          desk.condition.withLock { if desk.condition.wait(until: .after(.microseconds(60))) { called.add() } }
        }
        running.add(-1)
      }
      #expect(called.value <= signals.value)
      #expect(called.value > 0)
    }
  }

  @Test("An error leaves with its type, and the lock is free afterwards")
  func errors() {
    struct Wrong: Error, Equatable {}
    let desk = Desk()
    #expect(throws: Wrong()) { try desk.condition.withLock { () throws(Wrong) in throw Wrong() } }
    #expect(desk.locked { 3 } == 3)
  }

  @Test("A wait without the lock stops the program")
  func waitWithoutLock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      ConditionVariable().wait()
    }
    expectStop(result, saying: "waited for by a thread that does not hold its lock: call wait inside withLock")
  }

  @Test("A second entry by the same thread stops the program")
  func relock() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      let condition = ConditionVariable()
      condition.withLock { condition.withLock {} }
    }
    expectStop(result, saying: "deadlock of one thread: ConditionVariable.withLock inside withLock")
  }

}
