// RecordingSummary.swift: a recording in tables: queues with their items' times, and what threads waited for.
import SignalboxCommandLine
import SignalboxRecorder

/// What a recording says in numbers.
public struct RecordingSummary {
  private let recording: RecordingFile
  private let counts: Counts

  /// Goes through the recording.
  public init(_ recording: RecordingFile) {
    self.recording = recording
    var counts = Counts(TimelineNames(recording))
    Replay.run(recording, &counts)
    self.counts = counts
  }

  /// Times of the items of one queue, in nanoseconds.
  struct Queue {
    var items = 0
    var waiting: [UInt64] = []
    var running: [UInt64] = []
    var depth = 0
  }

  /// Waits for one thing.
  struct Waits {
    var times: [UInt64] = []
    var longest: UInt64 = 0
    var holder = ""
  }

  struct Counts: TimelineSink {
    let names: TimelineNames
    var queues: [String: Queue] = [:]
    var waits: [String: Waits] = [:]
    var lost: UInt64 = 0

    init(_ names: TimelineNames) { self.names = names }

    mutating func submitted(_ item: TimelineItem, by thread: Int, at time: UInt64) {}
    mutating func began(_ slice: TimelineSlice, on thread: Int) {
      guard let item = slice.item else { return }
      let name = names.queue(item.queue, at: slice.begin)
      queues[name, default: Queue()].items += 1
      if let submitted = item.submitted { queues[name]?.waiting.append(slice.begin - min(slice.begin, submitted.time)) }
    }
    mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: UInt64) {
      let span = time - min(time, slice.begin)
      if let item = slice.item { queues[names.queue(item.queue, at: slice.begin)]?.running.append(span) }
      guard slice.kind == .waitBegan else { return }
      let name = names.object(slice.object, at: slice.begin)
      waits[name, default: Waits()].times.append(span)
      if span >= waits[name]?.longest ?? 0 {
        waits[name]?.longest = span
        waits[name]?.holder = names.holder(slice.number, at: slice.begin)
      }
    }
    mutating func depth(_ depth: Int, of queue: UInt64, at time: UInt64) {
      let name = names.queue(queue, at: time)
      queues[name, default: Queue()].depth = max(queues[name]?.depth ?? 0, depth)
    }
    mutating func marked(_ name: UInt64, _ number: UInt64, on thread: Int, at time: UInt64) {}
    mutating func fired(_ object: UInt64, late: UInt64?, on thread: Int, at time: UInt64) {}
    mutating func gap(_ count: UInt64, on thread: Int, at time: UInt64) { lost += count }
  }

  /// The least time that `hundredth` of a hundred do not exceed.
  static func percentile(_ sorted: [UInt64], _ hundredth: Int) -> UInt64 {
    sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, (sorted.count * hundredth + 99) / 100 - 1)]
  }

  private static let columns = [50, 95, 99, 100]
  private func times(_ all: [UInt64]) -> [UInt64] {
    let sorted = all.sorted()
    return Self.columns.map { Self.percentile(sorted, $0) }
  }

  private var sortedQueues: [(key: String, value: Queue)] {
    counts.queues.sorted { ($1.value.items, $0.key) < ($0.value.items, $1.key) }
  }
  private var sortedWaits: [(key: String, value: Waits)] {
    counts.waits.sorted { ($1.value.longest, $0.key) < ($0.value.longest, $1.key) }
  }
  private var lost: UInt64 { counts.lost + recording.lostEvents }

  /// For people.
  public var text: String {
    var lines = [
      "\(recording.threads.count) threads; the recording \(recording.isComplete ? "was stopped in order" : "has no end: the program was killed, or runs still")"
    ]
    if recording.seconds > 0 { lines.append("the last \(recording.seconds) seconds of it, as far as there was room") }
    if lost > 0 { lines.append("\(lost) events were lost: figures are of those that are left") }
    if recording.lostNames > 0 { lines.append("\(recording.lostNames) names were lost") }
    lines += ["", "Queues (times: half of all, 95 %, 99 %, the longest)"]
    for (name, queue) in sortedQueues {
      lines.append("  \(name): \(queue.items) items, at most \(queue.depth) waiting")
      lines.append("    waited \(words(times(queue.waiting)))")
      lines.append("    ran    \(words(times(queue.running)))")
    }
    lines += ["", "Waits"]
    for (name, waits) in sortedWaits {
      let holder = waits.holder.isEmpty ? "" : "; the longest while \(waits.holder) had it"
      lines.append("  \(name): \(waits.times.count) times, \(words(times(waits.times)))\(holder)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func words(_ times: [UInt64]) -> String { times.map(Self.word).joined(separator: "  ") }
  static func word(_ time: UInt64) -> String {
    switch time {
    case ..<10_000: "\(time) ns"
    case ..<10_000_000: "\(time / 1_000) us"
    case ..<10_000_000_000: "\(time / 1_000_000) ms"
    default: "\(time / 1_000_000_000) s"
    }
  }

  /// For programs.
  public var json: JSON {
    func spans(_ all: [UInt64]) -> JSON {
      .object(zip(["p50", "p95", "p99", "longest"], times(all)).map { ($0, .number(Double($1))) })
    }
    return .object([
      ("complete", .boolean(recording.isComplete)), ("threads", .number(Double(recording.threads.count))),
      ("lostEvents", .number(Double(lost))), ("lostNames", .number(Double(recording.lostNames))),
      (
        "queues",
        .array(
          sortedQueues.map { name, queue in
            .object([
              ("name", .string(name)), ("items", .number(Double(queue.items))), ("greatestDepth", .number(Double(queue.depth))),
              ("waiting", spans(queue.waiting)), ("running", spans(queue.running)),
            ])
          })
      ),
      (
        "waits",
        .array(
          sortedWaits.map { name, waits in
            .object([
              ("name", .string(name)), ("count", .number(Double(waits.times.count))), ("times", spans(waits.times)),
              ("holderAtLongest", waits.holder.isEmpty ? .null : .string(waits.holder)),
            ])
          })
      ),
    ])
  }
}
