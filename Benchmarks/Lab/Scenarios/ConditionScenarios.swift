// ConditionScenarios.swift: NSCondition and NSConditionLock, as the survey of concurrency uses them.
import SignalboxFoundation

/// The article's three conditions.
private enum LockCondition {
  static let none = 0, play = 1, show = 2
}

enum ConditionScenarios {
  static let all: [Scenario] = [
    Scenario(
      "condition-producer-consumer", "A consumer waits for a product", .survey, "A4",
      article: "lock first, wait while there is nothing, and signal when there is something",
      documents: "wait releases the lock until a signal and acquires it again; the predicate must be checked again in a loop"
    ) { lab in
      let condition = NSCondition(), products = Box(0)
      let consumer = lab.thread {
        condition.lock()
        lab.note("consumer waits")
        while products.value == 0 { condition.wait() }
        products.value -= 1
        lab.note("consumed")
        condition.unlock()
      }
      lab.awaitSleep(ofThreadThatNoted: "consumer waits")
      let producer = lab.thread {
        condition.lock()  // possible only because the wait has given it back
        products.value += 1
        lab.note("produced")
        condition.signal()
        condition.unlock()
      }
      producer.pass()
      consumer.pass()
      lab.expectOrder("consumer waits", "produced", "consumed")
      lab.expect(products.value == 0, "nothing left", "\(products.value)")
      return lab.order()
    },
    Scenario(
      "condition-signal-wakes-one", "One signal, then a broadcast, with three waiters", .survey, "A4",
      article: "signal for one waiting thread; the sources it lists have broadcast, too",
      documents: "signal wakes one thread that waits, broadcast all of them"
    ) { lab in
      let condition = NSCondition(), tickets = Box(0), served = Counter()
      let waiters = (1...3).map { number in
        let ended = lab.thread {
          condition.lock()
          lab.note("\(number) waits")
          while tickets.value == 0 { condition.wait() }
          tickets.value -= 1
          served.add(1)
          condition.unlock()
        }
        lab.awaitSleep(ofThreadThatNoted: "\(number) waits")
        return ended
      }
      func serve(_ count: Int, _ wake: () -> Void) {
        condition.lock()
        tickets.value += count
        wake()
        condition.unlock()
      }
      serve(1) { condition.signal() }
      while served.value < 1 { pause(milliseconds: 1) }
      lab.note("one after the signal")
      serve(2) { condition.broadcast() }
      for waiter in waiters { waiter.pass() }
      lab.note("all after the broadcast")
      lab.expect(served.value == 3 && tickets.value == 0, "three served", "\(served.value)")
      return "one after the signal, all after the broadcast"
    },
    Scenario(
      "condition-lock-threads", "Threads one to four around an NSConditionLock", .survey, "A4",
      article: "two gets in, as the condition is the first one; one and three fail, since it is not theirs; four gets in",
      documents: "tryLock(whenCondition:) answers at once; lock(whenCondition:) waits until the lock is free with that number",
      errs: "thread one does not fail: it waits, for as long as nobody leaves its number",
      scale: "the article's sleeps of 1 to 4 s, which only order the threads, are an order by gates"
    ) { lab in
      let lock = NSConditionLock(condition: LockCondition.play)
      let one = lab.thread {
        lab.note("thread one asks")
        lock.lock(whenCondition: LockCondition.none)
        lab.note("thread one")
        lock.unlock()
      }
      lab.awaitSleep(ofThreadThatNoted: "thread one asks")
      func attempt(_ name: String, when condition: Int, leaving next: Int?) {
        lab.thread {
          guard lock.tryLock(whenCondition: condition) else { return lab.note("thread \(name) try lock failed") }
          lab.note("thread \(name)")
          if let next { lock.unlock(withCondition: next) } else { lock.unlock() }
          lab.note("thread \(name) unlocked")
        }.pass()
      }
      attempt("two", when: LockCondition.play, leaving: LockCondition.show)
      attempt("three", when: LockCondition.play, leaving: nil)
      attempt("four", when: LockCondition.show, leaving: nil)
      lab.expect(!lab.texts.contains("thread one"), "thread one still waits", "it got in")
      lab.note("its number is left at last")
      lock.lock()
      lock.unlock(withCondition: LockCondition.none)
      one.pass()
      lab.expectOrder(
        "thread one asks", "thread two", "thread two unlocked", "thread three try lock failed", "thread four",
        "thread four unlocked", "its number is left at last", "thread one")
      return "two, then four; three failed; one waited until its number was left"
    },
    Scenario(
      "condition-lock-try-while-held", "tryLock(whenCondition:) while another thread holds the lock", .survey, "A4",
      article: "the lock can be taken only under its condition",
      documents: "it is an attempt: it returns at once, and needs both: the lock free, and the number"
    ) { lab in
      let lock = NSConditionLock(condition: LockCondition.play)
      lock.lock()
      lab.thread { lab.note("held, right number: \(lock.tryLock(whenCondition: LockCondition.play))") }.pass()
      lock.unlock(withCondition: LockCondition.show)
      lab.thread { lab.note("free, wrong number: \(lock.tryLock(whenCondition: LockCondition.play))") }.pass()
      let isTaken = lock.tryLock(whenCondition: LockCondition.show)
      lab.note("free, right number: \(isTaken)")
      if isTaken { lock.unlock() }
      lab.expectOrder("held, right number: false", "free, wrong number: false", "free, right number: true")
      return "both are needed"
    },
  ]
}
