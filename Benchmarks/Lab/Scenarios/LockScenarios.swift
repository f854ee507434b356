// LockScenarios.swift: the locks of the survey of concurrency: spin, mutex kinds, recursive, `@synchronized`. Those with a condition
// are ConditionScenarios.swift; those that deadlock, LockDeadlockScenarios.swift.
//
// Files on Foundation's classes import SignalboxFoundation and no other module with queues: then its names stand alone.
import SignalboxFoundation

enum LockScenarios {
  static let all: [Scenario] = [
    (SpinLock.self as any WithdrawnLock.Type).scenario,
    Scenario(
      "mutex-kinds", "The three kinds of a mutex", .survey, "A2",
      article: "error-checking: a second lock by its thread returns EDEADLK; recursive: it may be taken again by its thread",
      documents: "the same of both kinds (POSIX); the error is 35, which stands for a resource deadlock"
    ) { lab in
      let checking = MutexLock(kind: .errorCheck), recursive = MutexLock(kind: .recursive)
      checking.lock()
      let code = checking.lock()?.code ?? 0
      lab.note("error-checking, taken again: \(code)")
      checking.unlock()
      recursive.lock()
      recursive.lock()
      lab.note("recursive, taken again")
      recursive.unlock()
      lab.expect(recursive.isHeldByCurrentThread, "held until it was given back as often as taken", "free")
      recursive.unlock()
      lab.expect(!recursive.isHeldByCurrentThread, "free after as many unlocks", "held")
      lab.expect(code == 35, "EDEADLK, 35", "\(code)")
      return "error \(code); taken twice and given back twice"
    },
    Scenario(
      "mutex-who-is-next", "Who gets a normal mutex that several threads wait for", .survey, "A2",
      article: "waiting threads form a queue and get the lock by priority when it is given back, which makes it fair",
      documents: "POSIX leaves to the scheduler who is next; nothing promises a queue, or fairness",
      errs: "no document promises an order; here a running thread may be faster than one that sleeps, within bounds"
    ) { lab in
      let mutex = MutexLock(), crowd = Crowd()
      mutex.lock()
      let threads = (1...3).map { number in
        let ended = lab.thread {
          lab.note("\(number) waits")
          mutex.withLock { crowd.with { lab.note("\(number) has it") } }
        }
        lab.awaitSleep(ofThreadThatNoted: "\(number) waits", samples: 4)
        return ended
      }
      mutex.unlock()
      for thread in threads { thread.pass() }
      lab.expect(crowd.peak == 1, "one inside at a time", "\(crowd.peak)")
      return "all three got it: " + lab.order { $0.hasSuffix("has it") }
    },
    Scenario(
      "recursive-lock-fibonacci", "Fibonacci under a recursive lock", .survey, "A4",
      article: "a recursive lock may be taken again by its thread; it is free when given back as often as taken",
      documents: "it may be acquired several times by the same thread without a deadlock; others wait until it is balanced"
    ) { lab in
      let fibonacci = Fibonacci()
      let value = fibonacci.of(10)
      lab.note("value is \(value)")
      lab.expect(value == 89, "89, with 1 and 2 for the first two", "\(value)")
      let other = lab.thread {
        let isFree = fibonacci.lock.try()
        lab.note("another thread \(isFree ? "gets it" : "does not get it")")
        if isFree { fibonacci.lock.unlock() }
      }
      other.pass()
      lab.expectOrder("value is \(value)", "another thread gets it")
      return "\(value), and the lock is free"
    },
    Scenario(
      "synchronized-array", "Adding to an array under @synchronized", .survey, "A5",
      article: "costs speed for a simple form; the lock is found in a hash table by the object's address",
      documents: "one thread at a time per object; the same thread may come in again; left however the block ends"
    ) { lab in
      let elements = Elements(), crowd = Crowd()
      let threads = (1...4).map { number in
        lab.thread {
          for _ in 1...100 {
            synchronized(elements) { crowd.with { synchronized(elements) { elements.numbers.append(number) } } }
          }
        }
      }
      for thread in threads { thread.pass() }
      try? synchronized(elements) { () throws in throw Fibonacci.Refusal() }
      let other = lab.thread { synchronized(elements) { lab.note("another thread gets in after a throw") } }
      other.pass()
      lab.note("\(elements.numbers.count) elements")
      lab.expect(crowd.peak == 1, "one inside at a time", "\(crowd.peak)")
      lab.expect(elements.numbers.count == 400, "400 elements", "\(elements.numbers.count)")
      return "400 elements, one thread inside at a time"
    },
    Scenario(
      "synchronized-is-per-object", "@synchronized on two objects at once", .survey, "A5",
      article: "each object gets a lock of its own", documents: "each object has a lock of its own; nil has none"
    ) { lab in
      let meeting = Meeting(of: 2)
      let threads = ["a", "b"].map { name in
        lab.thread {
          synchronized(Elements()) {
            lab.note("inside \(name)")
            meeting.arrive()
          }
        }
      }
      for thread in threads { thread.pass() }
      lab.expect(objc_sync_enter(nil) == OBJC_SYNC_SUCCESS, "nothing happens for nil", "an error")
      lab.expectAll(["inside a", "inside b"], beginning: "inside")
      return "both inside at one time"
    },
  ]
}

/// The article's function, on an object as its block is.
private final class Fibonacci: Sendable {
  struct Refusal: Error {}
  let lock = NSRecursiveLock()
  func of(_ number: Int) -> Int {
    lock.lock()
    defer { lock.unlock() }
    guard number >= 0 else { return 0 }
    return number <= 2 ? number : of(number - 1) + of(number - 2)
  }
}

/// An array in an object, which can be locked.
private final class Elements: @unchecked Sendable {
  // SAFETY of @unchecked: touched inside `synchronized(self)`, and after all threads have ended.
  var numbers: [Int] = []
}

private protocol WithdrawnLock { static var scenario: Scenario { get } }

/// OSSpinLock is deprecated, and the article says so; through the protocol it is shown all the same.
private enum SpinLock: WithdrawnLock {
  @available(*, deprecated)
  static var scenario: Scenario {
    Scenario(
      "spin-lock-waits", "Waiting for a spin lock", .survey, "A1",
      article:
        "fastest, but a waiting thread asks all the time; it can keep a holder of low priority off the processor: not safe",
      documents: "deprecated in favour of os_unfair_lock, whose waiters sleep, so that a holder can be helped"
    ) { lab in
      let word = SpinWord()
      OSSpinLockLock(word.address)
      lab.expect(!OSSpinLockTry(word.address), "a try fails while it is held", "it was taken twice")
      let waiter = lab.thread {
        lab.note("about to wait")
        OSSpinLockLock(word.address)
        lab.note("has it")
        OSSpinLockUnlock(word.address)
      }
      lab.awaitSleep(ofThreadThatNoted: "about to wait", samples: 4)
      lab.note("the waiter sleeps")
      OSSpinLockUnlock(word.address)
      waiter.pass()
      lab.expectOrder("about to wait", "the waiter sleeps", "has it")
      return "after a short while the waiter sleeps, and the holder has the processor"
    }
  }

  // SAFETY of @unchecked: the word is touched by the lock's functions only.
  private final class SpinWord: @unchecked Sendable {
    let address = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    init() { address.initialize(to: 0) }
    deinit { address.deallocate() }
  }
}
