// SemaphoreScenarios.swift: counting semaphores. Those that are never signalled are DeadlockScenarios.swift.
import SignalboxCNames

enum SemaphoreScenarios {
  static let all: [Scenario] = [
    Scenario(
      "semaphore-as-lock", "Two tasks around a semaphore of 1", .survey, "B8",
      article: "task B waits until task A, which sleeps for ten seconds, has signalled",
      documents: "a wait takes one off and waits for a signal if there was none; which of two global items comes first is open",
      scale: "10 s of sleep are 20 ms"
    ) { lab in
      let semaphore = dispatch_semaphore_create(1), crowd = Crowd(), group = dispatch_group_create()
      for task in ["A", "B"] {
        dispatch_group_async(group, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
          dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
          crowd.with {
            lab.note("task \(task) begins")
            pause(milliseconds: 20)
            lab.note("task \(task) ends")
          }
          dispatch_semaphore_signal(semaphore)
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(crowd.peak == 1, "one inside at a time", "\(crowd.peak)")
      return "one inside at a time: \(lab.order())"
    },
    Scenario(
      "semaphore-hello-world", "World waits for Hello", .notes, "B8",
      article: "prints Hello, then World: the wait ends when the signal has made the value 1",
      documents: "a wait on 0 returns after a signal"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT), semaphore = dispatch_semaphore_create(0)
      dispatch_async(queue) {
        lab.note("Hello")
        dispatch_semaphore_signal(semaphore)
      }
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
      lab.note("World")
      lab.expectOrder("Hello", "World")
      return lab.order()
    },
    Scenario(
      "semaphore-timeouts", "The three kinds of timeout", .survey, "B8",
      article: "above 0 a wait returns at once; NOW returns at once; a time waits until then; FOREVER waits for a signal",
      documents: "0 if one was taken, another value after the timeout; the value is then as before",
      scale: "a limit of 20 ms; the article names none"
    ) { lab in
      let semaphore = dispatch_semaphore_create(1)
      let results = [
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER), dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW),
      ]
      let limit = soon(20)
      let timed = dispatch_semaphore_wait(semaphore, limit)
      let isDue = dispatch_time(DISPATCH_TIME_NOW, 0) >= limit
      dispatch_semaphore_signal(semaphore)
      let again = dispatch_semaphore_wait(semaphore, DISPATCH_TIME_NOW)
      dispatch_semaphore_signal(semaphore)
      lab.note("value 1, forever: \(results[0]); value 0, now: \(results[1]); value 0, 20 ms: \(timed)")
      lab.note("after one signal: \(again)")
      lab.expect(results[0] == 0 && again == 0, "0 where there was one to take", "\(results[0]), \(again)")
      lab.expect(results[1] != 0 && timed != 0, "not 0 after a timeout", "\(results[1]), \(timed)")
      lab.expect(isDue, "the limited wait ends not before its time", "earlier")
      return "as documented; two timeouts left the value as it was"
    },
    Scenario(
      "semaphore-signal-tells", "What signal returns", .survey, "B8",
      article: "signal adds one; if the sum is above 0 it returns 0, else it wakes a thread and returns 1",
      documents: "not 0 if a thread is woken, else 0"
    ) { lab in
      let semaphore = dispatch_semaphore_create(0)
      let nobody = dispatch_semaphore_signal(semaphore)
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
      let waiter = lab.thread {
        lab.note("about to wait")
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
        lab.note("woken")
      }
      lab.awaitSleep(ofThreadThatNoted: "about to wait")
      let somebody = dispatch_semaphore_signal(semaphore)
      waiter.pass()
      lab.note("nobody waits: \(nobody); somebody waits: \(somebody)")
      lab.expect(nobody == 0, "0 with nobody waiting", "\(nobody)")
      lab.expect(somebody != 0, "not 0 with a thread asleep", "\(somebody)")
      return "\(nobody) with nobody waiting, \(somebody) with a sleeper"
    },
    Scenario(
      "semaphore-below-zero", "A start value below zero", .survey, "B8",
      article: "a semaphore may have many values, above zero and below",
      documents: "a start value below 0 gives NULL: below zero it only ever counts waiting threads",
      errs: "a program cannot set a value below zero"
    ) { lab in
      let none: dispatch_semaphore_t? = dispatch_semaphore_create(-1)
      lab.note("created with -1: \(none == nil ? "nil" : "a semaphore")")
      lab.expect(none == nil, "nil", "a semaphore")
      return "nil"
    },
    Scenario(
      "limited-worker", "At most three of twelve pieces of work at a time", .practice, "B8, F2",
      article: "a semaphore made with a count limits how many pieces of work run at a time",
      documents: "a start value above 0 manages a finite pool of resources"
    ) { lab in
      let queue = dispatch_queue_create("com.khanlou.concurrent.queue", DISPATCH_QUEUE_CONCURRENT)
      let semaphore = dispatch_semaphore_create(3), crowd = Crowd(), group = dispatch_group_create(), three = Meeting(of: 3)
      let begun = Counter()
      for number in 1...12 {
        dispatch_group_async(group, queue) {
          dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
          crowd.with {
            lab.note("work \(number)")
            if begun.add(1) <= 3 { three.arrive() } else { pause(milliseconds: 1) }  // so that the limit is surely reached
          }
          dispatch_semaphore_signal(semaphore)
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(crowd.peak == 3, "three at a time, not more", "\(crowd.peak)")
      lab.expectAll((1...12).map { "work \($0)" }, beginning: "work")
      return "three at a time, all twelve in the end"
    },
    Scenario(
      "async-serial-worker", "Five asynchronous pieces of work, strictly one after another", .practice, "B8, F2",
      article: "with a semaphore in each item of a serial queue the order is 1, 2, 3, 4, 5, however long each takes",
      documents: "an item that waits keeps its serial queue; the next begins when it has ended",
      scale: "1 to 4 s of sleep are 1 to 4 ms"
    ) { lab in
      let queue = dispatch_queue_create("com.khanlou.serial.queue", DISPATCH_QUEUE_SERIAL), group = dispatch_group_create()
      for number in 1...5 {
        dispatch_group_async(group, queue) {
          let semaphore = dispatch_semaphore_create(0)
          dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
            pause(milliseconds: UInt64.random(in: 1...4))
            lab.note("work \(number)")
            dispatch_semaphore_signal(semaphore)
          }
          dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder((1...5).map { "work \($0)" })
      return lab.order()
    },
    Scenario(
      "async-serial-worker-without", "The same without the semaphore", .practice, "B2, F2",
      article: "without the semaphore the output is not in order",
      documents: "a serial queue orders its items, not the work they start elsewhere",
      scale: "no sleeps: the second piece is made to end first"
    ) { lab in
      let queue = dispatch_queue_create("com.khanlou.serial.queue", DISPATCH_QUEUE_SERIAL), group = dispatch_group_create()
      let second = Gate()
      for number in 1...2 {
        dispatch_group_async(group, queue) {
          dispatch_group_async(group, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
            if number == 1 { second.pass() }
            lab.note("work \(number)")
            if number == 2 { second.open() }
          }
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder("work 2", "work 1")
      return "submitted as 1, 2; ended as " + lab.order()
    },
    Scenario(
      "flattened-completion", "Waiting for an asynchronous function with a completion block", .practice, "B8, F2",
      article: "the wait blocks the thread until the completion signals; then the work is done",
      documents: "a wait on 0 returns after a signal"
    ) { lab in
      let semaphore = dispatch_semaphore_create(0)
      dispatch_async(dispatch_get_global_queue(0, 0)) {
        lab.note("the work")
        dispatch_semaphore_signal(semaphore)
      }
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
      lab.note("goes on")
      lab.expectOrder("the work", "goes on")
      return lab.order()
    },
    Scenario(
      "signal-from-the-same-thread", "Signal and wait on one thread", .practice, "B8",
      article: "the signal has to come from another thread than the wait, which is blocked",
      documents: "a signal adds one, whoever gives it; a wait that finds one does not block",
      errs: "only a wait that has to block needs another thread: a signal may come first, from the same one"
    ) { lab in
      let semaphore = dispatch_semaphore_create(0)
      dispatch_semaphore_signal(semaphore)
      lab.note("signalled")
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
      lab.note("waited")
      lab.expectOrder("signalled", "waited")
      return "both on \(lab.threads().joined(separator: ", ")), nothing blocked"
    },
  ]
}
