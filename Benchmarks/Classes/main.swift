// main.swift: a program that knows nothing of Signalbox and times items of one class of service beside work of another:
// `BenchClasses ROW` prints the median, the 95th percentile and the longest of its samples in milliseconds. Scripts/measure-classes
// runs it in turn on both libraries.
import Dispatch
import Glibc

/// One thing that is timed: this many samples, each after a pause, beside a load.
struct Row {
  let samples: Int
  let pause: Double
  let load: @Sendable (Flag) -> Void
  /// One sample, in milliseconds.
  let sample: @Sendable () -> Double
}

/// Milliseconds from the submission of an item to its beginning. The submitter then sleeps in the kernel, so that no wait of the
/// library's takes part.
@Sendable func delay(of submit: (@escaping @Sendable () -> Void) -> Void) -> Double {
  let began = Flag()
  nonisolated(unsafe) var end = 0.0  // SAFETY: read after the flag was seen
  let start = now()
  submit {
    end = now()
    began.raise()
  }
  while !began.isUp { sleep(milliseconds: 0.5) }
  return end - start
}

@Sendable func delay(on queue: DispatchQueue) -> Double { delay { queue.async(execute: $0) } }
@Sendable func delay(of priority: TaskPriority) -> Double { delay { work in _ = Task.detached(priority: priority) { work() } } }

let urgent = DispatchQueue.global(qos: .userInteractive)
let low = DispatchQueue.global(qos: .background)

/// Milliseconds that an urgent item waits for a queue which a background item holds for 5 ms.
@Sendable func waitForHeld() -> Double {
  let held = DispatchQueue(label: "held", target: low)
  let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  held.async {
    began.signal()
    burn(5)
  }
  began.wait()
  nonisolated(unsafe) var spent = 0.0  // SAFETY: read after the semaphore's wait
  urgent.async {
    let start = now()
    held.sync {}
    spent = now() - start
    ended.signal()
  }
  ended.wait()
  return spent
}

/// Milliseconds that an urgent item waits for a queue of its own class, or of none, that a background item holds for 5 ms by `sync`.
@Sendable func waitForHolder(
  isConcurrent: Bool = false, isAlone: Bool = false, by wait: @escaping @Sendable (DispatchQueue) -> Void
) -> Double {
  let held = DispatchQueue(label: "held", attributes: isConcurrent ? .concurrent : [])
  let began = DispatchSemaphore(value: 0)
  low.async {
    held.sync(flags: isAlone ? .barrier : []) {
      began.signal()
      burn(5)
    }
  }
  began.wait()
  return spent { wait(held) }
}

/// Milliseconds that an enforced urgent item waits behind 200 background items of 1 ms.
@Sendable func waitBehind(_ queue: DispatchQueue) -> Double {
  let all = DispatchGroup()
  for _ in 0..<200 { queue.async(group: all) { burn(1) } }
  let spent = delay { queue.async(qos: .userInteractive, flags: .enforceQoS, execute: $0) }
  all.wait()
  return spent
}

/// Milliseconds that an urgent item takes for `work`, which waits.
@Sendable func spent(in work: @escaping @Sendable () -> Void) -> Double {
  let ended = DispatchSemaphore(value: 0)
  nonisolated(unsafe) var spent = 0.0  // SAFETY: read after the semaphore's wait
  urgent.async {
    let start = now()
    work()
    spent = now() - start
    ended.signal()
  }
  ended.wait()
  return spent
}

/// Milliseconds that an urgent item waits for the last of 20 background items of 0.2 ms.
@Sendable func waitForLast(of queue: DispatchQueue) -> Double {
  nonisolated(unsafe) let last = DispatchWorkItem { burn(0.2) }  // SAFETY: an item is for all threads
  for _ in 0..<19 { queue.async { burn(0.2) } }
  queue.async(execute: last)
  return spent { last.wait() }
}

/// Milliseconds that an urgent item waits for a group of 20 background items of 0.2 ms.
@Sendable func waitForAll(of queue: DispatchQueue) -> Double {
  let group = DispatchGroup()
  for _ in 0..<20 { queue.async(group: group) { burn(0.2) } }
  return spent { group.wait() }
}

let rows: [String: Row] = [
  "urgent-quiet": Row(samples: 200, pause: 2, load: { _ in }) { delay(on: urgent) },
  "urgent-computing": Row(samples: 200, pause: 3, load: { compute(on: low, until: $0) }) { delay(on: urgent) },
  "urgent-serial": Row(samples: 200, pause: 3, load: { compute(on: low, until: $0) }) {
    delay(on: DispatchQueue(label: "urgent", target: urgent))
  },
  "urgent-short": Row(samples: 200, pause: 3, load: { flood(low, until: $0) }) { delay(on: urgent) },
  "flooded-default": Row(samples: 40, pause: 3, load: { flood(urgent, until: $0) }) { delay(on: .global()) },
  "flooded-background": Row(samples: 40, pause: 3, load: { flood(urgent, until: $0) }) { delay(on: low) },
  "flooded-task": Row(samples: 40, pause: 3, load: { floodOfTasks(.high, until: $0) }) { delay(of: .low) },
  "held": Row(samples: 40, pause: 3, load: { compute(on: .global(), until: $0) }) { waitForHeld() },
  "held-sync": Row(samples: 40, pause: 3, load: { compute(on: .global(), until: $0) }) { waitForHolder { $0.sync {} } },
  "held-item": Row(samples: 40, pause: 3, load: { compute(on: .global(), until: $0) }) {
    waitForHolder { queue in
      let item = DispatchWorkItem {}
      queue.async(execute: item)
      item.wait()
    }
  },
  "held-barrier": Row(samples: 40, pause: 3, load: { compute(on: .global(), until: $0) }) {
    waitForHolder(isConcurrent: true, isAlone: true) { $0.sync {} }
  },
  "held-reader": Row(samples: 40, pause: 3, load: { compute(on: .global(), until: $0) }) {
    waitForHolder(isConcurrent: true) { $0.sync(flags: .barrier) {} }
  },
  "waited-item": Row(samples: 40, pause: 3, load: { compute(on: .global(), until: $0) }) { waitForLast(of: low) },
  "waited-item-serial": Row(samples: 40, pause: 3, load: { compute(on: .global(), until: $0) }) {
    waitForLast(of: DispatchQueue(label: "serial", target: low))
  },
  "waited-group": Row(samples: 40, pause: 3, load: { compute(on: .global(), until: $0) }) { waitForAll(of: low) },
  "enforced": Row(samples: 5, pause: 3, load: { _ in }) { waitBehind(low) },
  "enforced-serial": Row(samples: 5, pause: 3, load: { compute(on: .global(), until: $0) }) {
    waitBehind(DispatchQueue(label: "serial", target: low))
  },
]

guard CommandLine.arguments.count == 2, let row = rows[CommandLine.arguments[1]] else {
  print("usage: BenchClasses \(rows.keys.sorted().joined(separator: "|"))")
  exit(64)
}
row.load(Flag())
sleep(milliseconds: 100)
var times: [Double] = []
for _ in 0..<row.samples {
  sleep(milliseconds: row.pause)
  times.append(row.sample())
}
times.sort()
print(times[times.count / 2], times[times.count * 95 / 100], times[times.count - 1])
exit(0)
