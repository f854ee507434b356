// Submission.swift: scenarios about items given to the main queue, from before dispatchMain() and from other threads.
// Delays and notifications are in Later.swift, queues that target the main queue in Targets.swift.

/// Items submitted before dispatchMain() wait for it and run in order.
func order() {
  for number in 0..<5 { DispatchQueue.main.async { say("item \(number)") } }
  DispatchQueue.main.async {
    sayThread("item")
    finish()
  }
  say("submitted")
}

/// Items of four threads, each thread's in its order.
func fromWorkers() {
  let next = Shared([0, 0, 0, 0])
  let group = DispatchGroup()
  for worker in 0..<4 {
    DispatchQueue.global().async(group: group) {
      for number in 0..<5000 {
        DispatchQueue.main.async {
          if next.value[worker] != number { say("item \(number) of worker \(worker) is out of order") }
          next.value[worker] = number + 1
        }
      }
    }
  }
  group.notify(queue: .main) {
    say("ran \(next.value)")
    finish()
  }
}

/// An item that the main queue's item submits runs after it.
func nested() {
  DispatchQueue.main.async {
    DispatchQueue.main.async { say("inner") }
    DispatchQueue.main.async {
      say("last")
      finish()
    }
    say("outer")
  }
}

/// Barriers on the main queue take their turn.
func barriers() {
  DispatchQueue.main.async { say("first") }
  DispatchQueue.main.async(flags: .barrier) { say("barrier") }
  DispatchQueue.main.async(qos: .utility, flags: .enforceQoS) { say("utility") }
  DispatchQueue.main.async {
    say("last")
    finish()
  }
}

/// A worker syncs onto the main queue behind the items submitted before.
func syncFromWorker() {
  DispatchQueue.main.async { say("before") }
  DispatchQueue.global().async {
    let answer = DispatchQueue.main.sync { () -> Int in
      sayThread("sync")
      return 42
    }
    say("answer \(answer)")
    do {
      try DispatchQueue.main.sync(flags: .barrier) { throw Refusal.always }
    } catch {
      say("error \(error)")
    }
    DispatchQueue.main.sync(execute: DispatchWorkItem { say("work item") })
    finish()
  }
}

private enum Refusal: Error { case always }

/// Threads sync onto the main queue beside one another; one is inside at a time.
func syncFromManyWorkers() {
  let number = Shared(0)
  let group = DispatchGroup()
  for worker in 0..<4 {
    DispatchQueue(label: "worker \(worker)").async(group: group) {
      for _ in 0..<500 { DispatchQueue.main.sync { number.value += 1 } }
    }
  }
  group.notify(queue: .main) {
    say("counted \(number.value)")
    finish()
  }
}

/// Work items on the main queue: waited for, cancelled, notification of completion.
func workItems() {
  let item = Shared(DispatchWorkItem { say("item") })
  let cancelled = DispatchWorkItem { say("cancelled") }
  let both = DispatchGroup()
  for _ in 0..<2 { both.enter() }
  item.value.notify(queue: .main) {
    say("told")
    both.leave()
  }
  cancelled.cancel()
  DispatchQueue.main.async(execute: cancelled)
  DispatchQueue.global().async {
    item.value.wait()
    both.leave()
  }
  both.notify(queue: .main) {
    say("waited")
    finish()
  }
  DispatchQueue.main.async(execute: item.value)
}
