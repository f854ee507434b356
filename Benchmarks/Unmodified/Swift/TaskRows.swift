// TaskRows.swift: Swift's concurrency, whose tasks reach libdispatch through the runtime library.
import Dispatch

private actor Counter {
  private var count = 0
  func bump() { count &+= 1 }
}

/// Two of these call each other: every call leaves one actor and enters the next.
private actor Partner {
  func play(_ left: Int, _ other: Partner) async { if left > 0 { await other.play(left - 1, self) } }
}

@MainActor private func onMain() { opaque() }
private nonisolated func inPool(_ number: Int) async -> Int {
  opaque()
  return number
}

let taskRows = [
  TaskRow("task-await", batch: 1_000) { count in for _ in 0..<count { await Task { opaque() }.value } },
  TaskRow("task-detached-burst", batch: 1_000) { count in
    var tasks: [Task<Void, Never>] = []
    tasks.reserveCapacity(count)
    for _ in 0..<count { tasks.append(Task.detached { opaque() }) }
    for task in tasks { await task.value }
  },
  TaskRow("task-group", batch: 100_000) { count in
    await withTaskGroup(of: Void.self) { group in for _ in 0..<count { group.addTask { opaque() } } }
  },
  TaskRow("async-let", batch: 1_000) { count in
    for number in 0..<count {
      async let one = inPool(number)
      async let other = inPool(number)
      opaque(await one &+ other)
    }
  },
  TaskRow("yield", batch: 1_000) { count in for _ in 0..<count { await Task.yield() } },
  TaskRow("main-actor", batch: 500) { count in for _ in 0..<count { await onMain() } },
  TaskRow("actor-call", batch: 10_000) { count in
    let counter = Counter()
    for _ in 0..<count { await counter.bump() }
  },
  TaskRow("actor-hops", batch: 1_000) { count in await Partner().play(count, Partner()) },
  TaskRow("actor-crowd", batch: 1_000) { count in
    // Several tasks want one actor at once.
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { for _ in 0..<count / 4 { await counter.bump() } } }
    }
  },
  TaskRow("sleep", batch: 20) { count in
    for _ in 0..<count { try? await Task.sleep(until: .now, tolerance: .zero, clock: .continuous) }
  },
  TaskRow("sleep-plain", batch: 20) { count in for _ in 0..<count { try? await Task.sleep(nanoseconds: 1) } },
  TaskRow("sleep-tolerant", batch: 20) { count in
    for _ in 0..<count { try? await Task.sleep(for: .nanoseconds(1), tolerance: .microseconds(10)) }
  },
  TaskRow("stream", batch: 1_000) { count in
    let (there, toThere) = AsyncStream<Int>.makeStream()
    let (back, toBack) = AsyncStream<Int>.makeStream()
    async let echo: Void = {
      for await number in there { toBack.yield(number) }
      toBack.finish()
    }()
    var answers = back.makeAsyncIterator()
    for number in 0..<count {
      toThere.yield(number)
      _ = await answers.next()
    }
    toThere.finish()
    await echo
  },
  TaskRow("continuation", batch: 500) { count in
    let queue = DispatchQueue(label: "bench.serial")
    for _ in 0..<count {
      await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
  },
]
