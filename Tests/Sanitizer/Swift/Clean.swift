// Clean.swift: cases without a race: each order comes from a dispatch object, or from Swift's concurrency on top of them.
import Synchronization

private func countOn(_ queues: DispatchQueue...) {
  let group = DispatchGroup()
  for _ in 0..<many { for queue in queues { queue.async(group: group) { state.count += 1 } } }
  group.wait()
}

private actor Counter {
  func add() { state.count += 1 }
}

let cleanCases = [
  Case("serial") { countOn(DispatchQueue(label: "serial")) },
  Case("hierarchy") {
    let base = DispatchQueue(label: "base")
    let middle = DispatchQueue(label: "middle", attributes: .concurrent, target: base)
    countOn(base, middle, DispatchQueue(label: "top", target: middle))
  },
  Case("barriers") {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let seen = Atomic(0)
    for _ in 0..<many {
      queue.async(flags: .barrier) { state.count += 1 }
      queue.sync { _ = seen.add(state.count, ordering: .relaxed) }
    }
    queue.sync(flags: .barrier) { state.count += 1 }
  },
  Case("items") {
    let (queue, done) = (DispatchQueue(label: "items"), DispatchSemaphore(value: 0))
    let item = DispatchWorkItem { state.count += 1 }
    item.notify(queue: queue) { done.signal() }
    queue.async(execute: item)
    done.wait()
    queue.sync { state.count += 1 }
  },
  Case("waited-for") {
    let item = DispatchWorkItem { state.count += 1 }
    DispatchQueue.global().async(execute: item)
    item.wait()
    state.count += 1
  },
  Case("notifications") {
    let (group, done) = (DispatchGroup(), DispatchSemaphore(value: 0))
    DispatchQueue.global().async(group: group) { state.count += 1 }
    group.notify(queue: .global()) {
      state.count += 1
      done.signal()
    }
    done.wait()
    state.count += 1
  },
  Case("timers") {
    let (queue, done) = (DispatchQueue(label: "timers"), DispatchSemaphore(value: 0))
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    timer.setEventHandler {
      state.count += 1
      if state.count >= 20 { timer.cancel() }
    }
    timer.setCancelHandler { done.signal() }
    timer.activate()
    done.wait()
    queue.sync { state.count += 1 }
  },
  Case("parts") {
    let parts = (0..<64).map { _ in State() }
    DispatchQueue.concurrentPerform(iterations: parts.count) { parts[$0].count = $0 }
    state.count = parts.reduce(0) { $0 + $1.count }
  },
  Case("main") {
    DispatchQueue.global().async {
      countOn(DispatchQueue.main, DispatchQueue(label: "on main", target: .main))
      DispatchQueue.main.sync { state.count += 1 }
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(1)) { finish() }
    }
    dispatchMain()
  },
  Case("actor") {
    let counter = Counter()
    runAsync { await withTaskGroup { group in for _ in 0..<many { group.addTask { await counter.add() } } } }
  },
  Case("main-actor") {
    runAsync {
      await withTaskGroup { group in
        for _ in 0..<many {
          group.addTask { await MainActor.run { state.count += 1 } }
          group.addTask {
            await withCheckedContinuation { continuation in
              DispatchQueue.main.async {
                state.count += 1
                continuation.resume()
              }
            }
          }
        }
      }
      // There, since Swift's runtime gives the sanitizer no order from a continuation that is resumed before it is awaited.
      await MainActor.run {}
    }
  },
]
