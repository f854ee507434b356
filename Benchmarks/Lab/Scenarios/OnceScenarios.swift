// OnceScenarios.swift: dispatch_once. Its recursion is DeadlockScenarios.swift.
import SignalboxCNames

enum OnceScenarios {
  static let all: [Scenario] = [
    Scenario(
      "once-singleton", "Eight threads ask for a shared instance", .practice, "B6",
      article: "dispatch_once makes singletons: the initialiser runs one time",
      documents: "the block is executed once and only once"
    ) { lab in
      let once = OnceFlag(), instance = Box<Int?>(nil), meeting = Meeting(of: 8), group = dispatch_group_create()
      let seen = Box<[Int?]>([])
      for _ in 1...8 {
        dispatch_group_async(group, dispatch_get_global_queue(0, 0)) {
          meeting.arrive()
          once.run {
            lab.note("the instance is made")
            instance.value = 1
          }
          seen.value += [instance.value]
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      let count = lab.texts.count
      lab.expect(count == 1, "made once", "\(count) times")
      lab.expect(seen.value.allSatisfy { $0 == 1 }, "everybody finds it made", "\(seen.value)")
      return "made once; every caller found it"
    },
    Scenario(
      "once-means-once", "The block of dispatch_once, called for a hundred times", .survey, "B6",
      article: "the summary of the listing: atomics and a semaphore see to it that the block may run several times only",
      documents: "the block is executed once and only once",
      errs: "it is executed once, which is also what the article says elsewhere"
    ) { lab in
      let once = OnceFlag()
      dispatch_apply(100, DISPATCH_APPLY_AUTO) { _ in once.run { lab.note("the block") } }
      lab.expect(lab.texts == ["the block"], "once", "\(lab.texts.count) times")
      return "100 calls, 1 run"
    },
    Scenario(
      "once-others-wait", "A second thread calls dispatch_once while the block runs", .notes, "B6",
      article: "called by several threads at a time it may block them",
      documents: "what the block initialises may be used after the call returns: so every call returns after the block"
    ) { lab in
      let once = OnceFlag(), begun = Gate(), goOn = Gate()
      let first = lab.thread {
        once.run {
          lab.note("the block begins")
          begun.open()
          goOn.pass()
          lab.note("the block ends")
        }
      }
      begun.pass()
      let second = lab.thread {
        lab.note("the second call begins")
        once.run { lab.note("never") }
        lab.note("the second call returns")
      }
      lab.awaitSleep(ofThreadThatNoted: "the second call begins")
      goOn.open()
      first.pass()
      second.pass()
      lab.expectOrder("the second call begins", "the block ends", "the second call returns")
      lab.expect(!lab.texts.contains("never"), "the second block never runs", "it ran")
      return "the second caller slept until the block had ended"
    },
  ]
}
