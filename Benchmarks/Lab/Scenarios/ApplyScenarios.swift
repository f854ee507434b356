// ApplyScenarios.swift: dispatch_apply, the parallel loop.
import SignalboxCNames

enum ApplyScenarios {
  static let all: [Scenario] = [
    Scenario(
      "apply-for-a-loop", "dispatch_apply in place of a loop over ten images", .survey, "B6",
      article: "it is synchronous: the caller is blocked until all blocks are through; on a concurrent queue the order is open",
      documents: "it waits for all invocations; on a concurrent queue they may run at the same time"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.download", DISPATCH_QUEUE_CONCURRENT)
      dispatch_apply(10, queue) { lab.note("image \($0)") }
      lab.note("apply has returned")
      lab.expectAll((0..<10).map { "image \($0)" }, beginning: "image")
      lab.expect(lab.texts.last == "apply has returned", "it returns last", lab.order())
      return "each index once, then it returned"
    },
    Scenario(
      "apply-runs-at-once", "Two invocations that wait for each other", .survey, "B6",
      article: "on a concurrent queue the invocations run at the same time",
      documents: "if the queue is concurrent, the block may be invoked concurrently: nothing may rely on it"
    ) { lab in
      let queue = dispatch_queue_create("com.bool.download", DISPATCH_QUEUE_CONCURRENT), meeting = Meeting(of: 2)
      dispatch_apply(2, queue) {
        meeting.arrive()
        lab.note("index \($0)")
      }
      lab.expectAll(["index 0", "index 1"], beginning: "index")
      return "both were under way at once, on \(lab.threads().joined(separator: ", "))"
    },
    Scenario(
      "apply-on-a-serial-queue", "dispatch_apply on a serial queue", .survey, "B6",
      article: "in place of a loop it has no use on a serial queue",
      documents: "only a concurrent queue lets invocations overlap: on a serial one it is a loop"
    ) { lab in
      let crowd = Crowd()
      dispatch_apply(5, dispatch_queue_create("com.bool.apply", DISPATCH_QUEUE_SERIAL)) { index in
        crowd.with(linger: 1) { lab.note("index \(index)") }
      }
      lab.expectOrder((0..<5).map { "index \($0)" })
      lab.expect(crowd.peak == 1, "one at a time", "\(crowd.peak)")
      return "\(lab.order()), on \(lab.threads().joined(separator: ", "))"
    },
    Scenario(
      "apply-or-group", "dispatch_apply blocks its caller, a group does not", .survey, "B6, B7",
      article: "who does not want to block the current thread takes a group",
      documents: "dispatch_apply returns when all has been done; group_async and notify return at once"
    ) { lab in
      let gate = Gate(), notified = Gate(), group = dispatch_group_create(), queue = dispatch_get_global_queue(0, 0)
      for number in 1...3 {
        dispatch_group_async(group, queue) {
          gate.pass()
          lab.note("image \(number)")
        }
      }
      dispatch_group_notify(group, queue) { notified.open() }
      lab.note("the caller goes on")
      gate.open()
      notified.pass()
      lab.expect(lab.texts.first == "the caller goes on", "the caller goes on first", lab.order())
      return "the caller went on while three images were held"
    },
  ]
}
