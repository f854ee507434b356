// Targets.swift: scenarios about queues that target the main queue, and about what main-queue items know of themselves.
import Glibc

/// Items of queues that target the main queue run in its turn: one at a time with its own.
func target() {
  let queue = DispatchQueue(label: "on main", target: .main)
  let wide = DispatchQueue(label: "wide on main", attributes: .concurrent, target: .main)
  let number = Shared(0)
  let group = DispatchGroup()
  for _ in 0..<1000 {
    queue.async(group: group) { number.value += 1 }
    wide.async(group: group) { number.value += 1 }
    DispatchQueue.main.async(group: group) { number.value += 1 }
  }
  group.notify(queue: queue) {
    say("counted \(number.value)")
    sayThread("item")
    finish()
  }
}

/// A sync from a worker onto a queue that targets the main queue runs where the main queue runs.
func targetSync() {
  let queue = DispatchQueue(label: "on main", target: .main)
  let above = DispatchQueue(label: "above", target: queue)
  DispatchQueue.global().async {
    let answer = queue.sync { () -> Int in
      sayThread("sync")
      return 1
    }
    say("answer \(answer)")
    above.sync { sayThread("sync through two") }
    above.sync(flags: .barrier) { dispatchPrecondition(condition: .onQueue(.main)) }
    finish()
  }
}

/// Suspending the main queue has no effect; neither has resuming it.
func suspension() {
  DispatchQueue.main.suspend()
  DispatchQueue.main.async { say("ran") }
  DispatchQueue.global().async {
    DispatchQueue.main.suspend()
    DispatchQueue.main.sync { say("sync") }
    DispatchQueue.main.resume()
    DispatchQueue.main.resume()
    DispatchQueue.main.resume()
    DispatchQueue.main.async {
      say("last")
      finish()
    }
  }
}

/// Values set on the main queue, and conditions, as its items and those of its sources see them.
func specific() {
  let key = DispatchSpecificKey<String>()
  DispatchQueue.main.setSpecific(key: key, value: "main")
  say("set: \(DispatchQueue.main.getSpecific(key: key) ?? "nothing")")
  let queue = DispatchQueue(label: "on main", target: .main)
  DispatchQueue.main.async {
    say("item: \(DispatchQueue.getSpecific(key: key) ?? "nothing")")
    dispatchPrecondition(condition: .onQueue(.main))
    dispatchPrecondition(condition: .onQueueAsBarrier(.main))
    dispatchPrecondition(condition: .notOnQueue(queue))
  }
  queue.async {
    say("source: \(DispatchQueue.getSpecific(key: key) ?? "nothing")")
    dispatchPrecondition(condition: .onQueue(.main))
    dispatchPrecondition(condition: .onQueue(queue))
    DispatchQueue.global().async {
      say("worker: \(DispatchQueue.getSpecific(key: key) ?? "nothing")")
      dispatchPrecondition(condition: .notOnQueue(.main))
      finish()
    }
  }
}

/// Before dispatchMain() the main thread already counts as on the main queue.
func beforeMain() {
  dispatchPrecondition(condition: .onQueue(.main))
  let key = DispatchSpecificKey<Int>()
  DispatchQueue.main.setSpecific(key: key, value: 3)
  say("value \(DispatchQueue.getSpecific(key: key) ?? 0)")
  let queue = DispatchQueue(label: "other")
  queue.sync { say("label \(DispatchQueue.main.label), other \(queue.label)") }
  queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
  finish()
}

/// concurrentPerform and waiting for others work from a main-queue item.
func performOnMain() {
  DispatchQueue.main.async {
    let counts = Shared([Int](repeating: 0, count: 4))
    let guardian = DispatchQueue(label: "guardian")
    DispatchQueue.concurrentPerform(iterations: 100) { index in guardian.sync { counts.value[index % 4] += 1 } }
    say("counts \(guardian.sync { counts.value })")
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { say("worker") }
    group.wait()
    let semaphore = DispatchSemaphore(value: 0)
    guardian.async { semaphore.signal() }
    semaphore.wait()
    finish()
  }
}
