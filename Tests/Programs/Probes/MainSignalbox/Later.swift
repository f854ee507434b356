// Later.swift: scenarios about main-queue items that come later: delayed, or told by a group.
import Glibc

/// Delayed items run on the main queue, in the order of their deadlines and not early.
func after() {
  DispatchQueue.main.asyncAfter(wallDeadline: .now()) { say("wall") }
  let start = DispatchTime.now()
  for delay in [600, 200, 400] {
    DispatchQueue.main.asyncAfter(deadline: start + .milliseconds(delay)) {
      say("after \(delay), early: \(DispatchTime.now() < start + .milliseconds(delay))")
      if delay == 200 { sayThread("delayed") }
      if delay == 600 { finish() }
    }
  }
}

/// A delayed item wakes a main thread that has long been asleep; the distant future never comes.
func afterFar() {
  DispatchQueue.main.asyncAfter(deadline: .distantFuture) { say("distant future") }
  let item = DispatchWorkItem { say("cancelled") }
  DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(50), execute: item)
  item.cancel()
  DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(300)) {
    say("woken")
    finish()
  }
}

/// A group tells the main queue when its members, on several queues, have left.
func notify() {
  let group = DispatchGroup()
  let ran = Shared(0)
  let lock = DispatchQueue(label: "count")
  for _ in 0..<50 {
    DispatchQueue.global().async(group: group) { lock.sync { ran.value += 1 } }
    lock.async(group: group) { ran.value += 1 }
  }
  group.notify(queue: .main) {
    say("told after \(lock.sync { ran.value })")
    sayThread("notification")
    // The group is empty now: it tells at once.
    group.notify(queue: .main, work: DispatchWorkItem { finish() })
    say("again")
  }
}
