// MisuseScenarios.swift: calls out of balance and objects treated as they must not be. Waits without end: DeadlockScenarios.swift.
import SignalboxCNames

enum MisuseScenarios {
  private static let survived = "nothing stopped it"

  static let all: [Scenario] = [
    Scenario(
      "group-left-too-often", "enter in the outer loop, leave in the inner one", .survey, "B7",
      article: "one enter and several leaves: the program crashes", documents: "enter and leave have to be balanced",
      expect: .stops(["left more often than entered"])
    ) { lab in
      let group = dispatch_group_create(), queue = dispatch_queue_create("files", DISPATCH_QUEUE_SERIAL)
      for folder in 1...2 {
        dispatch_group_enter(group)
        for file in 1...2 {
          dispatch_sync(queue) {
            lab.note("folder \(folder), file \(file): leave")
            dispatch_group_leave(group)
          }
        }
      }
      return survived
    },
    Scenario(
      "resumed-too-often", "A queue resumed more often than suspended", .survey, "B5",
      article: "dispatch objects can be suspended and resumed",
      documents: "resume without a suspension ends the process", expect: .stops(["\"com.bool.dispatch\" is resumed more often"])
    ) { lab in
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
      dispatch_suspend(queue)
      dispatch_resume(queue)
      lab.note("balanced so far")
      dispatch_resume(queue)
      return survived
    },
    Scenario(
      "inactive-queue-dropped", "An inactive queue is dropped before it was activated", .survey, "B5",
      article: "an inactive queue must be activated before it runs its blocks",
      documents: "releasing the last reference of an inactive object is undefined", expect: .stops(["is freed while inactive"])
    ) { lab in
      lab.note("made, not activated, dropped")
      _ = dispatch_queue_create("com.bool.inactive", DISPATCH_QUEUE_SERIAL_INACTIVE)
      return survived
    },
    Scenario(
      "retargeted-after-activation", "A queue that was inactive gets another target once it is active", .notes, "B4",
      article: "the target is set after the queue was created",
      documents: "for queues that were inactive once, changing the target after activation ends the process",
      errs: "it holds for plain queues of dispatch_queue_create only, see target-retarget-later",
      expect: .stops(["is retargeted after it was activated"])
    ) { lab in
      let queue = dispatch_queue_create("com.thread.demo", DISPATCH_QUEUE_SERIAL_INACTIVE)
      dispatch_activate(queue)
      lab.note("active")
      dispatch_set_target_queue(queue, dispatch_queue_create("com.thread.serial", DISPATCH_QUEUE_SERIAL))
      return survived
    },
    Scenario(
      "target-cycle", "A target that leads back to the queue", .notes, "B4, G1",
      article: "a hierarchy is built by setting targets; cycles are not spoken of",
      documents: "a cycle in the hierarchy is undefined", expect: .stops(["\"first\" -> \"second\" -> \"first\""])
    ) { lab in
      let first = dispatch_queue_create("first", DISPATCH_QUEUE_SERIAL_INACTIVE)
      let second = dispatch_queue_create_with_target("second", DISPATCH_QUEUE_SERIAL_INACTIVE, first)
      lab.note("second targets first")
      dispatch_set_target_queue(first, second)
      return survived
    },
    Scenario(
      "semaphore-dropped-while-held", "A semaphore used as a lock is dropped before it is given back", .survey, "B8",
      article: "a semaphore may serve as a lock: wait before, signal after",
      documents: "nothing is stated about one that goes below its start value",
      expect: .stops(["created with the value 1 is freed with the value 0"])
    ) { lab in
      do {
        let semaphore = DispatchSemaphore(value: 1)
        semaphore.wait()
        lab.note("taken, not given back")
      }
      return survived
    },
    Scenario(
      "wrong-queue-caught", "A precondition that names the wrong queue", .collections, "B5",
      article: "data of one thread is touched by another while it changes",
      documents: "the assertion ends the process unless the running item belongs to the queue",
      expect: .stops(["expected to run on queue \"owner\""])
    ) { lab in
      let owner = DispatchQueue(label: "owner")
      owner.sync { dispatchPrecondition(condition: .onQueue(owner)) }
      lab.note("on the queue: passed")
      DispatchQueue(label: "stranger").sync { dispatchPrecondition(condition: .onQueue(owner)) }
      return survived
    },
  ]
}
