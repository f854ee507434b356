// DeadlockScenarios.swift: waits that cannot end. Each runs in a process that is thrown away; calls out of balance are
// MisuseScenarios.swift.
import SignalboxCNames

enum DeadlockScenarios {
  private static let syncOntoCurrent = "sync onto the current queue is a deadlock"
  private static let multiParty = "sync is open to the same deadlocks among several parties as a mutex"
  private static let unended = "it came back, which no document allows for"
  /// Waits that close no cycle of owners: the stall detector finds that nothing is left to end them.
  private static let stallDetecting = ["SIGNALBOX_WATCH": "0.3"]

  static let all: [Scenario] = [
    Scenario(
      "deadlock-sync-main-from-main", "sync onto the main queue from the main thread", .survey, "B2, G1",
      article: "a deadlock, reported as soon as it is run", documents: syncOntoCurrent,
      expect: .stops(["sync onto queue \"com.apple.main-thread\"", "main thread"])
    ) { lab in
      lab.note("about to sync onto the main queue")
      dispatch_sync(dispatch_get_main_queue()) { lab.note("never") }
      return unended
    },
    Scenario(
      "deadlock-sync-own-queue", "sync onto a serial queue from its own item", .survey, "B2, G1",
      article: "the outer block waits for the inner, the inner for the outer; compilers find such things by now",
      documents: syncOntoCurrent, errs: "no compiler complained of this scenario: the library stops it when it runs",
      expect: .stops(["sync onto queue \"com.bool.dispatch\"", "\"com.bool.dispatch\" (item)"])
    ) { lab in
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
      dispatch_async(queue) {
        lab.note("async")
        dispatch_sync(queue) { lab.note("never") }
      }
      waitForEver()
    },
    Scenario(
      "deadlock-scene-one", "The first scene: business B inside business A of one serial queue", .collections, "B2, G1",
      article: "A is not through when B is to run, so both are stuck", documents: syncOntoCurrent,
      expect: .stops(["sync onto queue \"queue\""])
    ) { lab in
      let queue = DispatchQueue(label: "queue")
      queue.async {
        lab.note("A")
        queue.sync { lab.note("never: B") }
      }
      waitForEver()
    },
    Scenario(
      "deadlock-scene-two", "The second scene: queue1 to queue2 and back to queue1", .collections, "B2, G1",
      article: "A waits for B, B for C, C for the queue that A holds", documents: syncOntoCurrent + "; " + multiParty,
      expect: .stops(["sync onto queue \"queue1\"", "\"queue2\" (sync)", "\"queue1\" (item)"])
    ) { lab in
      let queue1 = DispatchQueue(label: "queue1"), queue2 = DispatchQueue(label: "queue2")
      queue1.async {
        lab.note("A")
        queue2.sync {
          lab.note("B")
          queue1.sync { lab.note("never: C") }
        }
      }
      waitForEver()
    },
    Scenario(
      "deadlock-two-queues-crosswise", "Two threads, each on one queue, each with sync onto the other's", .collections,
      "B2, G1",
      article: "two tasks that take the same two things in opposite order may lock each other out", documents: multiParty,
      expect: .stops(["2 threads wait for one another", "serial queue \"one\"", "serial queue \"two\"", "fix:"])
    ) { lab in
      let one = DispatchQueue(label: "one"), two = DispatchQueue(label: "two"), meeting = Meeting(of: 2)
      one.async {
        meeting.arrive()
        lab.note("on one, about to sync onto two")
        two.sync { lab.note("never") }
      }
      two.async {
        meeting.arrive()
        lab.note("on two, about to sync onto one")
        one.sync { lab.note("never") }
      }
      waitForEver()
    },
    Scenario(
      "deadlock-locks-crosswise", "Lock a then b on one thread, b then a on another", .collections, "B8, G1",
      article: "nested locks taken in opposite order may deadlock, and only now and then",
      documents: "a wait on a semaphore at 0 returns after a signal, and each signal stands behind the other's wait",
      expect: .stops(["nothing is left that could end these 2 waits", "nothing is left to signal it", "fix:"]),
      environment: stallDetecting
    ) { lab in
      let a = DispatchSemaphore(value: 1), b = DispatchSemaphore(value: 1), meeting = Meeting(of: 2)
      let pairs = [("a", a, "b", b), ("b", b, "a", a)]
      for (first, taken, second, wanted) in pairs {
        DispatchQueue.global().async {
          taken.wait()
          meeting.arrive()  // now, not now and then
          lab.note("has \(first), wants \(second)")
          wanted.wait()
          lab.note("never")
        }
      }
      waitForEver()
    },
    Scenario(
      "deadlock-main-and-worker", "The main thread waits for a queue whose item waits for the main queue", .collections,
      "B2, B12, G1",
      article: "there are many more complicated scenes", documents: multiParty,
      expect: .stops(["2 threads wait for one another", "wants main queue", "wants serial queue \"worker\""])
    ) { lab in
      let worker = DispatchQueue(label: "worker"), meeting = Meeting(of: 2)
      worker.async {
        meeting.arrive()
        lab.note("on worker, about to sync onto the main queue")
        DispatchQueue.main.sync { lab.note("never") }
      }
      meeting.arrive()
      lab.note("on the main thread, about to sync onto worker")
      worker.sync { lab.note("never") }
      return unended
    },
    Scenario(
      "deadlock-once-recursive", "dispatch_once inside its own block", .survey, "B6, G1",
      article: "the second call waits for the first, which waits for the second",
      documents: "nothing is stated about it; a call returns when the block has run, so it cannot return here",
      expect: .stops(["once"])
    ) { lab in
      let once = OnceFlag()
      lab.note("the first call")
      once.run {
        lab.note("the second call")
        once.run { lab.note("never") }
      }
      return unended
    },
    Scenario(
      "deadlock-semaphore-never-signalled", "Hello, and no signal", .notes, "B8, G1",
      article: "without the signal only Hello is printed", documents: "a wait on 0 waits for a signal",
      expect: .stops(["nothing is left that could end this wait", "nothing is left to signal it"]), environment: stallDetecting
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT), semaphore = dispatch_semaphore_create(0)
      dispatch_async(queue) { lab.note("Hello") }
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
      lab.note("never: World")
      return unended
    },
    Scenario(
      "deadlock-semaphore-on-main", "A wait on the main thread for what an item of the main queue would signal", .practice,
      "B12, G1",
      article: "never wait on the main thread, only in the background",
      documents: "the main queue's items run on the main thread, and this one is blocked",
      expect: .stops(["items lie in the main queue, and the main thread waits, forever", "use notify()"]),
      environment: stallDetecting
    ) { lab in
      let semaphore = dispatch_semaphore_create(0)
      dispatch_async(dispatch_get_main_queue()) {
        lab.note("never")
        dispatch_semaphore_signal(semaphore)
      }
      lab.note("about to wait")
      dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER)
      return unended
    },
    Scenario(
      "deadlock-group-on-main", "A wait on the main thread for a group of main queue items", .practice, "B12, G1",
      article: "do not wait for a group on the main thread",
      documents: "the wait ends when all members have completed, and these need the thread that waits",
      expect: .stops(["whose remaining members are items of the main queue", "use notify()"])
    ) { lab in
      let group = dispatch_group_create()
      for _ in 1...2 { dispatch_group_async(group, dispatch_get_main_queue()) { lab.note("never") } }
      lab.note("about to wait")
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      return unended
    },
    Scenario(
      "deadlock-block-on-main", "A wait on the main thread for a block of the main queue", .survey, "B9, G1",
      article: "the wait blocks the current task until the block has run",
      documents: "it returns when the block has completed, and the block needs the thread that waits",
      expect: .stops(["which lies in the main queue", "use notify()"])
    ) { lab in
      let block = dispatch_block_create(0) { lab.note("never") }
      dispatch_async(dispatch_get_main_queue(), block)
      lab.note("about to wait")
      dispatch_block_wait(block, DISPATCH_TIME_FOREVER)
      return unended
    },
    Scenario(
      "deadlock-group-never-left", "A member that never leaves", .survey, "B7, G1",
      article: "enter and leave have to come in pairs", documents: "the wait returns when all have completed",
      expect: .stops(["(1 inside): nothing is left to leave it", "balance every enter() with a leave()"]),
      environment: stallDetecting
    ) { lab in
      let group = dispatch_group_create()
      dispatch_group_enter(group)
      dispatch_group_enter(group)
      dispatch_async(dispatch_get_global_queue(0, 0)) {
        lab.note("one of two leaves")
        dispatch_group_leave(group)
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      return unended
    },
    Scenario(
      "deadlock-barrier-inside-reader", "A synchronous barrier from inside an item of its concurrent queue", .collections,
      "B3, G1",
      article: "what locks up a serial queue is harmless on a concurrent one",
      documents: syncOntoCurrent + "; a barrier waits for everything before it, here for its own caller",
      errs: "a synchronous barrier inside an item waits for that item",
      expect: .stops(["sync onto queue \"queue\""])
    ) { lab in
      let queue = DispatchQueue(label: "queue", attributes: .concurrent)
      queue.async {
        lab.note("a reader, about to sync a barrier")
        queue.sync(flags: .barrier) { lab.note("never") }
      }
      waitForEver()
    },
    Scenario(
      "sync-inside-concurrent-behind-barrier", "sync inside an item of a concurrent queue while a barrier waits", .collections,
      "B3, G1",
      article: "what locks up a serial queue is harmless on a concurrent one",
      documents: syncOntoCurrent + "; the inner item runs after the barrier, and the barrier after the outer item",
      errs: "harmless only as long as no barrier waits",
      expect: .stops(["wants concurrent queue \"queue\", whose readers must come out first"])
    ) { lab in
      let queue = DispatchQueue(label: "queue", attributes: .concurrent), submitted = Gate()
      queue.async {
        submitted.pass()
        lab.note("A, about to sync")
        queue.sync { lab.note("never: B") }
      }
      queue.async(flags: .barrier) { lab.note("never: the barrier") }
      submitted.open()
      waitForEver()
    },
    Scenario(
      "deadlock-through-target", "sync onto a queue from an item of its target", .notes, "B4, G1",
      article: "queues are given a serial target to run one after another; waiting inside is not spoken of",
      documents: "nothing of a queue runs while another item of its serial target does; so this sync waits for its caller",
      expect: .stops(["sync onto queue \"above\", whose target is queue \"base\""])
    ) { lab in
      let base = dispatch_queue_create("base", DISPATCH_QUEUE_SERIAL)
      let above = dispatch_queue_create_with_target("above", DISPATCH_QUEUE_SERIAL, base)
      dispatch_async(base) {
        lab.note("on base, about to sync onto the queue above it")
        dispatch_sync(above) { lab.note("never") }
      }
      waitForEver()
    },
    Scenario(
      "deadlock-siblings-of-a-target", "sync between two queues with one serial target", .notes, "B4, G1",
      article: "queues are given a serial target to run one after another; waiting inside is not spoken of",
      documents: "items of both never run at the same time; so this sync waits for its caller",
      expect: .stops(["sync onto queue \"right\", whose target is queue \"base\""])
    ) { lab in
      let base = dispatch_queue_create("base", DISPATCH_QUEUE_SERIAL)
      let left = dispatch_queue_create_with_target("left", DISPATCH_QUEUE_SERIAL, base)
      let right = dispatch_queue_create_with_target("right", DISPATCH_QUEUE_SERIAL, base)
      dispatch_async(left) {
        lab.note("on left, about to sync onto right")
        dispatch_sync(right) { lab.note("never") }
      }
      waitForEver()
    },
    Scenario(
      "deadlock-pool-exhausted", "Four items wait for a fifth where the pool may have four threads", .collections, "B12, G1",
      article: "at the limit of threads, tasks wait until others give their threads back",
      documents: "the system decides how many threads there are", scale: "the pool's limit is 4 here instead of hundreds",
      expect: .stops(["work is queued, and all 4 worker threads wait for others, forever"]),
      environment: stallDetecting.merging(["SIGNALBOX_MAX_THREADS": "4"]) { $1 }
    ) { lab in
      let fifth = Gate(), meeting = Meeting(of: 4)
      for number in 1...4 {
        DispatchQueue.global().async {
          meeting.arrive()
          lab.note("item \(number) waits for the fifth")
          fifth.pass()
        }
      }
      DispatchQueue.global().async {
        lab.note("never: the fifth")
        fifth.open()
      }
      waitForEver()
    },
  ]
}
