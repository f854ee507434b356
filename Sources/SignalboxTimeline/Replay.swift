// Replay.swift: a recording gone through in the order of time: which submission an item's run belongs to, what each
// thread is inside of, how deep queues are. The receiver is a `TimelineSink`: Perfetto's form, the summary. Which
// thread ended whose wait is TimelineWakes.swift, how operations and transfers live TimelineLives.swift.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

struct Replay {
  private struct Key: Hashable {
    let queue, item: ReadNumber
  }

  private let recording: RecordingFile
  private var open: [[TimelineSlice]]
  private var pending: [Key: [TimelineItem]] = [:]
  private var armed: [Key: [ReadNumber]] = [:]
  private var depths: [ReadNumber: Int] = [:]
  private var flow: UInt64 = 0
  private var wakes = TimelineWakes()
  private var lives = TimelineLives()
  private var tasks = TimelineTasks()
  /// What the next item that a thread submits follows.
  private var causes: [Int: ReadNumber] = [:]
  /// The item that ended last on each thread.
  private var lastItem: [TimelineItem?]

  private init(_ recording: RecordingFile) {
    self.recording = recording
    open = recording.threads.map { _ in [] }
    lastItem = recording.threads.map { _ in nil }
  }

  /// Goes through the recording.
  static func run(_ recording: RecordingFile, _ sink: inout some TimelineSink) {
    var replay = Replay(recording)
    replay.run(&sink)
  }

  /// The thread whose next event is the earliest, of all that have one: a heap by the time of that event.
  private struct Earliest {
    private var heap: [(time: ReadNumber, thread: Int)] = []

    var first: Int? { heap.first?.thread }

    private static func isBefore(_ one: (time: ReadNumber, thread: Int), _ other: (time: ReadNumber, thread: Int)) -> Bool {
      one < other
    }

    mutating func add(_ thread: Int, at time: ReadNumber) {
      heap.append((time, thread))
      var place = heap.count - 1
      while place > 0, Self.isBefore(heap[place], heap[(place - 1) / 2]) {
        heap.swapAt(place, (place - 1) / 2)
        place = (place - 1) / 2
      }
    }

    /// The first one's next event is at `time`; nil: it has none.
    mutating func replaceFirst(_ time: ReadNumber?) {
      if let time { heap[0].time = time } else { heap.swapAt(0, heap.count - 1) }
      if time == nil { heap.removeLast() }
      var place = 0
      while true {
        let left = 2 * place + 1
        guard left < heap.count else { return }
        let child = left + 1 < heap.count && Self.isBefore(heap[left + 1], heap[left]) ? left + 1 : left
        guard Self.isBefore(heap[child], heap[place]) else { return }
        heap.swapAt(place, child)
        place = child
      }
    }
  }

  private mutating func run(_ sink: inout some TimelineSink) {
    var places = recording.threads.map { _ in 0 }, nextGap = places
    var earliest = Earliest()
    for (number, thread) in recording.threads.enumerated() {
      if let first = thread.events.first { earliest.add(number, at: first.time) }
    }
    var last: ReadNumber = 0
    while let number = earliest.first {
      let thread = recording.threads[number], place = places[number], event = thread.events[place]
      last = event.time
      while nextGap[number] < thread.gaps.count, thread.gaps[nextGap[number]].place <= place {
        meetsGap(thread.gaps[nextGap[number]].count, number, last, &sink)
        nextGap[number] += 1
      }
      take(event, number, &sink)
      places[number] = place + 1
      earliest.replaceFirst(place + 1 < thread.events.count ? thread.events[place + 1].time : nil)
    }
    for thread in open.indices { closeAll(thread, last, &sink) }
    abandonLives(last, &sink)
  }

  /// What becomes of operations and transfers is not known.
  private mutating func abandonLives(_ time: ReadNumber, _ sink: inout some TimelineSink) {
    let (operations, transfers) = lives.takeAll()
    for operation in operations { sink.operationEnded(operation, isOver: false, at: time) }
    for transfer in transfers { sink.transferEnded(transfer, isOver: false, at: time) }
  }

  /// What was lost may have been the end of any slice of the thread, and the run of any item.
  private mutating func meetsGap(_ count: ReadNumber, _ thread: Int, _ time: ReadNumber, _ sink: inout some TimelineSink) {
    closeAll(thread, time, &sink)
    abandonLives(time, &sink)
    (pending, armed, causes, wakes, tasks) = ([:], [:], [:], TimelineWakes(), TimelineTasks())
    for queue in depths.keys.sorted() where depths[queue] != 0 {
      depths[queue] = 0
      sink.depth(0, of: queue, at: time)
    }
    sink.gap(count, on: thread, at: time)
  }

  private mutating func take(_ event: RecordingFile.Event, _ thread: Int, _ sink: inout some TimelineSink) {
    let time = event.time
    switch event.kind {
    case .time, .threadBegan, .threadName: break
    case .submitted:
      flow += 1
      let queue = event.a & ~ReadNumber(ItemTraits.mask)
      let item = TimelineItem(
        flow: flow, queue: queue, outer: event.c,
        serviceClass: RecordedClass(event.a & ReadNumber(ItemTraits.classMask)) ?? .none,
        isBarrier: event.a.bits & ItemTraits.isBarrier != 0, submitted: (time, thread),
        cause: causes.removeValue(forKey: thread) ?? 0)
      pending[Key(queue: queue, item: event.b == 0 ? event.c : event.b), default: []].append(item)
      sink.submitted(item, by: thread, at: time)
      changeDepth(queue, 1, time, &sink)
    case .started: start(event, thread, &sink)
    case .ended: close(.started, thread, time, &sink)
    case .turnBegan:
      begin(TimelineSlice(kind: .turnBegan, object: event.a & ~1, begin: time, number: event.a & 1), thread, &sink)
    case .turnEnded: close(.turnBegan, thread, time, &sink)
    case .waitBegan:
      begin(TimelineSlice(kind: .waitBegan, object: event.a, begin: time, number: event.b), thread, &sink)
    case .waitEnded: close(.waitBegan, thread, time, &sink)
    case .parked:
      if event.a != 0 { sink.works(in: event.b, of: event.a, thread, at: time) }
      begin(TimelineSlice(kind: .parked, object: 0, begin: time), thread, &sink)
    case .woken:
      close(.parked, thread, time, &sink)
      if event.a != 0 { sink.works(in: event.b, of: event.a, thread, at: time) }
    case .threadEnded:
      closeAll(thread, time, &sink)
      sink.threadEnded(thread, at: time)
    case .timerArmed: arm(event, thread, &sink)
    case .timerFired: fire(event, thread, &sink)
    case .mark: sink.marked(event.a, event.number, on: thread, at: time)
    case .intervalBegan:
      begin(
        TimelineSlice(kind: .intervalBegan, object: event.a, begin: time, number: event.number), thread, &sink)
    case .intervalEnded: close(.intervalBegan, thread, time, &sink)
    default: takeLater(event, thread, &sink)
    }
  }

  /// What the first layout did not have.
  private mutating func takeLater(_ event: RecordingFile.Event, _ thread: Int, _ sink: inout some TimelineSink) {
    let time = event.time
    switch event.kind {
    case .notified: causes[thread] = event.a
    case .semaphoreSignalled, .groupEntered, .groupLeft, .workItemCancelled, .turnHanded:
      tell(wakes.moment(event), thread, time, &sink)
    case .onceBegan: begin(TimelineSlice(kind: .onceBegan, object: event.a, begin: time), thread, &sink)
    case .onceEnded:
      wakes.end(of: event.a, waker(.onceEnded, thread, time, 0))
      close(.onceBegan, thread, time, &sink)
    case .sourceBegan:
      begin(
        TimelineSlice(kind: .sourceBegan, object: event.a, begin: time, number: event.b, function: event.c), thread, &sink)
    case .sourceEnded: close(.sourceBegan, thread, time, &sink)
    case .transferBegan: sink.transferBegan(lives.beganTransfer(event), on: thread)
    case .transferEnded:
      if let transfer = lives.endedTransfer(event) { sink.transferEnded(transfer, isOver: true, at: time) }
    case .loopBegan:
      begin(TimelineSlice(kind: .loopBegan, object: event.a, begin: time, number: event.b), thread, &sink)
    case .loopPhase: changePhase(event, thread, &sink)
    case .loopEnded: close(.loopBegan, thread, time, &sink)
    case .timerCancelled:
      armed[Key(queue: event.a, item: 0)] = nil
      sink.happened(TimelineMoment(kind: event.kind, object: event.a), on: thread, at: time)
    case .taskRuns: tasks.runs(event, thread)
    case .taskNamed: tasks.named(event, thread)
    case .reported:
      sink.happened(TimelineMoment(kind: event.kind, object: event.a, count: event.b), on: thread, at: time)
    default: takeOperation(event, thread, &sink)
    }
  }

  private mutating func takeOperation(_ event: RecordingFile.Event, _ thread: Int, _ sink: inout some TimelineSink) {
    let time = event.time
    switch event.kind {
    case .operationBegan:
      let operation = lives.operation(event, thread, &flow)
      begin(TimelineSlice(kind: .operationBegan, object: event.a, begin: time, operation: operation), thread, &sink)
    case .operationReturned: close(.operationBegan, thread, time, &sink)
    case .operationAdded, .operationReady, .operationCancelled:
      let operation = lives.operation(event, thread, &flow)
      tell(TimelineMoment(kind: event.kind, object: event.a, operation: operation), thread, time, &sink)
    case .operationFinished:
      let operation = lives.finished(event, &flow)
      var moment = TimelineMoment(kind: event.kind, object: event.a, operation: operation)
      flow += 1
      moment.flow = flow
      wakes.end(of: event.a, waker(event.kind, thread, time, flow))
      if operation.queue != 0 { wakes.end(of: operation.queue, waker(event.kind, thread, time, flow)) }
      sink.happened(moment, on: thread, at: time)
      sink.operationEnded(operation, isOver: true, at: time)
    default: break
    }
  }

  private mutating func tell(_ moment: TimelineMoment, _ thread: Int, _ time: ReadNumber, _ sink: inout some TimelineSink) {
    var moment = moment
    if TimelineWakes.mayWake(moment) {
      flow += 1
      moment.flow = flow
      wakes.note(moment, waker(moment.kind, thread, time, flow))
    }
    sink.happened(moment, on: thread, at: time)
  }

  private func waker(_ kind: EventKind, _ thread: Int, _ time: ReadNumber, _ flow: UInt64) -> TimelineWaker {
    let item = open[thread].last { $0.item != nil }?.item ?? lastItem[thread]
    return TimelineWaker(kind: kind, time: time, thread: thread, item: item, flow: flow)
  }

  /// Phases follow each other in the innermost run of the loop; those of a run that the recording does not have are
  /// left out.
  private mutating func changePhase(_ event: RecordingFile.Event, _ thread: Int, _ sink: inout some TimelineSink) {
    let run = open[thread].lastIndex { $0.kind == .loopBegan && $0.object == event.a }
    guard let run, LoopPhase(rawValue: event.b.bits) != nil else { return }
    if open[thread][(run + 1)...].contains(where: { $0.kind == .loopPhase }) { close(.loopPhase, thread, event.time, &sink) }
    begin(TimelineSlice(kind: .loopPhase, object: event.a, begin: event.time, number: event.b), thread, &sink)
  }

  private mutating func start(_ event: RecordingFile.Event, _ thread: Int, _ sink: inout some TimelineSink) {
    let key = Key(queue: event.a, item: event.b == 0 ? event.c : event.b)
    var item: TimelineItem
    if var waiting = pending[key], !waiting.isEmpty {
      item = waiting.removeFirst()
      pending[key] = waiting.isEmpty ? nil : waiting
      changeDepth(event.a, -1, event.time, &sink)
    } else {
      flow += 1
      item = TimelineItem(flow: flow, queue: event.a)
    }
    if event.b == 0 { item.outer = event.c } else { item.inner = event.c }
    item.task = tasks.take(thread)
    begin(TimelineSlice(kind: .started, object: event.a, begin: event.time, item: item), thread, &sink)
  }

  private mutating func arm(_ event: RecordingFile.Event, _ thread: Int, _ sink: inout some TimelineSink) {
    let key = Key(queue: event.a, item: event.b), due = event.time + event.c
    // A timer that is a thing of its own is due at one time only.
    if Self.isTimer(event.a) { armed[key] = [due] } else { armed[key, default: []].append(due) }
    sink.happened(
      TimelineMoment(kind: .timerArmed, object: event.a, count: event.c), on: thread, at: event.time)
  }

  /// Whether the address names a timer itself, and not the queue to which an item goes.
  static func isTimer(_ address: ReadNumber) -> Bool { address & 1 != 0 }

  private mutating func fire(_ event: RecordingFile.Event, _ thread: Int, _ sink: inout some TimelineSink) {
    let key = Key(queue: event.a, item: event.b)
    var due: ReadNumber?
    if var points = armed[key], !points.isEmpty {
      // Of those that no address tells apart, the one that is due first.
      let first = points.indices.min { points[$0] < points[$1] } ?? 0
      due = points.remove(at: first)
      armed[key] = points.isEmpty ? nil : points
    }
    let late = due.map { event.time - $0 }
    sink.fired(event.a, late: event.c == 0 ? late : event.c - 1, on: thread, at: event.time)
  }

  private mutating func changeDepth(_ queue: ReadNumber, _ change: Int, _ time: ReadNumber, _ sink: inout some TimelineSink) {
    let depth = max(0, depths[queue, default: 0] + change)
    depths[queue] = depth
    sink.depth(depth, of: queue, at: time)
  }

  // MARK: what a thread is inside of

  private mutating func begin(_ slice: TimelineSlice, _ thread: Int, _ sink: inout some TimelineSink) {
    open[thread].append(slice)
    sink.began(slice, on: thread)
  }

  /// The innermost slice of the kind has ended, and what is inside of it with it; none may be open, if it began before the recording.
  private mutating func close(_ kind: EventKind, _ thread: Int, _ time: ReadNumber, _ sink: inout some TimelineSink) {
    guard let place = open[thread].lastIndex(where: { $0.kind == kind }) else { return }
    while open[thread].count > place { end(open[thread].removeLast(), thread, time, &sink) }
  }

  private mutating func end(_ slice: TimelineSlice, _ thread: Int, _ time: ReadNumber, _ sink: inout some TimelineSink) {
    sink.ended(slice, on: thread, at: time)
    if let item = slice.item { lastItem[thread] = item }
    guard slice.kind == .waitBegan, let waker = wakes.waker(of: slice, owner: recording.threads[thread].owner, at: time) else {
      return
    }
    sink.woken(slice, by: waker, on: thread, at: time)
  }

  private mutating func closeAll(_ thread: Int, _ time: ReadNumber, _ sink: inout some TimelineSink) {
    while let slice = open[thread].popLast() { sink.ended(slice, on: thread, at: time) }
  }
}
