// GroupScenarios.swift: groups: entering, leaving, waiting, being notified. Unbalanced ones are MisuseScenarios.swift.
import SignalboxCNames

enum GroupScenarios {
  static let all: [Scenario] = [
    Scenario(
      "group-notify", "Many pieces of work, and a block when all are done", .practice, "B7",
      article: "a group keeps track of its blocks and runs the notification when all are complete",
      documents: "the notification is submitted once all blocks of the group have completed"
    ) { lab in
      let group = dispatch_group_create()
      let pieces = ["a", "b", "c", "d"]
      for item in pieces { dispatch_group_async(group, dispatch_get_global_queue(0, 0)) { lab.note("work \(item)") } }
      dispatch_group_notify(group, dispatch_get_main_queue()) {
        lab.expectAll(pieces.map { "work \($0)" }, beginning: "work")
        lab.note("all is done")
        lab.expectThreads("main") { $0 == "all is done" }
        lab.finish("four pieces on \(lab.threads { $0 != "all is done" }.joined(separator: ", ")), then the block on main")
      }
      dispatch_main()
    },
    Scenario(
      "group-over-queues", "One group over queues of three kinds", .practice, "B7",
      article: "a group can hold tasks of different queues and keeps track of them all",
      documents: "a group is independent of the queues its blocks are submitted to"
    ) { lab in
      let group = dispatch_group_create()
      let queues: [(String, dispatch_queue_t)] = [
        ("serial", dispatch_queue_create("serial", DISPATCH_QUEUE_SERIAL)),
        ("concurrent", dispatch_queue_create("concurrent", DISPATCH_QUEUE_CONCURRENT)),
        ("global", dispatch_get_global_queue(0, 0)),
      ]
      for (name, queue) in queues { dispatch_group_async(group, queue) { lab.note("on \(name)") } }
      let result = dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.note("the wait is over")
      lab.expect(result == 0, "0 from the wait", "\(result)")
      lab.expectAll(queues.map { "on \($0.0)" }, beginning: "on ")
      lab.expect(lab.texts.last == "the wait is over", "the wait ends last", lab.order())
      return "the wait covered all three"
    },
    Scenario(
      "group-enter-and-leave", "Asynchronous work counted by hand", .practice, "B7",
      article: "enter adds to the group's counter, leave takes away; wait returns when it is 0",
      documents: "enter tells that a block has joined by other means, leave that it has completed; calls are balanced"
    ) { lab in
      let group = dispatch_group_create()
      for item in 1...4 {
        dispatch_group_enter(group)
        asynchronously {
          lab.note("completion \(item)")
          dispatch_group_leave(group)
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.note("all is done")
      lab.expectAll((1...4).map { "completion \($0)" }, beginning: "completion")
      lab.expect(lab.texts.last == "all is done", "the wait ends last", lab.order())
      return lab.order()
    },
    Scenario(
      "group-downloads", "Downloads that enter and leave, and a notification on their queue", .survey, "B7",
      article: "enter before each asynchronous download, leave in its completion, be notified when all have finished",
      documents: "the group is empty once every enter is matched by a leave; then the notification is submitted"
    ) { lab in
      let group = dispatch_group_create(), queue = dispatch_queue_create("com.bool.group", DISPATCH_QUEUE_CONCURRENT)
      let notified = Gate()
      for number in 1...6 {
        dispatch_group_enter(group)
        dispatch_async(queue) {
          lab.note("image \(number)")
          dispatch_group_leave(group)
        }
      }
      dispatch_group_notify(group, queue) {
        lab.note("finished")
        notified.open()
      }
      notified.pass()
      lab.expectAll((1...6).map { "image \($0)" }, beginning: "image")
      lab.expect(lab.texts.last == "finished", "the notification last", lab.order())
      return "six images, then the notification, on " + (lab.events.last?.queue ?? "no queue")
    },
    Scenario(
      "group-async-of-async-work", "group_async with a block that only starts asynchronous work", .survey, "B7",
      article: "with asynchronous work inside, the notification comes at once: the group takes the work as done",
      documents: "the group follows the block that was submitted with it, not what that block starts"
    ) { lab in
      let group = dispatch_group_create(), queue = dispatch_get_global_queue(0, 0)
      let notified = Gate(), downloaded = Gate()
      dispatch_group_async(group, queue) {
        lab.note("a download is started")
        dispatch_async(queue) {
          notified.pass()
          lab.note("the download ends")
          downloaded.open()
        }
      }
      dispatch_group_notify(group, queue) {
        lab.note("notified")
        notified.open()
      }
      downloaded.pass()
      lab.expectOrder("a download is started", "notified", "the download ends")
      return "notified before the download ended"
    },
    Scenario(
      "group-notify-does-not-wait", "notify and wait on the thread that calls them", .practice, "B7",
      article: "notify may be called on the main thread; wait blocks its thread and belongs in the background",
      documents: "notify only schedules a block; wait returns when the group is empty"
    ) { lab in
      let group = dispatch_group_create(), gate = Gate(), notified = Gate()
      dispatch_group_async(group, dispatch_get_global_queue(0, 0)) {
        gate.pass()
        lab.note("the work ends")
      }
      dispatch_group_notify(group, dispatch_get_global_queue(0, 0)) {
        lab.note("notified")
        notified.open()
      }
      lab.note("notify has returned")
      gate.open()
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.note("wait has returned")
      notified.pass()
      lab.expectOrder("notify has returned", "the work ends", "wait has returned")
      lab.expectOrder("notify has returned", "the work ends", "notified")
      return "notify returned while the work was held; wait after it"
    },
    Scenario(
      "group-mixed", "enter and leave with notify; group_async with wait", .practice, "B7",
      article: "the two ways of joining a group go with both ways of learning of its end",
      documents: "a group knows only what has joined and what has completed"
    ) { lab in
      let byHand = dispatch_group_create(), notified = Gate()
      dispatch_group_enter(byHand)
      dispatch_group_notify(byHand, dispatch_get_global_queue(0, 0)) {
        lab.note("notified after a leave")
        notified.open()
      }
      lab.note("leave")
      dispatch_group_leave(byHand)
      notified.pass()
      let byQueue = dispatch_group_create()
      dispatch_group_async(byQueue, dispatch_get_global_queue(0, 0)) { lab.note("a block") }
      dispatch_group_wait(byQueue, DISPATCH_TIME_FOREVER)
      lab.note("wait has returned")
      lab.expectOrder("leave", "notified after a leave", "a block", "wait has returned")
      return lab.order()
    },
    Scenario(
      "group-wait-with-a-limit", "Waiting for a group with a limit", .practice, "B7",
      article: "the wait takes a timeout; forever is the usual choice",
      documents: "0 when all has completed in time, another value otherwise; the group goes on and can be waited for again",
      scale: "a limit of 20 ms; the article names none"
    ) { lab in
      let group = dispatch_group_create()
      dispatch_group_enter(group)
      let limit = soon(20)
      let early = dispatch_group_wait(group, limit)
      let isDue = dispatch_time(DISPATCH_TIME_NOW, 0) >= limit
      lab.note("limited wait: \(early == 0 ? "complete" : "timed out")")
      lab.expect(early != 0, "a value other than 0 with a member inside", "0")
      lab.expect(isDue, "not before its time", "earlier")
      dispatch_group_leave(group)
      let late = dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.note("unlimited wait: \(late == 0 ? "complete" : "timed out")")
      lab.expect(late == 0, "0 once empty", "\(late)")
      return "timed out, not early; complete after the leave"
    },
  ]

  /// Work that calls its completion from elsewhere.
  private static func asynchronously(_ completion: @escaping @Sendable () -> Void) {
    dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0), completion)
  }
}
