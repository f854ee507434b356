// StoppedQueueScenarios.swift: waits for queues that start nothing: suspended, or never activated. What the stall detector reports for each.
import SignalboxCNames

enum StoppedQueueScenarios {
  private static let stallDetecting = ["SIGNALBOX_WATCH": "0.3"]
  private static let unended = "it came back, which no document allows for"

  static let all: [Scenario] = [
    Scenario(
      "deadlock-suspended-queue", "sync onto a queue that is suspended and never resumed", .survey, "B5, G1",
      article: "dispatch objects can be suspended and resumed",
      documents: "a suspended queue starts no item; each suspend needs its resume",
      expect: .stops(["serial queue \"com.bool.held\": suspended, and nothing is left to resume it", "fix: resume()"]),
      environment: stallDetecting
    ) { lab in
      let queue = dispatch_queue_create("com.bool.held", DISPATCH_QUEUE_SERIAL)
      dispatch_suspend(queue)
      lab.note("about to sync")
      dispatch_sync(queue) { lab.note("never") }
      return unended
    },
    Scenario(
      "deadlock-inactive-queue", "sync onto a queue that is never activated", .survey, "B5, G1",
      article: "objects that are made inactive begin with dispatch_activate",
      documents: "an inactive queue runs nothing until it is activated",
      expect: .stops(["serial queue \"com.bool.asleep\": never activated, and nothing is left to activate it", "activate()"]),
      environment: stallDetecting
    ) { lab in
      let queue = dispatch_queue_create("com.bool.asleep", dispatch_queue_attr_make_initially_inactive(DISPATCH_QUEUE_SERIAL))
      lab.note("about to sync")
      dispatch_sync(queue) { lab.note("never") }
      return unended
    },
    Scenario(
      "deadlock-group-in-suspended-queue", "A group whose members lie in a suspended queue", .survey, "B5, B7, G1",
      article: "the wait goes on when everything in the group is done",
      documents: "the wait returns when all have completed, and items of a suspended queue do not start",
      expect: .stops([
        "serial queue \"com.bool.held\": suspended with 2 items in it (all of group 0x", "fix: resume()",
      ]), environment: stallDetecting
    ) { lab in
      let group = dispatch_group_create(), queue = dispatch_queue_create("com.bool.held", DISPATCH_QUEUE_SERIAL)
      dispatch_suspend(queue)
      for _ in 1...2 { dispatch_group_async(group, queue) { lab.note("never") } }
      lab.note("about to wait for the group")
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      return unended
    },
  ]
}
