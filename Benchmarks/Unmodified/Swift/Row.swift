// Row.swift: a piece of work, and how it is timed: again and again until the time is up. What the work is: the other files.
import Glibc

/// A piece of work by a thread: `prepare` makes what it needs, the function it returns does this many operations.
struct Row: Sendable {
  let name: String
  /// Operations per call: the same on every library, so that both meet the same backlog.
  let batch: Int
  let prepare: @Sendable () -> (Int) -> Void

  init(_ name: String, batch: Int, prepare: @escaping @Sendable () -> (Int) -> Void) {
    (self.name, self.batch, self.prepare) = (name, batch, prepare)
  }

  /// Nanoseconds per operation.
  func measure(_ budget: Duration) -> Double {
    let work = prepare()
    var stopwatch = Stopwatch(batch, budget)
    while let count = stopwatch.next() { work(count) }
    return stopwatch.nanoseconds
  }
}

/// A piece of work by a task.
struct TaskRow: Sendable {
  let name: String
  let batch: Int
  let work: @Sendable (Int) async -> Void

  init(_ name: String, batch: Int, work: @escaping @Sendable (Int) async -> Void) {
    (self.name, self.batch, self.work) = (name, batch, work)
  }

  func measure(_ budget: Duration) async -> Double {
    var stopwatch = Stopwatch(batch, budget)
    while let count = stopwatch.next() { await work(count) }
    return stopwatch.nanoseconds
  }
}

/// Says how many operations are to be run next. The first calls warm up, for a third of the time; then it counts.
private struct Stopwatch {
  private enum Phase { case new, warmingUp, timing }

  private let batch: Int
  private let budget: Duration
  private var phase = Phase.new
  private var start = ContinuousClock.now
  private var callStart = ContinuousClock.now
  private var calls: [Duration] = []

  init(_ batch: Int, _ budget: Duration) {
    self.batch = budget == .zero ? min(batch, 200) : batch
    self.budget = budget
    calls.reserveCapacity(10_000)
  }

  /// The median of the calls, so that calls in which another program had the processor do not count.
  var nanoseconds: Double {
    let sorted = calls.sorted()
    return (sorted[(calls.count - 1) / 2] + sorted[calls.count / 2]) / .nanoseconds(2 * batch)
  }

  mutating func next() -> Int? {
    let now = ContinuousClock.now
    switch phase {
    case .new: (phase, start) = (.warmingUp, now)
    case .warmingUp: if now - start >= budget / 3 { (phase, start) = (.timing, now) }
    case .timing:
      calls.append(now - callStart)
      if now - start >= budget { return nil }
    }
    callStart = now
    return batch
  }
}

func report(_ nanoseconds: Double) { print(nanoseconds) }

func fail(_ message: String) -> Never {
  let line = "BenchProgramSwift: \(message)\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
  exit(64)
}

/// A body that the optimiser cannot see into.
@inline(never) @_optimize(none) func opaque() {}
@inline(never) @_optimize(none) func opaque(_ value: Int) {}
@inline(never) @_optimize(none) func keep(_ object: AnyObject?) {}
