// ProblemScenarios.swift: what goes wrong without deadlock: lost updates, priority inversion. Hangs are DeadlockScenarios.swift.
import SignalboxCNames

enum ProblemScenarios {
  static let all: [Scenario] = [
    Scenario(
      "lost-update", "Two threads add 1 to a number that is 0", .survey, "G1",
      article: "both read 0, both write 1: the result is 1 where 2 was meant",
      documents: "unordered items may interleave in any way"
    ) { lab in
      let number = Box(0), haveRead = Meeting(of: 2), group = dispatch_group_create()
      for name in ["A", "B"] {
        dispatch_group_async(group, dispatch_get_global_queue(0, 0)) {
          let read = number.value
          lab.note("\(name) reads \(read)")
          haveRead.arrive()
          number.value = read + 1
          lab.note("\(name) writes \(read + 1)")
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      lab.expect(number.value == 1, "1 in this interleaving", "\(number.value)")
      return "0 + 1 + 1 made \(number.value)"
    },
    Scenario(
      "lost-update-cured", "The same on a serial queue", .survey, "B2, G1",
      article: "with protection the second thread waits until the first is through",
      documents: "a serial queue runs one item at a time"
    ) { lab in
      let number = Box(0), queue = dispatch_queue_create("com.bool.lock", DISPATCH_QUEUE_SERIAL)
      let meeting = Meeting(of: 2)
      dispatch_apply(2, DISPATCH_APPLY_AUTO) { _ in
        meeting.arrive()
        dispatch_sync(queue) {
          let read = number.value
          pause(milliseconds: 2)
          number.value = read + 1
          lab.note("wrote \(read + 1)")
        }
      }
      lab.expect(number.value == 2, "2", "\(number.value)")
      return "0 + 1 + 1 made \(number.value)"
    },
    Scenario(
      "priority-inversion", "A high thread waits for what a low item holds, others go between", .survey, "B12",
      article: "a high task is blocked by a low one, which in turn is kept from running by tasks in between",
      documents:
        "a semaphore has no owner whose class could be raised; work of a higher class is scheduled before a lower one's",
      environment: ["SIGNALBOX_MAX_THREADS": "1"]
    ) { lab in
      let resource = dispatch_semaphore_create(1), low = dispatch_get_global_queue(QOS_CLASS_BACKGROUND, 0)
      let taken = Gate(), group = dispatch_group_create()
      dispatch_group_async(group, low) {
        dispatch_semaphore_wait(resource, DISPATCH_TIME_FOREVER)
        lab.note("low takes the resource")
        taken.open()
      }
      taken.pass()
      let high = Box<Gate?>(nil)
      TargetScenarios.holdingTheOnlyThread(lab) {
        high.value = lab.thread {
          lab.note("high waits for it")
          dispatch_semaphore_wait(resource, DISPATCH_TIME_FOREVER)
          lab.note("high has it")
          dispatch_semaphore_signal(resource)
        }
        lab.awaitSleep(ofThreadThatNoted: "high waits for it")
        dispatch_group_async(group, low) {
          lab.note("low gives it back")
          dispatch_semaphore_signal(resource)
        }
        for number in 1...3 {
          dispatch_group_async(group, dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0)) { lab.note("in between \(number)") }
        }
      }
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER)
      high.value?.pass()
      lab.expectOrder("high waits for it", "in between 1", "low gives it back", "high has it")
      let back = lab.texts.firstIndex(of: "low gives it back") ?? -1
      lab.expect(
        lab.texts.firstIndex(of: "in between 3").map { $0 < back } == true,
        "all in between before the low one", lab.order())
      return "three items of the middle class went before the high thread"
    },
  ]
}
