// PageData+Columns.swift: the form in which a page carries a recording: columns of numbers, and one JSON object with all names. Read by
// recording.js.
import SignalboxCommandLine
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

extension PageData {
  /// The kinds of slices by their number in the page.
  static let kinds: [EventKind] = [
    .started, .turnBegan, .waitBegan, .parked, .intervalBegan, .operationBegan, .onceBegan, .transferBegan,
  ]
  /// Activities are one kind: the number is that of `onceBegan`.
  private static func number(of kind: EventKind) -> UInt64 {
    UInt64(kinds.firstIndex(of: kind) ?? kinds.firstIndex(of: .onceBegan) ?? 0)
  }

  /// Columns by name. Times are differences: a slice's beginning to that of the slice before, its length to its beginning.
  var columns: [(name: String, column: PageColumn)] {
    sliceColumns + waitingColumns + markColumns + timerColumns + activityColumns + [("tasks", tasks.column)]
  }

  /// `head`: the kind, and bits for what the other columns have of it. `extra`: of submitted items how long they
  /// waited, the thread that submitted them, their class and what they follow; of added operations how long ago that
  /// was, the thread that added them, how long they depended on others and on which last; of waits that a thread ended
  /// how long before the end, and which thread; of intervals the lower and the upper half of the number; of sources the
  /// data; of transfers the bytes, what was asked for, and the error.
  private var sliceColumns: [(name: String, column: PageColumn)] {
    var begin = PageColumn(), length = PageColumn(), head = PageColumn(), thread = PageColumn(), what = PageColumn()
    var whose = PageColumn(), extra = PageColumn(), before: ReadNumber = 0
    for slice in slices {
      begin.append(slice.begin - min(slice.begin, before))
      before = max(slice.begin, before)
      length.append(slice.end - slice.begin)
      let kind = Self.number(of: slice.kind)
      head.append(
        kind | (slice.isBarrier || slice.isMarked ? 8 : 0) | (slice.isSubmitted ? 16 : 0) | (slice.isCut ? 32 : 0))
      thread.append(slice.thread)
      if slice.kind != .turnBegan, slice.kind != .parked { what.append(slice.what) }
      if slice.kind != .intervalBegan, slice.kind != .parked { whose.append(slice.whose) }
      for number in Self.extra(of: slice) { extra.append(number) }
    }
    return [
      ("begin", begin), ("length", length), ("head", head), ("thread", thread), ("what", what), ("whose", whose),
      ("extra", extra),
    ]
  }

  private static func number(_ number: UInt32) -> ReadNumber { ReadNumber(UInt64(number)) }

  private static func extra(of slice: Slice) -> [ReadNumber] {
    switch slice.kind {
    case .started where slice.isSubmitted:
      [slice.begin - slice.extra, number(slice.submitter), ReadNumber(count: slice.serviceClass.rawValue), number(slice.other)]
    case .operationBegan where slice.isSubmitted:
      [slice.begin - slice.extra, number(slice.submitter), slice.more, number(slice.other)]
    case .waitBegan where slice.isMarked: [slice.end - min(slice.end, slice.extra), number(slice.submitter)]
    case .intervalBegan: [slice.extra & 0xFFFF_FFFF, slice.extra >> 32]
    case .sourceBegan: [slice.extra]
    case .transferBegan: [slice.extra, slice.more, number(slice.other)]
    default: []
    }
  }

  private var waitingColumns: [(name: String, column: PageColumn)] {
    var column = PageColumn(), before: ReadNumber = 0
    for item in waiting {
      column.append(item.submitted - before)
      before = item.submitted
      column.append(item.end - min(item.end, item.submitted))
      column.append(item.thread)
      column.append(item.queue)
      column.append(item.function)
      column.append(UInt64(item.serviceClass.rawValue) | (item.isBarrier ? 8 : 0))
    }
    return [("waiting", column)]
  }

  private var markColumns: [(name: String, column: PageColumn)] {
    var column = PageColumn(), before: ReadNumber = 0
    for mark in marks {
      column.append(mark.time - min(mark.time, before))
      before = max(mark.time, before)
      column.append(mark.thread)
      column.append(mark.note)
      column.append(mark.number & 0xFFFF_FFFF)
      column.append(mark.number >> 32)
    }
    return [("marks", column)]
  }

  /// The lateness is one more than it is, 0 if it is not known.
  private var timerColumns: [(name: String, column: PageColumn)] {
    var column = PageColumn(), before: ReadNumber = 0
    for timer in timers {
      column.append(timer.time - min(timer.time, before))
      before = max(timer.time, before)
      column.append(timer.thread)
      column.append(timer.object)
      column.append(timer.late.map { $0 + 1 } ?? 0)
    }
    return [("timers", column)]
  }

  /// The count is one more than it is, 0 if there is none.
  private var activityColumns: [(name: String, column: PageColumn)] {
    var column = PageColumn(), before: ReadNumber = 0
    for activity in activities {
      column.append(activity.time - min(activity.time, before))
      before = max(activity.time, before)
      column.append(activity.thread)
      column.append(activity.text)
      column.append(activity.count.map { $0 + 1 } ?? 0)
    }
    return [("activities", column)]
  }

  /// How many events the recording has.
  var eventCount: Int { recording.threads.reduce(0) { $0 + $1.events.count } }

  /// Everything that is not a column.
  func header(summary: JSON) -> JSON {
    func number(_ value: some BinaryInteger) -> JSON { .number(Double(value)) }
    func number(_ value: ReadNumber) -> JSON { .number(value.double) }
    func texts(_ all: [String]) -> JSON { .array(all.map { .string($0) }) }
    let program = recording.images.first?.path.split(separator: "/").last.map(String.init) ?? "program"
    return .object([
      ("program", .string(program)), ("process", number(recording.process)),
      ("wall", number(recording.wall + begin - min(begin, recording.start))),
      ("complete", .boolean(recording.isComplete)), ("damage", recording.damage.words.map { .string($0) } ?? .null),
      ("seconds", number(recording.seconds)),
      ("lostEvents", number(recording.lostEvents)), ("lostNames", number(recording.lostNames)),
      ("lacksRoom", .boolean(recording.lacksRoom)),
      ("events", number(eventCount)), ("end", number(end)),
      (
        "counts",
        .object([
          ("slices", number(slices.count)), ("waiting", number(waiting.count)), ("marks", number(marks.count)),
          ("timers", number(timers.count)), ("activities", number(activities.count)), ("tasks", number(tasks.bars.count)),
        ])
      ),
      (
        "threads",
        .array(
          recording.threads.indices.map { place in
            let thread = recording.threads[place]
            return .object([
              ("name", .string(names.thread(place))), ("id", number(thread.id)), ("isMain", .boolean(thread.isMain)),
              ("isWorker", .boolean(thread.isWorker)),
              ("begin", number(thread.events.first.map { moment($0.time) } ?? 0)),
              ("end", number(thread.events.last.map { moment($0.time) } ?? 0)),
            ])
          })
      ),
      (
        "queues",
        .array(
          queues.all.map { queue in
            .object([
              ("name", .string(queue.name)), ("address", .string(queue.address.hexadecimal)),
              ("isSerial", .boolean(queue.isSerial)), ("isActor", .boolean(queue.isActor)),
            ])
          })
      ),
      (
        "functions",
        .array(functions.all.map { .object([("name", .string($0.name)), ("place", $0.place.map { .string($0) } ?? .null)]) })
      ),
      ("taskLanes", texts(tasks.lanes.all)), ("objects", texts(objects.all)), ("notes", texts(notes.all)),
      (
        "gaps",
        .array(
          gaps.map {
            .object([
              ("thread", number($0.thread)), ("begin", number($0.begin)), ("end", number($0.end)), ("count", number($0.count)),
            ])
          })
      ),
      ("summary", summary),
    ])
  }
}
