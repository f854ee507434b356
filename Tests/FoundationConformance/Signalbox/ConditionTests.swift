// ConditionTests.swift: NSCondition: signals, broadcasts, deadlines, and the lock around them.
import Testing

/// A counter under a condition.
// SAFETY: the variables are touched only while the condition is held, or after all threads have ended.
private final class Store: @unchecked Sendable {
  let condition = NSCondition()
  var items = 0
  var waiting = 0
  var woken = 0

  func locked<Value>(_ body: () -> Value) -> Value {
    condition.lock()
    defer { condition.unlock() }
    return body()
  }
}

extension Conformance {
  @Suite("Conditions") struct Conditions {
    @Test("Producers and consumers lose nothing, whatever way the consumers wait")
    func producersAndConsumers() async {
      await isolated {
        let store = Store()
        onThreads(6) { index in
          for round in 0..<1_000 {
            store.condition.lock()
            if index % 2 == 0 {
              store.items += 1
              store.condition.signal()
            } else {
              while store.items == 0 {
                switch round % 3 {
                case 0: store.condition.wait()
                case 1: _ = store.condition.wait(until: far())
                default: _ = store.condition.wait(until: Date(timeIntervalSinceNow: 0.000_05))
                }
              }
              store.items -= 1
            }
            store.condition.unlock()
          }
        }
        expectEqual(store.items, 0)
      }
    }

    @Test("A signal without the lock wakes one, a broadcast all")
    func signalAndBroadcast() async {
      await isolated {
        let store = Store()
        let waiters = (0..<4).map { _ in
          onThread {
            store.locked {
              store.waiting += 1
              while store.items == 0 { store.condition.wait() }
              store.items -= 1
              store.woken += 1
            }
          }
        }
        expectEventually("all wait") { store.locked { store.waiting == 4 } }
        store.locked { store.items += 1 }
        store.condition.signal()
        expectEventually("one is through") { store.locked { store.woken == 1 } }
        store.locked { store.items += 3 }
        store.condition.broadcast()
        for waiter in waiters { waiter.join() }
        expectEqual(store.locked { store.woken }, 4)
        expectEqual(store.locked { store.items }, 0)
      }
    }

    @Test("Signals that nobody waits for are not kept")
    func nobodyWaits() async {
      await isolated {
        let condition = NSCondition()
        condition.signal()
        condition.broadcast()
        condition.lock()
        condition.signal()
        let date = soon()
        expect(!condition.wait(until: date))
        expect(Date() >= date, "early")
        condition.unlock()
      }
    }

    @Test("A wait until a past date answers no at once, with the lock held")
    func datesThatHavePassed() async {
      await isolated {
        let store = Store()
        store.condition.lock()
        for date in pastDates { expect(!store.condition.wait(until: date), "\(date.timeIntervalSinceReferenceDate)") }
        let other = onThread { store.locked { store.items += 1 } }
        waitForWhatMustNotCome()
        expectEqual(store.items, 0)
        store.condition.unlock()
        other.join()
        expectEqual(store.items, 1)
      }
    }

    @Test("A wait that times out holds the lock again")
    func lockAfterTimeout() async {
      await isolated {
        let store = Store()
        store.condition.lock()
        expect(!store.condition.wait(until: soon()))
        let other = onThread { store.locked { store.items += 1 } }
        waitForWhatMustNotCome()
        expectEqual(store.items, 0)
        store.condition.unlock()
        other.join()
        expectEqual(store.items, 1)
      }
    }

    @Test("A wait with a deadline says that a signal came")
    func signalInTime() async {
      await isolated {
        for date in subjectIsOurs ? endlessDates + [far()] : [far()] {
          let store = Store()
          let waiter = onThread {
            store.locked {
              store.waiting = 1
              expect(store.condition.wait(until: date), "\(date.timeIntervalSinceReferenceDate)")
              store.woken = 1
            }
          }
          expectEventually("it waits") { store.locked { store.waiting == 1 } }
          store.locked { store.condition.signal() }
          waiter.join()
          expectEqual(store.woken, 1)
        }
      }
    }

    @Test("A condition's lock keeps others out, and another thread may unlock it")
    func asALock() async {
      await isolated {
        let store = Store()
        onThreads(4) { _ in for _ in 0..<2_000 { store.locked { store.items += 1 } } }
        expectEqual(store.items, 8_000)
        store.condition.lock()
        elsewhere { store.condition.unlock() }
        store.condition.lock()
        store.condition.unlock()
      }
    }
  }
}
