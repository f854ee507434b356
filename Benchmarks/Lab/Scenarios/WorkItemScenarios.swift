// WorkItemScenarios.swift: block objects: made, performed, waited for, observed, cancelled.
import SignalboxCNames

enum WorkItemScenarios {
  private static func queue() -> dispatch_queue_t { dispatch_queue_create("com.bool.block", DISPATCH_QUEUE_SERIAL) }

  static let all: [Scenario] = [
    Scenario(
      "block-create", "Blocks with and without a service class, and one performed at once", .survey, "B9",
      article: "blocks are made, with a class or without, and submitted; perform makes one and runs it",
      documents: "a block object may be submitted or invoked; perform runs it synchronously, on the caller"
    ) { lab in
      let plain = dispatch_block_create(0) { lab.note("plain") }
      let classy = dispatch_block_create_with_qos_class(0, QOS_CLASS_USER_INITIATED, -1) {
        lab.note("with a class")
        lab.finish("performed on the caller at once; the two of the main queue followed, in order")
      }
      dispatch_async(dispatch_get_main_queue(), plain)
      dispatch_async(dispatch_get_main_queue(), classy)
      dispatch_block_perform(0) { lab.note("performed") }
      lab.expectOrder("performed")
      lab.expectThreads("main") { _ in true }
      dispatch_main()
    },
    Scenario(
      "block-wait", "Waiting for a block", .survey, "B9",
      article: "the wait blocks the current task until the block has run",
      documents: "it returns 0 when the block has completed"
    ) { lab in
      let block = dispatch_block_create(0) { lab.note("the block") }
      dispatch_async(queue(), block)
      let result = dispatch_block_wait(block, DISPATCH_TIME_FOREVER)
      lab.note("the wait is over")
      lab.expectOrder("the block", "the wait is over")
      lab.expect(result == 0, "0", "\(result)")
      return lab.order()
    },
    Scenario(
      "block-notify", "A notification when a block has run", .survey, "B9",
      article: "the line after notify runs first; after the block another task is run",
      documents: "notify only schedules; the notification is submitted when the block has completed"
    ) { lab in
      let queue = queue(), gate = Gate(), told = Gate()
      let block = dispatch_block_create(0) {
        gate.pass()
        lab.note("the block")
      }
      dispatch_async(queue, block)
      dispatch_block_notify(block, queue) {
        lab.note("the notification")
        told.open()
      }
      lab.note("the line after notify")
      gate.open()
      told.pass()
      lab.expectOrder("the line after notify", "the block", "the notification")
      return lab.order()
    },
    Scenario(
      "block-cancel", "The second of two blocks is cancelled", .survey, "B9",
      article: "the second block is cancelled and does not run",
      documents: "cancelling makes later executions of the block return at once"
    ) { lab in
      let queue = queue(), gate = Gate()
      let first = dispatch_block_create(0) {
        gate.pass()
        lab.note("first")
      }
      let second = dispatch_block_create(0) { lab.note("second") }
      dispatch_async(queue, first)
      dispatch_async(queue, second)
      dispatch_block_cancel(second)
      gate.open()
      dispatch_sync(queue) { lab.note("after both") }
      lab.expect(lab.texts == ["first", "after both"], "first, after both", lab.order())
      lab.expect(dispatch_block_testcancel(second) != 0, "testcancel tells", "0")
      return lab.order()
    },
    Scenario(
      "gcd-can-cancel", "Cancelling with GCD", .notes, "B9",
      article: "what GCD lacks beside operations is that it cannot cancel",
      documents: "dispatch_block_cancel, in the headers since 2014",
      errs: "blocks can be cancelled as long as they have not begun"
    ) { lab in
      let gate = Gate(), queue = DispatchQueue(label: "queue")
      let item = DispatchWorkItem { lab.note("never") }
      queue.async { gate.pass() }
      queue.async(execute: item)
      item.cancel()
      gate.open()
      item.wait()
      lab.note("the cancelled item counts as over")
      lab.expect(item.isCancelled, "isCancelled", "not cancelled")
      lab.expect(!lab.texts.contains("never"), "it does not run", "it ran")
      return "cancelled before it began: it never ran"
    },
    Scenario(
      "cancel-a-running-block", "Cancelling a block that has begun", .survey, "B9",
      article: "since then tasks can be cancelled",
      documents: "an execution that is under way is not affected; the block may ask"
    ) { lab in
      let begun = Gate(), goOn = Gate(), queue = DispatchQueue(label: "com.bool.block")
      let own = Box<DispatchWorkItem?>(nil)
      let item = DispatchWorkItem {
        begun.open()
        goOn.pass()
        lab.note("still running; asked, it says cancelled: \(own.value?.isCancelled == true)")
      }
      own.value = item
      queue.async(execute: item)
      begun.pass()
      item.cancel()
      lab.note("cancelled")
      goOn.open()
      item.wait()
      own.value = nil
      lab.expectOrder("cancelled", "still running; asked, it says cancelled: true")
      return "it ran to its end, and could ask"
    },
  ]
}
