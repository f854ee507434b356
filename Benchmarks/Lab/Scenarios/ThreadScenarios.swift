// ThreadScenarios.swift: which threads run items, and how many there are. Order is QueueScenarios.swift.
import SignalboxCNames

enum ThreadScenarios {
  static let all: [Scenario] = [
    Scenario(
      "threads-are-used-again", "Sixty-four blocks of a concurrent queue need far fewer threads", .notes, "B12",
      article: "async on a concurrent queue makes as many threads as there are blocks",
      documents: "items run on a pool of threads that the system manages; queues and blocks own none",
      errs: "threads come from a pool and are used again, not made for each block"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
      for number in 1...64 {
        let group = dispatch_group_create()
        dispatch_group_async(group, queue) { lab.note("block \(number)") }
        dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      }
      let threads = lab.threads()
      lab.expect(threads.count < 64, "fewer threads than blocks", "\(threads.count) threads")
      return "64 blocks, one after another: \(threads.count) \(threads.count == 1 ? "thread" : "threads")"
    },
    Scenario(
      "queues-own-no-threads", "Thirty-two serial queues, used one after another", .notes, "B12",
      article: "async on a serial queue makes a thread; each queue object has one",
      documents: "items run on a pool of threads that the system manages; that a queue has a thread is a way of thinking",
      errs: "a serial queue borrows a thread of the pool while it has items"
    ) { lab in
      for number in 1...32 {
        let group = dispatch_group_create()
        dispatch_group_async(group, dispatch_queue_create("queue \(number)", DISPATCH_QUEUE_SERIAL)) { lab.note("item") }
        dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      }
      let threads = lab.threads()
      lab.expect(threads.count < 32, "fewer threads than queues", "\(threads.count) threads")
      return "32 queues: \(threads.count) \(threads.count == 1 ? "thread" : "threads")"
    },
    Scenario(
      "sync-starts-no-thread", "sync runs its block on the calling thread, whatever the queue", .notes, "B2",
      article:
        "sync makes no thread, on serial and concurrent queues alike; a sentence before the table has it that the kind of "
        + "queue decides on threads, one after it that the way of execution does",
      documents: "sync runs the item on the submitting thread, but for the main queue and those that target it",
      errs:
        "of its two sentences the first contradicts the second, which is nearer: the kind of queue makes no difference to sync"
    ) { lab in
      dispatch_sync(dispatch_queue_create("serial", DISPATCH_QUEUE_SERIAL)) { lab.note("serial") }
      dispatch_sync(dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT)) { lab.note("concurrent") }
      dispatch_sync(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) { lab.note("global") }
      let other = lab.thread { dispatch_sync(dispatch_queue_create("elsewhere", nil)) { lab.note("from a thread") } }
      other.pass()
      lab.expectThreads("main") { $0 != "from a thread" }
      lab.expectThreads("thread") { $0 == "from a thread" }
      return "always on the thread that called"
    },
    Scenario(
      "async-leaves-the-caller", "async to a global queue never uses the submitting thread", .survey, "B2",
      article: "an asynchronous task uses the current thread when that one is idle",
      documents: "items run on the pool's threads; a thread that merely submits does not run them",
      errs: "an idle submitter is not used, unless it serves that queue itself"
    ) { lab in
      let group = dispatch_group_create()
      for number in 1...50 {
        dispatch_group_async(group, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
          lab.note("item \(number)")
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)  // idle all the while
      lab.expectThreads("worker") { _ in true }
      return "50 items on \(lab.threads().joined(separator: ", ")); none on main, which did nothing else"
    },
    Scenario(
      "async-later-on-the-same-thread", "An item may run on the thread that submitted it, once that is free", .collections,
      "B2",
      article: "async may also use the current thread, but only when that is through with its present task",
      documents: "no promise which thread runs an item; of a serial queue only one runs at a time"
    ) { lab in
      let queue = DispatchQueue(label: "queue"), group = DispatchGroup()
      queue.async(group: group) {
        lab.note("outer begins")
        queue.async(group: group) { lab.note("inner") }
        lab.note("outer ends")
      }
      group.wait()
      lab.expectOrder("outer begins", "outer ends", "inner")
      let isSame = lab.threads().count == 1
      return "the inner item ran after the outer one, on \(isSame ? "the same" : "another") thread"
    },
    Scenario(
      "overcommit-is-per-queue", "A serial queue with many tasks runs them on one thread at a time", .survey, "B1",
      article: "with overcommit, each task that is submitted opens a thread, so that no thread is overloaded",
      documents: "of a serial queue one item runs at a time; threads belong to the pool",
      errs: "a queue that becomes runnable gets a thread, its tasks do not"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.overcommit", DISPATCH_QUEUE_SERIAL)
      let crowd = Crowd(), group = dispatch_group_create()
      dispatch_suspend(queue)
      for number in 1...30 { dispatch_group_async(group, queue) { crowd.with(linger: 1) { lab.note("task \(number)") } } }
      dispatch_resume(queue)
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder((1...30).map { "task \($0)" })
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak) at a time")
      let count = lab.threads().count
      lab.expect(count < 30, "fewer threads than tasks", "\(count) threads")
      return "30 tasks, one at a time, on \(count) \(count == 1 ? "thread" : "threads")"
    },
    Scenario(
      "blocked-queues-delay-no-other", "Eight serial queues wait for a ninth", .survey, "B1",
      article: "an ordinary serial queue targets a global queue that overcommits: it gets its thread although others are busy",
      documents: "independent serial queues run at the same time; the pool makes threads when its own are blocked"
    ) { lab in
      let gate = Gate(), group = dispatch_group_create()
      for number in 1...8 {
        dispatch_group_async(group, dispatch_queue_create("waiting \(number)", DISPATCH_QUEUE_SERIAL)) {
          gate.pass()
          lab.note("queue \(number)")
        }
      }
      dispatch_group_async(group, dispatch_queue_create("ninth", DISPATCH_QUEUE_SERIAL)) {
        lab.note("the ninth runs")
        gate.open()
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(lab.texts.first == "the ninth runs", "the ninth first", lab.texts.first ?? "nothing")
      return "the ninth queue ran while eight were blocked"
    },
    Scenario(
      "hundreds-of-threads", "A hundred and fifty blocked items on a global queue", .practice, "B12",
      article: "a global queue supports the execution of hundreds of threads",
      documents: "the pool makes threads when too many of its own block; without a limit to the work that is a thread explosion"
    ) { lab in
      let meeting = Meeting(of: 150), group = dispatch_group_create()
      for number in 1...150 {
        dispatch_group_async(group, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
          meeting.arrive()
          lab.note("item \(number)")
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      let count = lab.threads().count
      lab.expect(count == 150, "150 threads", "\(count) threads")
      return "150 items that wait for one another, all under way at once: \(count) threads"
    },
    Scenario(
      "threads-are-limited", "Twelve blocking items where the pool may have four threads", .collections, "B12",
      article: "GCD's threads are limited; at the limit tasks wait until others give their threads back",
      documents: "the system decides how many threads there are",
      scale: "the pool's limit is 4 here instead of hundreds", environment: ["SIGNALBOX_MAX_THREADS": "4"]
    ) { lab in
      let crowd = Crowd(), entered = Meeting(of: 5), gate = Gate(), started = Counter(), group = DispatchGroup()
      for number in 1...12 {
        DispatchQueue.global().async(group: group) {
          crowd.with {
            lab.note("item \(number) begins")
            if started.add(1) <= 4 { entered.arrive() }
            gate.pass()
          }
        }
      }
      entered.arrive()
      lab.note("four are inside, and wait")
      gate.open()
      group.wait()
      lab.expect(crowd.peak == 4, "four at a time", "\(crowd.peak)")
      lab.expect(started.value == 12, "all twelve in the end", "\(started.value)")
      return "four at a time, all twelve in the end"
    },
    Scenario(
      "thread-explosion-cured", "The same hundred and fifty items behind a semaphore, on a queue of their own", .practice,
      "B12",
      article: "with a semaphore you limit how many tasks run at a time, as an operation queue does",
      documents: "whoever uses the global queues must not submit an unlimited amount of blocking work"
    ) { lab in
      let limit = dispatch_semaphore_create(3), feeder = dispatch_queue_create("feeder", DISPATCH_QUEUE_SERIAL)
      let group = dispatch_group_create(), crowd = Crowd()
      dispatch_group_async(group, feeder) {
        for number in 1...150 {
          dispatch_semaphore_wait(limit, DISPATCH_TIME_FOREVER)  // before an item is submitted, not inside it
          dispatch_group_async(group, dispatch_get_global_queue(0, 0)) {
            crowd.with { lab.note("item \(number)") }
            dispatch_semaphore_signal(limit)
          }
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(crowd.peak <= 3, "at most three at a time", "\(crowd.peak)")
      let count = lab.threads().count
      lab.expect(count < 150, "fewer threads than items", "\(count)")
      return "never more than \(crowd.peak) at a time, \(count) \(count == 1 ? "thread" : "threads")"
    },
  ]
}
