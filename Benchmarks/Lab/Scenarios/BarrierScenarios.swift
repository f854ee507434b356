// BarrierScenarios.swift: barriers on concurrent, serial and global queues. Barriers that deadlock are DeadlockScenarios.swift.
import SignalboxCNames

enum BarrierScenarios {
  static let all: [Scenario] = [
    Scenario(
      "barrier-order", "1 and 2, a barrier, 3 and 4", .notes, "B3",
      article: "the barrier runs after what was added before it and before what was added after it",
      documents: "a barrier runs when everything submitted before it has completed; what comes after waits for it"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT), group = dispatch_group_create()
      for name in ["1", "2"] { dispatch_group_async(group, queue) { lab.note(name) } }
      dispatch_barrier_async(queue) { lab.note("barrier") }
      for name in ["3", "4"] { dispatch_group_async(group, queue) { lab.note(name) } }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      let texts = lab.texts
      let isRight =
        texts.count == 5 && texts[2] == "barrier" && Set(texts[..<2]) == ["1", "2"] && Set(texts[3...]) == ["3", "4"]
      lab.expect(isRight, "1 and 2 in any order, barrier, 3 and 4 in any order", lab.order())
      return lab.order()
    },
    Scenario(
      "barrier-alone-only-while-it-runs", "Blocks before and after a barrier overlap, the barrier does not", .notes, "B3",
      article: "with a barrier only one block of the queue runs at any time",
      documents: "the barrier excludes all others while it runs; ordinary items run at the same time",
      errs: "only the barrier itself is alone"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT), group = dispatch_group_create()
      let readers = Counter()
      func twoThatMeet(_ when: String) {
        let meeting = Meeting(of: 2)
        for number in 1...2 {
          dispatch_group_async(group, queue) {
            readers.add(1)
            meeting.arrive()
            lab.note("\(when) the barrier: \(number)")
            readers.add(-1)
          }
        }
      }
      twoThatMeet("before")
      dispatch_barrier_async(queue) {
        lab.note("the barrier")
        lab.expect(readers.value == 0, "nobody beside the barrier", "\(readers.value)")
      }
      twoThatMeet("after")
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      return "two at once before it, nobody beside it, two at once after it"
    },
    Scenario(
      "barrier-identity-map", "A map read by sync and written by asynchronous barriers", .practice, "B3, F2",
      article: "reads run at the same time, writes alone: several readers or one writer",
      documents: "a concurrent queue is like a reader-writer lock: ordinary items read, barriers write"
    ) { lab in
      let map = GuardedMap(label: "com.khanlou.isolation.queue")
      dispatch_apply(100, DISPATCH_APPLY_AUTO) { number in
        map.set("\(number)", number)
        let found = map["\(number)"]
        lab.expect(found == number, "each finds what it has just written", "\(found.map { "\($0)" } ?? "nothing")")
      }
      lab.note("\(map.count) entries")
      lab.expect(map.count == 100, "100 entries", "\(map.count)")
      lab.expect(map.intruders == 0, "nobody beside a writer", "\(map.intruders) times")
      return "100 writers and readers: every value found, nobody beside a writer"
    },
    Scenario(
      "barrier-readers-together", "Three reads of the isolation queue at one time", .practice, "B3",
      article: "the queue is concurrent, so synchronous reads may run at the same time",
      documents: "ordinary items of a concurrent queue run at the same time"
    ) { lab in
      let queue = dispatch_queue_create("com.khanlou.isolation.queue", DISPATCH_QUEUE_CONCURRENT), meeting = Meeting(of: 3)
      let threads = (1...3).map { number in
        lab.thread {
          dispatch_sync(queue) {
            meeting.arrive()
            lab.note("reader \(number)")
          }
        }
      }
      for thread in threads { thread.pass() }
      lab.expectAll((1...3).map { "reader \($0)" }, beginning: "reader")
      lab.expectThreads("thread") { _ in true }
      return "three readers met inside, each on its own thread"
    },
    Scenario(
      "barrier-read-after-write", "A read right after an asynchronous barrier write", .practice, "B3",
      article: "it may find data that is half written, because the write may not have finished",
      documents: "what is submitted after a barrier runs after the barrier has completed",
      errs: "the read waits for the barrier and sees all of it"
    ) { lab in
      let queue = dispatch_queue_create("com.khanlou.isolation.queue", DISPATCH_QUEUE_CONCURRENT)
      let halves = Box((0, 0))
      for number in 1...200 {
        dispatch_barrier_async(queue) {
          halves.value.0 = number
          if number % 40 == 0 { pause(milliseconds: 1) }
          halves.value.1 = number
        }
        var seen = (0, 0)
        dispatch_sync(queue) { seen = halves.value }
        lab.expect(seen == (number, number), "both halves are \(number)", "\(seen)")
      }
      lab.note("200 writes, 200 reads")
      return "200 of 200 reads saw the whole write before them"
    },
    Scenario(
      "barrier-async-returns", "The writer does not wait", .practice, "B3",
      article: "an asynchronous barrier returns at once; it runs when the blocks before it are through",
      documents: "as async, and it waits for everything submitted before it"
    ) { lab in
      let queue = dispatch_queue_create("com.khanlou.isolation.queue", DISPATCH_QUEUE_CONCURRENT), gate = Gate()
      dispatch_async(queue) {
        gate.pass()
        lab.note("the reader ends")
      }
      dispatch_barrier_async(queue) { lab.note("the barrier") }
      lab.note("barrier_async has returned")
      gate.open()
      dispatch_barrier_sync(queue) { lab.note("a synchronous barrier") }
      lab.note("barrier_sync has returned")
      lab.expectOrder(
        "barrier_async has returned", "the reader ends", "the barrier", "a synchronous barrier", "barrier_sync has returned")
      return lab.order()
    },
    Scenario(
      "barrier-on-a-global-queue", "Two barriers on a global queue", .practice, "B3",
      article: "on a global queue a barrier is plain async",
      documents: "on global queues a barrier behaves like any other item"
    ) { lab in
      let group = dispatch_group_create(), meeting = Meeting(of: 2), queue = dispatch_get_global_queue(0, 0)
      for number in 1...2 {
        let block = dispatch_block_create(DISPATCH_BLOCK_BARRIER) {
          meeting.arrive()
          lab.note("barrier \(number)")
        }
        dispatch_group_async(group, queue, block)
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectAll(["barrier 1", "barrier 2"], beginning: "barrier")
      return "both were under way at once: no exclusion"
    },
    Scenario(
      "barrier-on-a-serial-queue", "A barrier among the items of a serial queue", .practice, "B3",
      article: "on a serial queue a barrier is plain async",
      documents: "only queues made with the concurrent attribute treat barriers in a special way"
    ) { lab in
      let queue = dispatch_queue_create("serial", DISPATCH_QUEUE_SERIAL)
      dispatch_async(queue) { lab.note("1") }
      dispatch_barrier_async(queue) { lab.note("barrier") }
      dispatch_sync(queue) { lab.note("2") }
      lab.expectOrder("1", "barrier", "2")
      return lab.order()
    },
    Scenario(
      "barrier-image-store", "An image list: barriers add, sync reads, the main queue hears of it", .survey, "B3",
      article: "a barrier writes while nobody else is at work, then tells the main thread; sync reads in place of a lock",
      documents: "a barrier excludes all others of its queue; main queue items run on the main thread"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.image", DISPATCH_QUEUE_CONCURRENT), images = Box<[Int]>([])
      let updates = Counter()
      for number in 1...5 {
        dispatch_barrier_async(queue) {
          images.value += [number]
          dispatch_async(dispatch_get_main_queue()) {
            lab.note("update \(number)")
            guard updates.add(1) == 5 else { return }
            lab.expectOrder((1...5).map { "update \($0)" })
            lab.expectThreads("main") { $0.hasPrefix("update") }
            lab.finish("five images in order, five updates on main")
          }
        }
      }
      var copy: [Int] = []
      dispatch_sync(queue) { copy = images.value }
      lab.note("read: \(copy.count) images")
      lab.expect(copy == [1, 2, 3, 4, 5], "1 to 5", "\(copy)")
      dispatch_main()
    },
  ]
}

/// A map behind a concurrent queue that also notices any reader or writer beside a writer.
private final class GuardedMap: @unchecked Sendable {
  // SAFETY of @unchecked: read in items of the queue, written in its barriers: the very thing that is shown.
  private var entries: [String: Int] = [:]
  private let queue: dispatch_queue_t
  private let readers = Counter(), writers = Counter(), intrusions = Counter()

  init(label: String) { queue = dispatch_queue_create(label, DISPATCH_QUEUE_CONCURRENT) }

  var intruders: Int { intrusions.value }
  var count: Int {
    var count = 0
    dispatch_sync(queue) { count = entries.count }
    return count
  }

  func set(_ key: String, _ value: Int) {
    dispatch_barrier_async(queue) {
      if self.writers.add(1) != 1 || self.readers.value != 0 { self.intrusions.add(1) }
      self.entries[key] = value
      self.writers.add(-1)
    }
  }

  subscript(key: String) -> Int? {
    var found: Int?
    dispatch_sync(queue) {
      readers.add(1)
      if writers.value != 0 { intrusions.add(1) }
      found = entries[key]
      readers.add(-1)
    }
    return found
  }
}
