// LockDeadlockScenarios.swift: locks that are waited for in vain. Queues and semaphores are DeadlockScenarios.swift.
import SignalboxFoundation

enum LockDeadlockScenarios {
  private static let never = "never"
  private final class Key: Sendable {}

  static let all: [Scenario] = [
    Scenario(
      "deadlock-nslocks-crosswise", "NSLock a then b on one thread, b then a on another", .collections, "A3, G1",
      article: "nested locks taken in opposite order may deadlock, and only now and then",
      documents: "lock() waits until the lock is given back, here by a thread that waits for the first one's",
      expect: .stops(["2 threads wait for one another", "NSLock", "fix:"])
    ) { lab in
      let a = NSLock(), b = NSLock(), meeting = Meeting(of: 2)
      a.name = "a"
      b.name = "b"
      for (first, second) in [(a, b), (b, a)] {
        _ = lab.thread {
          first.lock()
          meeting.arrive()  // now, not now and then
          lab.note("has \(first.name ?? ""), wants \(second.name ?? "")")
          second.lock()
          lab.note(never)
        }
      }
      waitForEver()
    },
    Scenario(
      "deadlock-nslock-twice", "One thread takes an NSLock twice", .collections, "A3, G1",
      article: "with NSLock, mind operations of one thread: a high risk of deadlock",
      documents: "a thread that locks it twice locks up for good; a recursive lock is for that",
      expect: .stops(["NSLock", "\"outer\"", "which it holds already", "use an NSRecursiveLock"])
    ) { lab in
      let lock = NSLock()
      lock.name = "outer"
      lock.lock()
      lab.note("about to lock it again")
      lock.lock()
      return never
    },
    Scenario(
      "deadlock-mixed-locks", "A cycle through an NSLock, an object's lock and a serial queue", .collections, "A3, A5, G1",
      article: "what makes a deadlock is that each waits for what another holds",
      documents: "each of the three waits ends when its thing is given back, by a thread that waits for the next",
      expect: .stops(["3 threads wait for one another", "NSLock", "object lock", "serial queue \"queue\"", "fix:"])
    ) { lab in
      let lock = NSLock(), object = Key(), queue = DispatchQueue(label: "queue"), meeting = Meeting(of: 3)
      _ = lab.thread {
        lock.withLock {
          meeting.arrive()
          lab.note("has the lock, wants the object")
          synchronized(object) { lab.note(never) }
        }
      }
      _ = lab.thread {
        synchronized(object) {
          meeting.arrive()
          lab.note("has the object, wants the queue")
          queue.sync { lab.note(never) }
        }
      }
      queue.async {
        meeting.arrive()
        lab.note("on the queue, wants the lock")
        lock.withLock { lab.note(never) }
      }
      waitForEver()
    },
  ]
}
