// Snapshot.swift: the figures of a running program at one moment, for exporters; and as one line of JSON. What is
// counted of queues is QueueFigures.swift in SignalboxDispatch.
public import SignalboxDiagnosis
public import SignalboxDispatch
import SignalboxSystem

/// Figures of the running program: queues, threads of the pool, timers, and locks whose statistics are on.
///
/// ```
/// Snapshot.startCounting()
/// …
/// for queue in Snapshot.take().queues { print(queue.label, queue.pending, queue.done, queue.waits.quantile(0.95) ?? 0)
/// }
/// ```
/// Counting is off at first. While it is on, a queue is counted from its first drain on: its items exactly, by its own
/// positions, which takes no work for each item; the time that they wait by a sample, one of 64 of what each thread
/// submits. A queue that is counted for the first time costs allocations and a lock.
///
/// Thread safety: everything here may be used from any thread. In the child of a fork there are no figures.
public struct Snapshot: Sendable {
  /// One queue.
  ///
  /// ```swift
  /// for queue in Snapshot.take().queues where queue.pending > 100 {
  ///   print(queue.label, queue.qos, queue.pending, queue.done, queue.oldestPending ?? 0)
  /// }
  /// ```
  public struct Queue: Sendable {
    /// The label.
    public let label: String
    /// The class given at creation.
    public let qos: DispatchQoS.QoSClass
    /// The number of items that wait in the queue, barriers and turns of queues that target it included.
    public let pending: Int
    /// The number of items that were started since the queue is counted.
    public let done: UInt64
    /// The time, in seconds, that the oldest item in the queue has waited at least; nil if there is none that was there
    /// at the snapshot before.
    ///
    /// It is counted at each snapshot, so it may be too short by the time between two of them, and by a quarter or so
    /// of long waits. With `SIGNALBOX_INSPECT=1` it is counted once a second. Not known of global queues.
    public let oldestPending: Double?
    /// How long sampled items have waited, from submission to start.
    public let waits: Waits
  }

  /// The threads of one band of classes.
  ///
  /// ```swift
  /// for pool in Snapshot.take().pools {
  ///   print(pool.name, pool.threads, pool.running, pool.idle, pool.limit)
  /// }
  /// ```
  public struct Pool: Sendable {
    /// `default` for the three more urgent classes, `utility` or `background`.
    public let name: String
    /// The number of threads.
    public let threads: Int
    /// The number of threads that are awake and not known to be blocked.
    public let running: Int
    /// The number of threads that sleep without work.
    public let idle: Int
    /// The largest number of threads.
    public let limit: Int
  }

  /// The time, in seconds since 1970.
  public let time: Double
  /// The queues that are counted, in no order; those that have gone are left out.
  public let queues: [Queue]
  /// The threads of the pool; empty before the first is made.
  public let pools: [Pool]
  /// The number of timers that are armed.
  public let armedTimers: Int
  /// The figures of locks while `LockStatistics` is on. To find what a lock without a name is called, the first
  /// snapshot takes longer.
  public let locks: [LockStatistics.Usage]

  // MARK: counting

  /// Starts to count queues. `SIGNALBOX_FIGURES=1` does this at the first use of a queue.
  ///
  /// ```swift
  /// Snapshot.startCounting()
  /// DispatchQueue(label: "orders").sync {}
  /// print(Snapshot.take().queues.count)
  /// Snapshot.stopCounting()
  /// ```
  public static func startCounting() { EngineFigures.start() }

  /// Takes no more samples, and counts no more queues anew; what is known stays.
  ///
  /// ```swift
  /// Snapshot.stopCounting()
  /// print(Snapshot.isCounting)  // false
  /// ```
  public static func stopCounting() { EngineFigures.stop() }

  /// Whether queues are counted.
  public static var isCounting: Bool { EngineFigures.isOn }

  /// The figures of this moment. Complexity: linear in the number of queues.
  ///
  /// ```swift
  /// let figures = Snapshot.take()
  /// print(figures.queues.count, figures.pools.count, figures.armedTimers, figures.locks.count)
  /// ```
  public static func take() -> Snapshot {
    let scale = EngineFigures.secondsPerTick
    return Snapshot(
      time: Double(Clock.wall() / 1_000) / 1e6,
      queues: EngineFigures.queues().map { figure in
        Queue(
          label: figure.label, qos: figure.qos, pending: Int(clamping: figure.pending), done: figure.done,
          oldestPending: figure.oldest, waits: Waits(counts: figure.waits, secondsPerTick: scale))
      },
      pools: EngineFigures.pools().map {
        Pool(name: $0.name, threads: $0.threads, running: $0.running, idle: $0.idle, limit: $0.limit)
      }, armedTimers: EngineFigures.armedTimers, locks: LockStatistics.figures())
  }
}

// MARK: as one line of JSON

extension Snapshot {
  /// The figures as one JSON object on one line. Times are in seconds.
  public var json: String {
    Self.object([
      ("time", "\(time)"), ("queues", Self.list(queues.map(\.json))), ("pools", Self.list(pools.map(\.json))),
      ("timers", "\(armedTimers)"), ("locks", Self.list(locks.map(Self.json))),
    ])
  }

  private static func json(_ lock: LockStatistics.Usage) -> String {
    object([
      ("name", JSONText.quoted(lock.name)), ("acquisitions", "\(lock.acquisitions)"), ("contended", "\(lock.contended)"),
      ("waited", "\(Double(lock.totalWait) / 1e9)"), ("longest", "\(Double(lock.longestWait) / 1e9)"),
    ])
  }

  fileprivate static func list(_ texts: [String]) -> String { "[\(texts.joined(separator: ","))]" }
  fileprivate static func object(_ fields: [(String, String)]) -> String {
    "{\(fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
  }
}

extension Snapshot.Queue {
  fileprivate var json: String {
    let quantiles = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].map { name, part in
      (name, waits.quantile(part).map { "\($0)" } ?? "null")
    }
    return Snapshot.object(
      [
        ("label", JSONText.quoted(label)), ("class", "\"\(qos)\""), ("pending", "\(pending)"), ("done", "\(done)"),
        ("oldest", oldestPending.map { "\($0)" } ?? "null"), ("samples", "\(waits.count)"),
      ] + quantiles)
  }
}

extension Snapshot.Pool {
  fileprivate var json: String {
    Snapshot.object([
      ("name", "\"\(name)\""), ("threads", "\(threads)"), ("running", "\(running)"), ("idle", "\(idle)"), ("limit", "\(limit)"),
    ])
  }
}

// MARK: the times of tasks, which are a part of the figures

extension Tasks {
  /// Notes from now on for how long each task runs and is queued on Signalbox's queues, and since when it is what it
  /// is: see ``Tasks/Task/times`` and ``Tasks/Snapshot/functions``.
  ///
  /// Times are a part of the figures: this is `Snapshot.startCounting()`, and `Snapshot.stopCounting()` ends it. For
  /// each address at which tasks lie 64 bytes are kept, at most 131,072 of them, without a lock. The toolchain's own
  /// pool notes nothing: `Signalbox.adoptConcurrency()` moves tasks to Signalbox's.
  ///
  /// Thread safety: any thread.
  ///
  /// ```swift
  /// Tasks.track()
  /// let slowest = Tasks.snapshot().functions.first
  /// print(slowest?.busy ?? 0)  // seconds; more once tasks have run
  /// ```
  public static func track() { EngineFigures.start() }
}
