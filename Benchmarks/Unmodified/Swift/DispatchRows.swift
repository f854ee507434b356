// DispatchRows.swift: queues, groups, semaphores, work items and timers, by `import Dispatch`.
import Dispatch

// SAFETY: bumped by items that one serial queue orders one after the other.
private final class Tally: @unchecked Sendable {
  var count = 0
}

let dispatchRows: [Row] = asyncRows + syncRows + signalRows + objectRows

private let asyncRows = [
  Row("async-empty", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.serial")
    return { count in
      for _ in 0..<count { queue.async { opaque() } }
      queue.sync { opaque() }
    }
  },
  Row("async-counting", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.serial")
    let tally = Tally()
    return { count in
      for _ in 0..<count { queue.async { tally.count &+= 1 } }
      queue.sync { opaque() }
    }
  },
  Row("async-values", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.serial")
    return { count in
      for number in 0..<count { queue.async { opaque(number &+ count) } }
      queue.sync { opaque() }
    }
  },
  Row("async-one-wakes", batch: 200) {
    let queue = DispatchQueue(label: "bench.serial")
    let semaphore = DispatchSemaphore(value: 0)
    return { count in
      for _ in 0..<count {
        queue.async { semaphore.signal() }
        semaphore.wait()
      }
    }
  },
  Row("async-concurrent", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
    return { count in
      for _ in 0..<count { queue.async { opaque() } }
      queue.sync(flags: .barrier) { opaque() }
    }
  },
  Row("async-barrier", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
    return { count in
      for _ in 0..<count { queue.async(flags: .barrier) { opaque() } }
      queue.sync(flags: .barrier) { opaque() }
    }
  },
  Row("async-group", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.serial")
    let group = DispatchGroup()
    return { count in
      for _ in 0..<count { queue.async(group: group) { opaque() } }
      group.wait()
    }
  },
  Row("async-group-global", batch: 10_000) {
    let group = DispatchGroup()
    return { count in
      for _ in 0..<count { DispatchQueue.global().async(group: group) { opaque() } }
      group.wait()
    }
  },
  Row("after", batch: 1_000) {
    let queue = DispatchQueue(label: "bench.timers")
    let group = DispatchGroup()
    return { count in
      for _ in 0..<count {
        group.enter()
        queue.asyncAfter(deadline: .now() + .microseconds(100)) { group.leave() }
      }
      group.wait()
    }
  },
]

private let syncRows = [
  Row("sync-serial", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.serial")
    return { count in for _ in 0..<count { queue.sync { opaque() } } }
  },
  Row("sync-value", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.serial")
    let tally = Tally()
    return { count in for _ in 0..<count { opaque(queue.sync { tally.count }) } }
  },
  Row("sync-concurrent", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
    return { count in for _ in 0..<count { queue.sync { opaque() } } }
  },
  Row("sync-barrier", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
    return { count in for _ in 0..<count { queue.sync(flags: .barrier) { opaque() } } }
  },
  Row("perform", batch: 100_000) { { count in DispatchQueue.concurrentPerform(iterations: count) { opaque($0) } } },
  Row("perform-2", batch: 1_000) {
    { count in for _ in 0..<count { DispatchQueue.concurrentPerform(iterations: 2) { opaque($0) } } }
  },
  Row("specific", batch: 10_000) {
    let queue = DispatchQueue(label: "bench.serial")
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 1)
    return { count in queue.sync { for _ in 0..<count { opaque(DispatchQueue.getSpecific(key: key) ?? 0) } } }
  },
]

private let signalRows = [
  Row("group-enter-leave", batch: 10_000) {
    let group = DispatchGroup()
    return { count in
      for _ in 0..<count {
        group.enter()
        group.leave()
      }
    }
  },
  Row("group-notify", batch: 1_000) {
    let queue = DispatchQueue(label: "bench.serial")
    let group = DispatchGroup()
    return { count in
      for _ in 0..<count { group.notify(queue: queue) { opaque() } }
      queue.sync { opaque() }
    }
  },
  Row("semaphore", batch: 10_000) {
    let semaphore = DispatchSemaphore(value: 0)
    return { count in
      for _ in 0..<count {
        semaphore.signal()
        semaphore.wait()
      }
    }
  },
]

private let objectRows = [
  Row("queue-create", batch: 1_000) { { count in for _ in 0..<count { keep(DispatchQueue(label: "bench.short")) } } },
  Row("queue-create-use", batch: 1_000) {
    { count in for _ in 0..<count { DispatchQueue(label: "bench.short").sync { opaque() } } }
  },
  Row("group-create", batch: 1_000) { { count in for _ in 0..<count { keep(DispatchGroup()) } } },
  Row("item-perform", batch: 1_000) { { count in for _ in 0..<count { DispatchWorkItem { opaque() }.perform() } } },
  Row("item-async", batch: 1_000) {
    let queue = DispatchQueue(label: "bench.serial")
    return { count in
      for _ in 0..<count { queue.async(execute: DispatchWorkItem { opaque() }) }
      queue.sync { opaque() }
    }
  },
  Row("item-notify", batch: 1_000) {
    let queue = DispatchQueue(label: "bench.serial")
    return { count in
      for _ in 0..<count {
        let item = DispatchWorkItem { opaque() }
        item.notify(queue: queue) { opaque() }
        item.perform()
      }
      queue.sync { opaque() }
    }
  },
]
