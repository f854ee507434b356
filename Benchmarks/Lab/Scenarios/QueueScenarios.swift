// QueueScenarios.swift: sync and async on serial and concurrent queues: order and overlap. Which threads: ThreadScenarios.swift.
import SignalboxCNames

enum QueueScenarios {
  static let all: [Scenario] = [
    Scenario(
      "serial-sync", "Four blocks given to a serial queue by sync", .notes, "B2",
      article: "no new thread; the blocks run in the order in which they are added",
      documents: "a serial queue runs its items first in, first out; sync runs the item on the submitting thread"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_SERIAL)
      for number in 1...4 { dispatch_sync(queue) { lab.note("block \(number)") } }
      return blocks(lab, of: 4, inOrder: true, on: "main")
    },
    Scenario(
      "serial-async", "Four blocks given to a serial queue by async", .notes, "B2",
      article: "a new thread, one for the whole queue; the blocks run in the order in which they are added",
      documents: "first in, first out, one at a time, on threads of the system's pool; no promise which"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_SERIAL)
      let group = dispatch_group_create(), crowd = Crowd()
      for number in 1...4 { dispatch_group_async(group, queue) { crowd.with(linger: 2) { lab.note("block \(number)") } } }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak) at a time")
      return blocks(lab, of: 4, inOrder: true, on: "worker")
    },
    Scenario(
      "concurrent-sync", "Four blocks given to a concurrent queue by sync", .notes, "B2",
      article: "no new thread; the blocks run in the order in which they are added",
      documents: "sync returns when the item has ended, and runs it on the submitting thread: so one after another"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
      for number in 1...4 { dispatch_sync(queue) { lab.note("block \(number)") } }
      return blocks(lab, of: 4, inOrder: true, on: "main")
    },
    Scenario(
      "concurrent-async", "Four blocks given to a concurrent queue by async are all under way at once", .notes, "B2",
      article: "as many threads as blocks; the order is not certain",
      documents: "ordinary items of a concurrent queue may run at the same time, in any order"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_CONCURRENT)
      let group = dispatch_group_create(), meeting = Meeting(of: 4)
      for number in 1...4 {
        dispatch_group_async(group, queue) {
          meeting.arrive()  // no block goes on before the fourth is there
          lab.note("block \(number)")
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      return blocks(lab, of: 4, inOrder: false, on: "worker")
    },
    Scenario(
      "serial-next-after-end", "A serial queue begins an item when the one before has ended", .survey, "B2",
      article: "tasks of a serial queue run first in, first out; one starts when the one before is through",
      documents: "a serial queue runs one item at a time, first in, first out"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
      let crowd = Crowd(), group = dispatch_group_create()
      for number in 1...5 {
        dispatch_group_async(group, queue) {
          crowd.with {
            lab.note("begin \(number)")
            pause(milliseconds: 2)
            lab.note("end \(number)")
          }
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder((1...5).flatMap { ["begin \($0)", "end \($0)"] })
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak) at a time")
      return "each item ended before the next began"
    },
    Scenario(
      "concurrent-next-before-end", "A concurrent queue begins an item while the one before is under way", .survey, "B2",
      article: "items of a concurrent queue are taken first in, first out; the next need not wait until the one before ends",
      documents: "ordinary items of a concurrent queue may run at the same time"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.concurrent", DISPATCH_QUEUE_CONCURRENT)
      let second = Gate(), group = dispatch_group_create()
      dispatch_group_async(group, queue) {
        lab.note("first begins")
        second.pass()
        lab.note("first ends")
      }
      dispatch_group_async(group, queue) {
        lab.note("second ran")
        second.open()
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder("second ran", "first ends")
      return "the second item ran before the first ended"
    },
    Scenario(
      "concurrent-order-is-free", "Items of a concurrent queue may end in another order than they were submitted", .collections,
      "B2",
      article: "a concurrent queue does not keep to first in, first out when it runs its tasks",
      documents: "ordinary items may run in any order"
    ) { lab in
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      let gates = (0...3).map { _ in Gate() }, group = DispatchGroup()
      for number in 1...3 {
        queue.async(group: group) {
          gates[number].pass()
          lab.note("item \(number)")
          gates[number - 1].open()
        }
      }
      gates[3].open()
      group.wait()
      lab.expectOrder("item 3", "item 2", "item 1")
      return "submitted as 1, 2, 3; made to end as " + lab.order()
    },
    Scenario(
      "async-returns-first", "async returns before its block has run", .practice, "B2",
      article: "async returns at once, before the block is executed",
      documents: "async returns right after the item was submitted and never waits for it"
    ) { lab in
      let queue = dispatch_queue_create("background", DISPATCH_QUEUE_SERIAL)
      let returned = Gate(), group = dispatch_group_create()
      dispatch_group_async(group, queue) {
        returned.pass()  // would never be opened if async waited
        lab.note("the block runs")
      }
      lab.note("async has returned")
      returned.open()
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder("async has returned", "the block runs")
      return "async returned while its block could not run yet"
    },
    Scenario(
      "sync-waits", "sync returns after its block has run, whatever stands before it", .practice, "B2",
      article: "sync waits until the block has been executed",
      documents: "sync does not return until the item has finished"
    ) { lab in
      let queue = dispatch_queue_create("background", DISPATCH_QUEUE_SERIAL)
      dispatch_async(queue) { lab.note("an item from before") }
      dispatch_sync(queue) { lab.note("the block runs") }
      lab.note("sync has returned")
      lab.expectOrder("an item from before", "the block runs", "sync has returned")
      return lab.order()
    },
    Scenario(
      "serial-queue-as-lock", "sync on a serial queue in place of a lock", .survey, "B2",
      article: "sync may serve as a lock that protects something",
      documents: "a serial queue amounts to a mutex: one item at a time"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.lock", DISPATCH_QUEUE_SERIAL)
      let crowd = Crowd(), total = Box(0)
      dispatch_apply(1000, DISPATCH_APPLY_AUTO) { index in
        dispatch_sync(queue) { crowd.with(linger: index % 100 == 0 ? 1 : 0) { total.value = total.value + 1 } }
      }
      lab.note("1000 additions of 1 make \(total.value)")
      lab.expect(total.value == 1000, "a sum of 1000", "\(total.value)")
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak) at a time")
      return "1000 unprotected additions inside sync: \(total.value), never two at a time"
    },
    Scenario(
      "async-onto-own-queue", "An item adds another to its own serial queue", .survey, "B2",
      article: "async does not deadlock; it puts the task at the end of the queue",
      documents: "async never waits for the item"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
      let group = dispatch_group_create()
      dispatch_group_async(group, queue) {
        lab.note("outer begins")
        dispatch_group_async(group, queue) { lab.note("inner") }
        lab.note("outer ends")
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expectOrder("outer begins", "outer ends", "inner")
      return lab.order()
    },
    Scenario(
      "functions-with-f", "The forms that take a function and a context", .notes, "B13",
      article: "the functions whose names end in _f take a function of the program's; else they are like the others",
      documents: "the function is called with the context that was given; else as the form with a block"
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_SERIAL), group = dispatch_group_create()
      let context = Unmanaged.passUnretained(lab).toOpaque()
      let work: dispatch_function_t = { raw in
        if let raw { Unmanaged<Recorder>.fromOpaque(raw).takeUnretainedValue().note("called") }
      }
      dispatch_async_f(queue, context, work)
      dispatch_sync_f(queue, context, work)
      dispatch_group_async_f(group, queue, context, work)
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(lab.texts == ["called", "called", "called"], "three calls with the context", lab.order())
      return "async_f, sync_f, group_async_f: each called its function with its context"
    },
    Scenario(
      "sync-inside-concurrent", "sync from an item of a concurrent queue onto that very queue", .collections, "B2",
      article: "what locks up a serial queue is harmless on a concurrent one",
      documents:
        "regular items of a concurrent queue are like readers of a reader-writer lock, several at a time; yet sync onto "
        + "the current queue is called a deadlock without exception, so nothing may rely on it",
      errs: "it holds only while no barrier waits: see sync-inside-concurrent-behind-barrier"
    ) { lab in
      let queue = DispatchQueue(label: "queue", attributes: .concurrent), group = DispatchGroup()
      queue.async(group: group) {
        lab.note("A begins")
        queue.sync { lab.note("B") }
        lab.note("A ends")
      }
      group.wait()
      lab.expectOrder("A begins", "B", "A ends")
      return "two readers of one thread: it returns while no barrier waits"
    },
  ]

  /// Checks that "block 1" to the last ran once each, all of them on one kind of thread; tells order and threads.
  private static func blocks(_ lab: Recorder, of count: Int, inOrder: Bool, on kind: String) -> String {
    let wanted = (1...count).map { "block \($0)" }
    if inOrder { lab.expectOrder(wanted) } else { lab.expectAll(wanted, beginning: "block") }
    lab.expectThreads(kind) { _ in true }
    return "\(lab.order()); on \(lab.threads().joined(separator: ", "))" + (inOrder ? "" : "; all under way at once")
  }
}
