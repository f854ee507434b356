// MoreChapters.swift: the chapters about waiting, time, hierarchies and what a queue knows of itself.
import Dispatch

func semaphores() {
  let semaphore = DispatchSemaphore(value: 2)
  semaphore.wait()
  semaphore.wait()
  say("semaphore in time", semaphore.wait(timeout: .now() + .milliseconds(10)) == .success)
  say("semaphore on the wall", semaphore.wait(wallTimeout: .now() + .milliseconds(10)) == .success)
  DispatchQueue.global().async { semaphore.signal() }
  semaphore.wait()
  say("signal without a waiter", semaphore.signal())
  semaphore.wait()
  semaphore.signal()
  semaphore.signal()
  let inside = Shared(0), most = Shared(0)
  DispatchQueue.concurrentPerform(iterations: 50) { _ in
    semaphore.wait()
    inside.change { $0 += 1 }
    let now = inside.value
    most.change { $0 = max($0, now) }
    inside.change { $0 -= 1 }
    semaphore.signal()
  }
  say("at most two inside", most.value <= 2)
}

func delays() {
  let queue = DispatchQueue(label: "delays"), done = DispatchSemaphore(value: 0), order = Shared<[Int]>([])
  let start = DispatchTime.now()
  queue.asyncAfter(deadline: start + .milliseconds(20)) { done.signal() }
  done.wait()
  say("asyncAfter, not early", DispatchTime.now() >= start + .milliseconds(20))
  queue.asyncAfter(wallDeadline: .now() + .milliseconds(20)) { done.signal() }
  done.wait()
  say("asyncAfter on the wall", "came")
  // Armed while the queue stands still, so that their order is that of their times whatever the machine does meanwhile.
  queue.suspend()
  let now = DispatchTime.now()
  for delay in [40, 10, 30, 20] {
    queue.asyncAfter(deadline: now + .milliseconds(delay)) {
      order.change { $0.append(delay) }
      done.signal()
    }
  }
  queue.resume()
  for _ in 0..<4 { done.wait() }
  say("delays", order.value.sorted())
  queue.asyncAfter(deadline: .now() - 1) { done.signal() }
  done.wait()
  say("a deadline in the past", "came")
  say("time arithmetic", DispatchTime(uptimeNanoseconds: 1_000) + .microseconds(2) == DispatchTime(uptimeNanoseconds: 3_000))
}

let depthKey = DispatchSpecificKey<String>()

func specifics() {
  let root = DispatchQueue(label: "root"), leaf = DispatchQueue(label: "leaf", target: root)
  root.setSpecific(key: depthKey, value: "root's")
  say("specific inherited", leaf.sync { DispatchQueue.getSpecific(key: depthKey) ?? "none" })
  leaf.setSpecific(key: depthKey, value: "leaf's")
  say("specific own", leaf.sync { DispatchQueue.getSpecific(key: depthKey) ?? "none" })
  say("specific asked from outside", leaf.getSpecific(key: depthKey) ?? "none")
  leaf.setSpecific(key: depthKey, value: nil)
  say("specific removed", leaf.getSpecific(key: depthKey) ?? "none")
  say("specific outside", DispatchQueue.getSpecific(key: depthKey) ?? "none")
}

func suspension() {
  let queue = DispatchQueue(label: "suspension"), runs = Shared(0)
  queue.suspend()
  queue.suspend()
  for _ in 0..<10 { queue.async { runs.change { $0 += 1 } } }
  queue.resume()
  say("still suspended", runs.value)
  queue.resume()
  queue.sync {}
  say("resumed", runs.value)
  // Suspended by its own item: the next one waits.
  let done = DispatchSemaphore(value: 0)
  queue.async { queue.suspend() }
  queue.async { done.signal() }
  say("suspended from inside", done.wait(timeout: .now() + .milliseconds(20)) == .success)
  queue.resume()
  done.wait()
}

func activation() {
  let queue = DispatchQueue(label: "inactive", attributes: .initiallyInactive), runs = Shared(0)
  let target = DispatchQueue(label: "target of the inactive")
  queue.async { runs.change { $0 += 1 } }
  queue.setTarget(queue: target)
  say("inactive", runs.value)
  queue.activate()
  queue.activate()
  queue.sync {}
  say("activated", runs.value)
}

func targets() {
  let root = DispatchQueue(label: "root")
  let branches = (0..<4).map { DispatchQueue(label: "branch \($0)", attributes: .concurrent, target: root) }
  let inside = Shared(0), most = Shared(0), group = DispatchGroup(), count = Shared(0)
  for round in 0..<100 {
    branches[round % 4].async(group: group) {
      inside.change { $0 += 1 }
      let now = inside.value
      most.change { $0 = max($0, now) }
      inside.change { $0 -= 1 }
      count.change { $0 += 1 }
    }
  }
  group.wait()
  say("a serial root", "\(count.value) items, at most \(most.value) at once")
  let deep = (0..<20).reduce(root) { target, number in DispatchQueue(label: "level \(number)", target: target) }
  say("twenty levels", deep.sync { "reached" })
}

func attributes() {
  let queue = DispatchQueue(
    label: "attributes", qos: .utility, attributes: [.concurrent], autoreleaseFrequency: .workItem,
    target: .global(qos: .background))
  say("qos of a queue", queue.qos.qosClass == .utility)
  say("qos of a global queue", DispatchQueue.global(qos: .userInitiated).qos.qosClass == .userInitiated)
}

func timers() {
  let queue = DispatchQueue(label: "timers"), done = DispatchSemaphore(value: 0), count = Shared(0)
  let timer = DispatchSource.makeTimerSource(queue: queue)
  timer.schedule(deadline: .now() + .milliseconds(5), repeating: .milliseconds(5), leeway: .milliseconds(1))
  timer.setEventHandler {
    count.change { $0 += 1 }
    if count.value == 3 { timer.cancel() }
  }
  timer.setCancelHandler { done.signal() }
  timer.resume()
  done.wait()
  say("timer", "fired \(count.value) times, isCancelled \(timer.isCancelled)")
}

func preconditions() {
  let queue = DispatchQueue(label: "preconditions"), other = DispatchQueue(label: "other")
  queue.sync {
    dispatchPrecondition(condition: .onQueue(queue))
    dispatchPrecondition(condition: .notOnQueue(other))
  }
  queue.async(flags: .barrier) { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
  queue.sync {}
  say("preconditions", "held")
}
