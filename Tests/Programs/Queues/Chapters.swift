// Chapters.swift: the chapters about queues, items and groups. Order, time and hierarchies are in MoreChapters.swift.
import Dispatch

func serial() {
  let queue = DispatchQueue(label: "serial")
  let order = Shared<[Int]>([])
  for number in 0..<500 { queue.async { order.change { $0.append(number) } } }
  queue.sync {}
  say("serial order", order.value == Array(0..<500))
  say("sync result", queue.sync { 40 + 2 })
  struct Failure: Error {}
  do { try queue.sync { throw Failure() } } catch { say("sync throws", error) }
  say("label", queue.label)
}

func concurrent() {
  let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
  let sum = Shared(0), arrived = DispatchSemaphore(value: 0), go = DispatchSemaphore(value: 0)
  // Two bodies that each need the other to have begun: they must run at the same time.
  queue.async {
    arrived.signal()
    go.wait()
  }
  queue.async {
    arrived.wait()
    go.signal()
  }
  for number in 1...300 { queue.async { sum.change { $0 += number } } }
  queue.sync(flags: .barrier) {}
  say("concurrent sum", sum.value)
}

func globals() {
  let done = Shared(0), group = DispatchGroup()
  let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated, .userInteractive]
  for quality in classes {
    for _ in 0..<50 { DispatchQueue.global(qos: quality).async(group: group) { done.change { $0 += 1 } } }
  }
  group.wait()
  say("global queues", done.value)
  // More items that wait than there are processors.
  let gate = DispatchSemaphore(value: 0), waiters = DispatchGroup()
  for _ in 0..<8 { DispatchQueue(label: "waiter").async(group: waiters) { gate.wait() } }
  for _ in 0..<8 { gate.signal() }
  waiters.wait()
  say("eight serial queues that wait", "all through")
}

func groups() {
  let group = DispatchGroup(), queue = DispatchQueue(label: "group"), order = Shared<[String]>([])
  group.enter()
  queue.async(group: group) { order.change { $0.append("member") } }
  queue.async {
    order.change { $0.append("entered") }
    group.leave()
  }
  let notified = DispatchSemaphore(value: 0)
  group.notify(queue: queue) {
    order.change { $0.append("notified") }
    notified.signal()
  }
  notified.wait()
  say("group order", order.value)
  group.notify(queue: queue, work: DispatchWorkItem { notified.signal() })
  notified.wait()
  say("notify of an empty group", "came")
}

func groupTimeouts() {
  let group = DispatchGroup()
  group.enter()
  say("group wait in time", group.wait(timeout: .now() + .milliseconds(10)) == .success)
  say("group wait on the wall", group.wait(wallTimeout: .now() + .milliseconds(10)) == .success)
  group.leave()
  say("group wait after leave", group.wait(timeout: .now() + 120) == .success)
}

func workItems() {
  let queue = DispatchQueue(label: "items")
  let runs = Shared(0), after = DispatchSemaphore(value: 0)
  let item = DispatchWorkItem { runs.change { $0 += 1 } }
  item.notify(queue: queue) { after.signal() }
  queue.async(execute: item)
  item.wait()
  after.wait()
  say("item", "ran \(runs.value) time")
  let direct = DispatchWorkItem { runs.change { $0 += 10 } }
  direct.perform()
  direct.wait()
  say("performed item", runs.value)
  let flagged = DispatchWorkItem(qos: .userInitiated, flags: [.enforceQoS, .assignCurrentContext]) { runs.change { $0 += 100 } }
  DispatchQueue.global().async(execute: flagged)
  flagged.wait()
  say("flagged item", runs.value)
  queue.sync(execute: DispatchWorkItem { runs.change { $0 += 1_000 } })
  say("sync item", runs.value)
}

func cancelledItems() {
  let queue = DispatchQueue(label: "cancelled")
  let runs = Shared(0)
  queue.suspend()
  let item = DispatchWorkItem { runs.change { $0 += 1 } }
  queue.async(execute: item)
  item.cancel()
  queue.resume()
  item.wait()
  say("cancelled item", "ran \(runs.value) times, isCancelled \(item.isCancelled)")
  let late = DispatchWorkItem { runs.change { $0 += 1 } }
  queue.asyncAfter(deadline: .now() + 3_600, execute: late)
  late.cancel()
  say("cancelled before its time", late.isCancelled)
  let slow = DispatchSemaphore(value: 0)
  let waited = DispatchWorkItem { slow.wait() }
  queue.async(execute: waited)
  say("item wait in time", waited.wait(timeout: .now() + .milliseconds(10)) == .success)
  slow.signal()
  say("item wait", waited.wait(timeout: .now() + 120) == .success)
}

func barriers() {
  let queue = DispatchQueue(label: "barriers", attributes: .concurrent)
  let inside = Shared(0), most = Shared(0), order = Shared<[String]>([]), group = DispatchGroup()
  for round in 0..<20 {
    for _ in 0..<5 {
      queue.async(group: group) { inside.change { $0 += 1 } }
    }
    queue.async(group: group, flags: .barrier) {
      let seen = inside.value
      if seen == (round + 1) * 5 { most.change { $0 += 1 } }
    }
  }
  group.wait()
  say("barriers that saw all before and none after", most.value)
  queue.async { order.change { $0.append("reader") } }
  queue.sync(flags: .barrier) { order.change { $0.append("barrier") } }
  queue.sync { order.change { $0.append("reader") } }
  say("barrier order", order.value)
}

func perform() {
  let seen = Shared(Array(repeating: 0, count: 2_000))
  DispatchQueue.concurrentPerform(iterations: 2_000) { index in seen.change { $0[index] += 1 } }
  say("concurrentPerform, each index once", seen.value.allSatisfy { $0 == 1 })
  let nested = Shared(0)
  DispatchQueue.concurrentPerform(iterations: 8) { _ in
    DispatchQueue.concurrentPerform(iterations: 8) { _ in nested.change { $0 += 1 } }
  }
  say("nested concurrentPerform", nested.value)
  DispatchQueue.concurrentPerform(iterations: 0) { _ in say("never", "") }
}
