// MainQueueScenarios.swift: the main queue and the main thread. What deadlocks there is DeadlockScenarios.swift.
import SignalboxCNames

enum MainQueueScenarios {
  static let all: [Scenario] = [
    Scenario(
      "background-then-main", "Work on a global queue, go on with its result on the main queue", .practice, "B1, F2",
      article: "do the expensive work on a background queue, then go back to the main thread with the result",
      documents: "items of the main queue run on the main thread once it is given away by dispatch_main"
    ) { lab in
      dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
        let result = (1...100).reduce(0, +)
        lab.note("worked")
        dispatch_async(dispatch_get_main_queue()) {
          lab.note("result \(result)")
          lab.expectOrder("worked", "result 5050")
          lab.expectThreads("worker") { $0 == "worked" }
          lab.expectThreads("main") { $0 != "worked" }
          lab.finish("computed on \(lab.threads()[0]), used on \(lab.threads()[1])")
        }
      }
      dispatch_main()
    },
    Scenario(
      "background-then-main-sync", "The way back to the main queue by sync", .practice, "B1, B2",
      article: "the inner call may as well be sync: nobody cares when it returns",
      documents: "sync runs the item elsewhere than on the caller when the queue is the main queue: the main thread runs it"
    ) { lab in
      dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) {
        dispatch_sync(dispatch_get_main_queue()) { lab.note("on the main queue") }
        lab.note("sync has returned")
        lab.expectOrder("on the main queue", "sync has returned")
        lab.expectThreads("main") { $0 == "on the main queue" }
        lab.finish("the worker waited, the main thread ran the block")
      }
      dispatch_main()
    },
    Scenario(
      "outer-sync-blocks-main", "sync to a global queue from the main thread", .practice, "B2",
      article: "the outer call must be async, or the main thread is blocked",
      documents: "sync returns when the item has finished, and runs it on the submitting thread: here the main thread itself"
    ) { lab in
      dispatch_async(dispatch_get_main_queue()) {
        lab.note("an item of the main queue")
        lab.expectOrder("the expensive work", "an item of the main queue")
        lab.expectThreads("main") { _ in true }
        lab.finish("the main thread did the work itself; its queue had to wait")
      }
      dispatch_sync(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0)) { lab.note("the expensive work") }
      dispatch_main()
    },
    Scenario(
      "main-async-postpones", "async to the main queue from the main thread", .survey, "B1",
      article: "async to the main queue puts something off: it runs after what is under way",
      documents: "the main queue is serial, and its items run on the main thread"
    ) { lab in
      lab.note("before")
      dispatch_async(dispatch_get_main_queue()) {
        lab.note("postponed")
        lab.expectOrder("before", "after", "postponed")
        lab.expectThreads("main") { _ in true }
        lab.finish(lab.order())
      }
      lab.note("after")
      dispatch_main()
    },
    Scenario(
      "main-queue-is-serial", "Items of the main queue from three threads", .survey, "B1",
      article: "the main queue is a special serial queue; all of its tasks run on the main thread",
      documents: "the main queue is a serial queue bound to the main thread"
    ) { lab in
      let crowd = Crowd(), done = dispatch_group_create()
      for name in ["a", "b", "c"] {
        dispatch_group_async(done, dispatch_get_global_queue(0, 0)) {
          for number in 1...3 {
            dispatch_group_async(done, dispatch_get_main_queue()) { crowd.with { lab.note("\(name)\(number)") } }
          }
        }
      }
      dispatch_group_notify(done, dispatch_get_main_queue()) {
        lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak)")
        for name in ["a", "b", "c"] { lab.expectOrder((1...3).map { "\(name)\($0)" }) }
        lab.expectThreads("main") { _ in true }
        lab.finish("nine items, one at a time, all on main, each submitter's in its order")
      }
      dispatch_main()
    },
    Scenario(
      "suspend-main-and-global", "suspend, resume and set_context on the main queue and a global one", .notes, "B1",
      article: "suspend, resume and set_context have no effect on them",
      documents: "they cannot be modified: suspend, resume, set_context have no effect on them"
    ) { lab in
      let global: dispatch_queue_t = dispatch_get_global_queue(0, 0), main: dispatch_queue_t = dispatch_get_main_queue()
      for queue in [global, main] {
        dispatch_suspend(queue)
        dispatch_set_context(queue, UnsafeMutableRawPointer(bitPattern: 8))
        lab.expect(dispatch_get_context(queue) == nil, "no context", "a context")
      }
      dispatch_async(global) {
        lab.note("an item of the suspended global queue")
        dispatch_async(main) {
          lab.note("an item of the suspended main queue")
          for queue in [global, main] {
            dispatch_resume(queue)
            dispatch_resume(queue)  // once too often for a queue of the program's own
          }
          lab.finish("both ran, no context was kept, and a resume too many changed nothing")
        }
      }
      dispatch_main()
    },
  ]
}
