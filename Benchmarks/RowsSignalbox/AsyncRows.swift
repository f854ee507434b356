// AsyncRows.swift: `async` as it is used most: submit many items, wait for the last. Deep backlogs are BacklogRows.swift.
import BenchSupport

/// Items per call: enough that waking the worker and waiting for the last one hardly counts.
private let itemsPerCall = 50_000

/// What a closure may hold on to.
private final class Cargo: Sendable {
  let weight: Int
  init(_ weight: Int) { self.weight = weight }
}

func asyncRows() -> [Row] {
  [
    serial("async-serial", "async of an empty closure", bar: .ratio(6), floor: .storedCall) { queue, count in
      for _ in 0..<count { queue.async { opaqueBody() } }
    },
    Row(
      "async-serial-counting", .async, "async of a closure that counts in a captured counter", bar: .ratio(2.5),
      floor: .storedContext(bytes: 24), batch: .fixed(itemsPerCall)
    ) {
      let queue = DispatchQueue(label: "bench.serial")
      let tally = Tally()
      return .timed { count in
        for _ in 0..<count { queue.async { tally.bump() } }
        queue.sync { opaqueBody() }
      }
    },
    serial(
      "async-serial-values", "async of a closure that captures two values", bar: .ratio(1.7), floor: .storedContext(bytes: 32)
    ) { queue, count in
      for number in 0..<count { queue.async { opaqueBody(number &+ count) } }
    },
    serial(
      "async-serial-object", "async of a closure that captures a fresh object and a value", bar: .ratio(1.7),
      floor: .storedContext(bytes: 48)
    ) { queue, count in
      for number in 0..<count {
        let cargo = Cargo(number)
        queue.async { opaqueBody(cargo.weight &+ number) }
      }
    },
    Row(
      "async-serial-2-threads", .async, "async of an empty closure by 2 threads at once", bar: .ratio(2), floor: .storedCall,
      batch: .fixed(2 * itemsPerCall)
    ) {
      let queue = DispatchQueue(label: "bench.serial")
      let crew = Crew(threads: 2) { _, share in for _ in 0..<share { queue.async { opaqueBody() } } }
      return .selfTimed { count in
        let submitting = crew.run(count)
        let start = monotonicNanoseconds()
        queue.sync { opaqueBody() }
        return submitting + monotonicNanoseconds() - start
      }
    },
    concurrent("async-concurrent", "async of an empty closure on a concurrent queue", bar: .ratio(5), flags: []),
    concurrent("async-barrier", "async of a barrier on a concurrent queue", bar: .notSlower, flags: .barrier),
    Row(
      "async-global", .async, "async on a global queue of a closure that counts down", bar: .notSlower,
      floor: .storedContext(bytes: 24), batch: .fixed(itemsPerCall)
    ) {
      let countDown = CountDown()
      return .timed { count in
        countDown.arm(count)
        for _ in 0..<count { DispatchQueue.global().async { countDown.hit() } }
        countDown.wait()
      }
    },
    Row(
      "async-global-group", .async, "async of an empty closure on a global queue, in a group", bar: .ratio(5),
      floor: .storedCall, batch: .fixed(itemsPerCall)
    ) {
      let queue = DispatchQueue.global()
      let group = DispatchGroup()
      return .timed { count in
        for _ in 0..<count { queue.async(group: group) { opaqueBody() } }
        group.wait()
      }
    },
  ]
}

private func serial(
  _ name: String, _ operation: String, bar: Bar, floor: Floor, submit: @escaping (DispatchQueue, Int) -> Void
) -> Row {
  Row(name, .async, operation, bar: bar, floor: floor, batch: .fixed(itemsPerCall)) {
    let queue = DispatchQueue(label: "bench.serial")
    return .timed { count in
      submit(queue, count)
      queue.sync { opaqueBody() }
    }
  }
}

private func concurrent(_ name: String, _ operation: String, bar: Bar, flags: DispatchWorkItemFlags) -> Row {
  Row(name, .async, operation, bar: bar, floor: .storedCall, batch: .fixed(itemsPerCall)) {
    let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
    return .timed { count in
      for _ in 0..<count { queue.async(flags: flags) { opaqueBody() } }
      queue.sync(flags: .barrier) { opaqueBody() }
    }
  }
}
