// LockStorms.swift: many threads on Foundation's locks under our names: what the locks order is plain memory, which the thread
// sanitizer checks; what is handed over is neither lost nor doubled.
import Glibc
import SignalboxFoundation
import SignalboxTestSupport
import Testing

extension StressTests {
  @Suite(.serialized) struct LockStorms {
    /// A condition and what it guards.
    private final class Store: @unchecked Sendable {
      // SAFETY of @unchecked: that the condition's lock orders all accesses is what is tested.
      let condition = NSCondition()
      var items = 0
      var taken = 0
      var turn = 0
    }

    /// Every way to take a lock orders plain accesses; sleepers and barging threads mixed.
    @Test("Every way to take a lock keeps others out while threads sleep and barge")
    func exclusion() {
      let locks: [any NSLocking & Sendable] = [NSLock(), NSRecursiveLock(), NSCondition(), NSConditionLock()]
      for lock in locks {
        let guarded = Plain()
        let rounds = 400 * Settings.scale
        inTime("exclusion by \(type(of: lock))", threads: 8) { number in
          var random = Settings.random(number)
          for _ in 0..<rounds {
            Self.take(lock, &random)
            guarded.value += 1
            if random.once(in: 50) { sleepPlainly(microseconds: Int(random.pick(0..<200))) }  // work that sleeps
            lock.unlock()
          }
        }
        #expect(guarded.value == 8 * rounds)
      }
    }

    private static func take(_ lock: any NSLocking, _ random: inout SeededRandom) {
      let date = Date(timeIntervalSinceNow: Double(random.pick(0..<100)) / 1_000_000)
      let way = random.pick(0..<3)
      switch lock {
      case let lock as NSLock where way == 0: while !lock.try() { sched_yield() }
      case let lock as NSLock where way == 1: while !lock.lock(before: date) { sched_yield() }
      case let lock as NSRecursiveLock where way == 0:
        while !lock.lock(before: date) { sched_yield() }
        lock.lock()
        lock.unlock()
      case let lock as NSConditionLock where way == 0: lock.lock(whenCondition: 0)
      case let lock as NSConditionLock where way == 1: while !lock.lock(whenCondition: 0, before: date) { sched_yield() }
      case let lock as NSConditionLock: while !lock.tryLock(whenCondition: 0) { sched_yield() }
      default: lock.lock()
      }
    }

    /// As many things taken as made, by consumers that wait with and without dates.
    @Test("Consumers with and without deadlines take as many things as producers make")
    func producersAndConsumers() {
      let store = Store()
      let rounds = 600 * Settings.scale
      inTime("producers and consumers", threads: 8) { number in
        var random = Settings.random(number)
        for _ in 0..<rounds {
          store.condition.lock()
          if number.isMultiple(of: 2) {
            store.items += 1
            if random.once(in: 5) { store.condition.broadcast() } else { store.condition.signal() }
          } else {
            while store.items == 0 {
              if random.once(in: 3) {
                _ = store.condition.wait(until: Date(timeIntervalSinceNow: Double(random.pick(0..<80)) / 1_000_000))
              } else {
                store.condition.wait()
              }
            }
            store.items -= 1
            store.taken += 1
          }
          store.condition.unlock()
          // Work that sleeps.
          if number.isMultiple(of: 2), random.once(in: 20) { sleepPlainly(microseconds: Int(random.pick(0..<60))) }
        }
      }
      #expect(store.items == 0 && store.taken == 4 * rounds)
    }

    /// Threads in turn by one condition: each broadcast must reach the one whose turn it is.
    @Test("Each broadcast reaches the thread whose turn it is")
    func turns() {
      let store = Store()
      let rounds = 200 * Settings.scale
      inTime("turns by broadcast", threads: 6) { number in
        for round in 0..<rounds {
          store.condition.lock()
          while store.turn != round * 6 + number { store.condition.wait() }
          store.turn += 1
          // Some tell while they hold the lock, some afterwards.
          if round.isMultiple(of: 2) { store.condition.broadcast() }
          store.condition.unlock()
          if !round.isMultiple(of: 2) { store.condition.broadcast() }
        }
      }
      #expect(store.turn == 6 * rounds)
    }

    /// A ring of threads by conditions of one lock, some of which give up and come again; others take the lock as it is.
    @Test("A ring of threads goes round by conditions of one lock, while some give up and come again")
    func ring() {
      let lock = NSConditionLock(condition: 0)
      let guarded = Plain()
      let isOver = Tally()
      let rounds = 300 * Settings.scale
      inTime("a ring of condition locks", threads: 8) { number in
        var random = Settings.random(number)
        guard number < 6 else {
          while isOver.value == 0 {
            lock.lock()
            guarded.value += 0
            lock.unlock()
            sleepPlainly(microseconds: Int(random.pick(0..<50)))  // work that sleeps
          }
          return
        }
        for _ in 0..<rounds {
          if random.once(in: 2) {
            lock.lock(whenCondition: number)
          } else {
            while !lock.lock(
              whenCondition: number, before: Date(timeIntervalSinceNow: Double(random.pick(0..<200)) / 1_000_000))
            {}
          }
          guarded.value += 1
          if guarded.value == 6 * rounds { isOver.add() }
          lock.unlock(withCondition: (number + 1) % 6)
        }
      }
      #expect(guarded.value == 6 * rounds)
    }
  }
}
