// PageData.swift: a recording as the timeline's page gets it: what threads were inside of, with numbers in place of names. In which form
// that is written is PageData+Columns.swift; what the page makes of it, recording.js.
import SignalboxCommandLine
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

struct PageData: TimelineSink {
  /// What a thread was inside of.
  struct Slice {
    var begin: ReadNumber
    var end: ReadNumber
    /// Of an item that was submitted in the recording, and of an operation that was added: when. Of a wait that a
    /// thread ended: when the thread did that. Of an interval: the program's number; of a source: its data; of a
    /// transfer: its bytes.
    var extra: ReadNumber = 0
    /// Of an operation: for how long it depended on others. Of a transfer: how many bytes were asked for and one, or 0.
    var more: ReadNumber = 0
    /// The function of an item, an operation or a transfer, the object of a wait, the name of an interval or of an activity.
    var what: UInt32 = 0
    /// The queue of an item, a turn, an operation or a transfer. Of a wait, the object's holder: 0 none, 1 another
    /// thread, or a thread's place and 2. Of an activity: which kind of activity.
    var whose: UInt32 = 0
    /// Of an item: what it follows, by its object and one. Of an operation: what it depended on last, by its function and one. Of a transfer:
    /// the error.
    var other: UInt32 = 0
    var thread: UInt32
    var submitter: UInt32 = 0
    var kind: EventKind
    var serviceClass = RecordedClass.none
    var isBarrier = false
    /// Of an item: whether its submission is in the recording; of an operation: its adding.
    var isSubmitted = false
    /// Of a wait: whether it is known which thread ended it. Of an activity: whether the thread has nothing to do
    /// meanwhile.
    var isMarked = false
    /// Whether its end is not in the recording: `end` is then the last moment before that is known of the thread.
    var isCut = false
  }

  /// An item whose run is not in the recording.
  struct Waiting {
    var submitted: ReadNumber
    /// When that was known: at a gap, or at the recording's end.
    var end: ReadNumber
    var function, queue, thread: UInt32
    var serviceClass: RecordedClass
    var isBarrier: Bool
  }

  /// The program's own moment.
  struct Mark {
    var time, number: ReadNumber
    var thread, note: UInt32
  }

  /// What a thread did at a moment, other than to submit an item.
  struct Activity {
    var time: ReadNumber
    var thread, text: UInt32
    /// How many members are in a group from then on; how many threads waited for a semaphore.
    var count: ReadNumber?
  }

  struct Timer {
    var time: ReadNumber
    /// Nanoseconds after it was due.
    var late: ReadNumber?
    var thread, object: UInt32
  }

  struct Gap {
    var thread: Int
    var begin, end, count: ReadNumber
  }

  /// Texts, each once.
  struct Texts<Key: Hashable> {
    private(set) var all: [Key] = []
    private var numbers: [Key: UInt32] = [:]
    mutating func number(_ key: Key) -> UInt32 {
      if let known = numbers[key] { return known }
      let number = UInt32(all.count)
      all.append(key)
      numbers[key] = number
      return number
    }
  }

  struct Function: Hashable {
    let name: String
    let place: String?
  }

  /// A queue's address may be another queue's later.
  struct Queue: Hashable {
    let address: ReadNumber
    let name: String
    let isSerial: Bool
    var isActor = false
  }

  /// What an item's function is found by.
  private struct ItemKey: Hashable {
    let outer, inner, task: ReadNumber
    let isBarrier: Bool
  }

  let recording: RecordingFile
  let names: TimelineNames
  /// The recording's beginning on the uptime clock: its first event. All other times here are counted from it.
  let begin: ReadNumber
  private(set) var slices: [Slice] = []
  private(set) var waiting: [Waiting] = []
  private(set) var marks: [Mark] = []
  private(set) var timers: [Timer] = []
  private(set) var activities: [Activity] = []
  private(set) var gaps: [Gap] = []
  private(set) var functions = Texts<Function>(), queues = Texts<Queue>()
  private(set) var objects = Texts<String>(), notes = Texts<String>()
  private(set) var tasks = PageTasks()
  /// The last moment of the recording.
  private(set) var end: ReadNumber = 0

  private var open: [[Int]]
  /// The slice of each transfer that has not ended.
  private var transfers: [UInt64: Int] = [:]
  private var pending: [UInt64: Waiting] = [:]
  private var knownFunctions: [ItemKey: UInt32] = [:]
  /// What ended on a thread last, all at one time.
  private var ended: (thread: Int, time: ReadNumber, slices: [Int]) = (-1, 0, [])
  /// When each thread wrote its last event so far, and the one before at another time.
  private var last: [(time: ReadNumber, before: ReadNumber)]

  /// What a recording says, gone through from its beginning to its end.
  static func read(_ recording: RecordingFile) -> PageData {
    var data = PageData(recording)
    Replay.run(recording, &data)
    data.finish()
    return data
  }

  /// Nothing yet of a recording.
  init(_ recording: RecordingFile) {
    self.recording = recording
    names = TimelineNames(recording)
    open = recording.threads.map { _ in [] }
    begin = recording.threads.compactMap { $0.events.first?.time }.min() ?? recording.start
    last = recording.threads.map { _ in (0, 0) }
  }

  /// Nanoseconds from the recording's beginning on.
  func moment(_ time: ReadNumber) -> ReadNumber { time - min(time, begin) }

  private mutating func happens(_ thread: Int, at time: ReadNumber) {
    if moment(time) > last[thread].time { last[thread] = (moment(time), last[thread].time) }
    end = max(end, moment(time))
  }

  private mutating func function(_ item: TimelineItem) -> UInt32 {
    let key = ItemKey(outer: item.outer, inner: item.inner, task: item.task?.label ?? 0, isBarrier: item.isBarrier)
    if let known = knownFunctions[key] { return known }
    let (name, place) = names.item(item), number = functions.number(Function(name: name, place: place))
    knownFunctions[key] = number
    return number
  }

  private mutating func queue(_ address: ReadNumber, at time: ReadNumber) -> UInt32 {
    queues.number(
      Queue(address: address, name: names.queue(address, at: time), isSerial: names.isSerial(address, at: time)))
  }

  // MARK: what happens

  mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) {
    pending[item.flow] = Waiting(
      submitted: moment(time), end: 0, function: function(item), queue: queue(item.queue, at: time), thread: UInt32(thread),
      serviceClass: item.serviceClass, isBarrier: item.isBarrier)
    happens(thread, at: time)
  }

  mutating func began(_ slice: TimelineSlice, on thread: Int) {
    let time = slice.begin
    var made = Slice(begin: moment(time), end: moment(time), thread: UInt32(thread), kind: slice.kind)
    switch slice.kind {
    case .started:
      guard let item = slice.item else { return }
      pending[item.flow] = nil
      made.what = function(item)
      made.whose = queue(item.queue, at: time)
      if let task = item.task { began(task, item, &made) }
      made.serviceClass = item.serviceClass
      made.isBarrier = item.isBarrier
      if let submitted = item.submitted {
        made.isSubmitted = true
        made.extra = min(moment(submitted.time), made.begin)
        made.submitter = UInt32(submitted.thread)
        if item.cause != 0 { made.other = objects.number(names.object(item.cause, at: time)) + 1 }
      }
    case .turnBegan:
      made.whose = queue(slice.object, at: time)
      made.isBarrier = slice.isAlone && !names.isSerial(slice.object, at: time)
    case .waitBegan:
      made.what = objects.number(names.object(slice.object, at: time))
      if slice.number != 0 { made.whose = names.thread(owner: slice.number, at: time).map { UInt32($0 + 2) } ?? 1 }
    case .parked: break
    case .intervalBegan:
      made.what = notes.number(names.note(slice.object, at: time))
      made.extra = slice.number
    case .operationBegan: describe(slice.operation, &made)
    default:
      made.what = objects.number(names.activity(slice))
      made.whose = Self.activityKind(slice.kind)
      made.isMarked = slice.phase == .waiting
      if slice.kind == .sourceBegan { made.extra = slice.number }
    }
    open[thread].append(slices.count)
    slices.append(made)
    happens(thread, at: time)
  }

  mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) {
    guard let number = open[thread].popLast() else { return }
    slices[number].end = max(slices[number].begin, moment(time))
    if let item = slice.item, let task = item.task { tasks.ended(task, of: item.flow, at: moment(time)) }
    if (ended.thread, ended.time) != (thread, time) { ended = (thread, time, []) }
    ended.slices.append(number)
    happens(thread, at: time)
  }

  /// An actor's items have a lane of its own, and tasks lanes besides.
  private mutating func began(_ task: TimelineTask, _ item: TimelineItem, _ made: inout Slice) {
    guard task.number != 0 else {
      made.whose = queues.number(Queue(address: task.actor, name: names.actor(task), isSerial: true, isActor: true))
      return
    }
    guard let outer = names.chain(task).functions.last else { return }
    tasks.began(
      task, of: item.flow, inner: made.what,
      outer: (functions.number(Function(name: outer.name, place: outer.place)), outer.name),
      name: task.name.isEmpty ? 0 : notes.number(task.name) + 1, submitted: item.submitted.map { moment($0.time) },
      at: made.begin, on: made.thread)
  }

  /// Of what cannot be told apart by their `EventKind` in the page.
  private static func activityKind(_ kind: EventKind) -> UInt32 {
    switch kind {
    case .onceBegan: 0
    case .sourceBegan: 1
    case .loopBegan: 2
    default: 3
    }
  }

  private mutating func describe(_ operation: TimelineOperation?, _ made: inout Slice) {
    guard let operation else { return }
    let address = operation.queue
    let queue = address == 0 ? "started by hand" : names.object(address, at: operation.name.time)
    made.what = function(operation.name)
    made.whose = queues.number(Queue(address: address, name: queue, isSerial: false))
    made.isBarrier = operation.isBarrier
    guard let added = operation.added else { return }
    made.isSubmitted = true
    made.extra = min(moment(added.time), made.begin)
    made.submitter = UInt32(added.thread)
    made.more = min(moment(operation.ready ?? added.time), made.begin) - made.extra
    made.other = operation.heldBy.map { function($0) + 1 } ?? 0
  }

  private mutating func function(_ name: TimelineOperation.Name) -> UInt32 {
    let (name, place) = names.operation(name)
    return functions.number(Function(name: name, place: place))
  }

  mutating func happened(_ moment: TimelineMoment, on thread: Int, at time: ReadNumber) {
    let isCounted = moment.kind == .groupEntered || moment.kind == .groupLeft || moment.kind == .semaphoreSignalled
    activities.append(
      Activity(
        time: self.moment(time), thread: UInt32(thread), text: objects.number(names.moment(moment, at: time)),
        count: isCounted ? moment.count : nil))
    happens(thread, at: time)
  }

  mutating func woken(_ wait: TimelineSlice, by waker: TimelineWaker, on thread: Int, at time: ReadNumber) {
    guard let number = ended.slices.last, slices[number].kind == .waitBegan else { return }
    slices[number].isMarked = true
    slices[number].extra = min(moment(waker.time), slices[number].end)
    slices[number].submitter = UInt32(waker.thread)
  }

  mutating func transferBegan(_ transfer: TimelineTransfer, on thread: Int) {
    let begin = moment(transfer.began), name = names.transfer(transfer)
    var made = Slice(begin: begin, end: begin, thread: UInt32(thread), kind: .transferBegan)
    made.what = functions.number(Function(name: name, place: nil))
    let descriptor = ReadNumber(UInt64(UInt32(bitPattern: transfer.descriptor)))
    made.whose = queues.number(Queue(address: descriptor, name: "I/O: " + name, isSerial: false))
    made.more = transfer.length.map { $0 + 1 } ?? 0
    transfers[transfer.number] = slices.count
    slices.append(made)
    happens(thread, at: transfer.began)
  }

  mutating func transferEnded(_ transfer: TimelineTransfer, isOver: Bool, at time: ReadNumber) {
    guard let number = transfers.removeValue(forKey: transfer.number) else { return }
    slices[number].end = max(slices[number].begin, moment(time))
    slices[number].isCut = !isOver
    (slices[number].extra, slices[number].other) = (transfer.bytes, UInt32(transfer.error))
    end = max(end, moment(time))
  }

  mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {}

  mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) {
    let note = notes.number(names.note(name, at: time))
    marks.append(Mark(time: moment(time), number: number, thread: UInt32(thread), note: note))
    happens(thread, at: time)
  }

  mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {
    let what = objects.number(names.timer(object, at: time))
    timers.append(Timer(time: moment(time), late: late, thread: UInt32(thread), object: what))
    happens(thread, at: time)
  }

  /// What ended just now did so because its real end is not known, and no item that waits is known to run.
  mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) {
    let begin = last[thread].time < moment(time) ? last[thread].time : min(last[thread].before, moment(time))
    if (ended.thread, ended.time) == (thread, time) {
      for number in ended.slices {
        slices[number].isCut = true
        slices[number].end = max(slices[number].begin, begin)
      }
    }
    gaps.append(Gap(thread: thread, begin: begin, end: moment(time), count: count))
    abandon(at: moment(time))
    happens(thread, at: time)
  }

  private mutating func abandon(at time: ReadNumber) {
    for var item in pending.values {
      item.end = time
      waiting.append(item)
    }
    pending = [:]
  }

  /// The recording has ended.
  mutating func finish() {
    abandon(at: end)
    tasks.finish()
    waiting.sort { ($0.submitted, $0.thread, $0.queue, $0.function) < ($1.submitted, $1.thread, $1.queue, $1.function) }
    // What was open at the end: the last moment is one event's, which may have ended something.
    let endings: Set<EventKind> = [
      .ended, .turnEnded, .waitEnded, .woken, .intervalEnded, .threadEnded, .onceEnded, .operationReturned, .sourceEnded,
      .loopEnded, .loopPhase,
    ]
    for number in slices.indices where slices[number].end == end && slices[number].kind != .transferBegan {
      guard let event = recording.threads[Int(slices[number].thread)].events.last else { continue }
      if moment(event.time) < end || !endings.contains(event.kind) { slices[number].isCut = true }
    }
  }
}
