// SummaryCounts.swift: what a summary counts while a recording is gone through. What of it is shown, and in which order, is
// SummaryTables.swift.
import SignalboxRecorder
import SignalboxSystem

struct SummaryCounts: TimelineSink {
  /// Which thread runs a queue's items: any worker, the main thread alone, or another thread alone.
  enum Runner { case worker, mainThread, otherThread }

  /// Items of one queue.
  struct Queue {
    var items = 0, depth = 0
    var waiting = Spread(), running = Spread()
    /// Of a concurrent queue many run at once.
    var busy = BusyTime()
    /// Those that waited and ran longest; which thread could run the first.
    var longestWait: (item: TimelineItem, at: ReadNumber, runner: Runner)?, longestRun: (item: TimelineItem, at: ReadNumber)?
  }

  /// Items of one function.
  struct Function {
    let name: String
    let place: String?
    var running = Spread()
    var longestAt: ReadNumber = 0
  }

  /// Waits for one thing; `holder`: the thread that had it at the longest, by the owner value.
  struct Waits {
    var times = Spread()
    var longest: (at: ReadNumber, holder: ReadNumber, thread: Int, item: TimelineItem?)?
    /// What ended that; nil: not known.
    var endedBy: TimelineWaker?
  }

  /// Times of one timer, or of one kind of the program's intervals.
  struct Named {
    var count = 0
    var times = Spread()
    var longestAt: ReadNumber = 0
    /// Of a timer: it is a thing of its own, not an item of a queue.
    var isThing = false
  }

  /// What a thread does: an item or a turn; a wait in it; nothing, as a worker; something of which the recording knows nothing.
  enum Doing { case running, waiting, parked, other }

  /// What a thread spent its time on, in nanoseconds.
  struct Thread {
    var items = 0
    fileprivate(set) var spent: [Doing: ReadNumber] = [:]
    fileprivate var open: [TimelineSlice] = []
    fileprivate var doing = Doing.other
    fileprivate var since: ReadNumber = 0
    fileprivate var isBegun = false

    fileprivate var innermost: Doing {
      guard let slice = open.last(where: { !$0.isFrame }) else { return ofLoop }
      return switch slice.kind {
      case .started, .turnBegan, .onceBegan, .operationBegan, .sourceBegan: .running
      case .waitBegan: .waiting
      case .parked: .parked
      default: .other
      }
    }
    /// A run loop that waits has nothing to do; in its other phases it runs what is no item.
    private var ofLoop: Doing {
      switch open.last(where: { $0.kind == .loopPhase })?.phase {
      case .waiting: .parked
      case .timers, .sources, .woken: .running
      case nil: .other
      }
    }
  }

  /// Something that kept the main thread for longer than a picture lasts on a screen.
  struct Held {
    let slice: TimelineSlice
    let took: ReadNumber
    /// Its longest wait, if that took half of the time or more.
    let wait: Wait?
  }

  /// A wait that has ended.
  struct Wait {
    let slice: TimelineSlice
    let took: ReadNumber
  }

  /// What the diagnosis has reported, and in which item it was found.
  struct Report {
    let at: ReadNumber
    let kind, number: ReadNumber
    let thread: Int
    let item: TimelineItem?
  }

  static let leastHeld: ReadNumber = 16_000_000

  let recording: RecordingFile
  let names: TimelineNames
  private(set) var queueNames = NameNumbers(), objectNames = NameNumbers(), noteNames = NameNumbers()
  private var functionNumbers: [FunctionKey: Int] = [:]

  private(set) var queues: [Int: Queue] = [:], waits: [Int: Waits] = [:], timers: [Int: Named] = [:],
    intervals: [Int: Named] = [:]
  private(set) var functions: [Function] = []
  private(set) var threads: [Thread]
  private(set) var held: [Held] = []
  private(set) var reports: [Report] = []
  private(set) var pool = PoolCount()
  private(set) var urgent = UrgentWaits()
  private(set) var activities = ActivityCounts(), tasks = TaskCounts()
  private(set) var lost: ReadNumber = 0
  private(set) var events = 0
  /// Items that ran and whose submission the recording does not have.
  private(set) var unsubmitted = 0
  /// Items that were submitted and whose run the recording does not have.
  var unrun: Int { depths.values.reduce(0, +) }
  private var depths: [ReadNumber: Int] = [:]
  /// The number of the thing that was waited for in the wait that ended last, and when that began.
  private var lastWait: (number: Int, at: ReadNumber) = (-1, 0)
  /// The main thread's longest wait in what it is inside of.
  private var mainWait: Wait?

  private struct FunctionKey: Hashable {
    let outer, inner, task: ReadNumber
  }

  init(_ recording: RecordingFile) {
    self.recording = recording
    names = TimelineNames(recording)
    threads = recording.threads.map { _ in Thread() }
    Replay.run(recording, &self)
    let end = recording.end
    for thread in threads.indices where recording.threads[thread].isWorker { pool.set(thread, .away, at: end) }
    pool.end(at: end)
    events = recording.threads.reduce(0) { $0 + $1.events.count }
  }

  // MARK: what happens

  mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber) { begins(thread, time) }

  mutating func began(_ slice: TimelineSlice, on thread: Int) {
    begins(thread, slice.begin)
    threads[thread].open.append(slice)
    follow(thread, slice.begin)
    activities.began(slice, names)
    guard let item = slice.item else { return }
    threads[thread].items += 1
    let queue = queueNumber(item.queue, slice.begin)
    queues[queue, default: Queue()].items += 1
    queues[queue]?.busy.begins(at: slice.begin)
    let isBound = names.isThreadBound(item.queue, at: slice.begin)
    if item.submitted == nil { unsubmitted += 1 }
    if let submitted = item.submitted {
      let waited = slice.begin - min(slice.begin, submitted.time)
      if queues[queue, default: Queue()].waiting.add(waited) {
        let runner: Runner = !isBound ? .worker : recording.threads[thread].isMain ? .mainThread : .otherThread
        queues[queue]?.longestWait = (item, slice.begin, runner)
      }
    }
    tasks.began(item, names, at: slice.begin)
    urgent.began(item, names.servedClass(item, at: slice.begin), isBound: isBound, at: slice.begin)
  }

  mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber) {
    threads[thread].open.removeLast()
    follow(thread, time)
    let took = time - min(time, slice.begin)
    switch slice.kind {
    case .started:
      guard let item = slice.item else { return }
      let queue = queueNumber(item.queue, slice.begin)
      queues[queue]?.busy.ends(at: time)
      if queues[queue, default: Queue()].running.add(took) {
        queues[queue]?.longestRun = (item, slice.begin)
      }
      let function = functionNumber(item)
      if functions[function].running.add(took) { functions[function].longestAt = slice.begin }
      tasks.ended(item, names, after: took, at: time)
      urgent.ended(item, at: time)
    case .waitBegan:
      let number = objectNames.number(slice.object, at: slice.begin, in: recording) {
        names.object(slice.object, at: slice.begin)
      }
      if waits[number, default: Waits()].times.add(took) {
        waits[number]?.longest = (slice.begin, slice.number, thread, threads[thread].open.last { $0.item != nil }?.item)
        waits[number]?.endedBy = nil
      }
      lastWait = (number, slice.begin)
      activities.waited(for: objectNames.names[number], took)
    case .intervalBegan:
      let number = noteNames.number(slice.object, at: slice.begin, in: recording) { names.note(slice.object, at: slice.begin) }
      add(&intervals[number, default: Named()], took, slice.begin)
    default: activities.ended(slice, at: time)
    }
    if recording.threads[thread].isMain { mainEnded(slice, took, threads[thread]) }
  }

  private mutating func mainEnded(_ slice: TimelineSlice, _ took: ReadNumber, _ thread: Thread) {
    if slice.kind == .waitBegan, took > mainWait?.took ?? 0 { mainWait = Wait(slice: slice, took: took) }
    if took > Self.leastHeld, isHeld(by: slice, thread) {
      let wait = mainWait.flatMap { $0.slice.begin > slice.begin && $0.took * 2 >= took ? $0 : nil }
      held.append(Held(slice: slice, took: took, wait: wait))
    }
    if !thread.open.contains(where: { !$0.isFrame }) { mainWait = nil }
  }

  /// Whether the slice, which has ended, is the outermost that says what the thread did. A phase of its loop is where nothing in it was.
  private func isHeld(by slice: TimelineSlice, _ thread: Thread) -> Bool {
    if thread.open.contains(where: { !$0.isFrame }) { return false }
    guard slice.isFrame else { return true }
    guard let phase = slice.phase, phase != .waiting else { return false }
    return held.last.map { $0.slice.begin < slice.begin } ?? true
  }

  mutating func woken(_ wait: TimelineSlice, by waker: TimelineWaker, on thread: Int, at time: ReadNumber) {
    if waits[lastWait.number]?.longest?.at == wait.begin { waits[lastWait.number]?.endedBy = waker }
    activities.woken(wait, by: waker, names, at: time)
  }

  mutating func happened(_ moment: TimelineMoment, on thread: Int, at time: ReadNumber) {
    begins(thread, time)
    activities.happened(moment, names, at: time)
    guard moment.kind == .reported else { return }
    let item = threads[thread].open.last { $0.item != nil }?.item
    reports.append(Report(at: time, kind: moment.object, number: moment.count, thread: thread, item: item))
  }

  mutating func operationEnded(_ operation: TimelineOperation, isOver: Bool, at time: ReadNumber) {
    if isOver { activities.operationEnded(operation, names, at: time) }
  }

  mutating func transferBegan(_ transfer: TimelineTransfer, on thread: Int) { begins(thread, transfer.began) }

  mutating func transferEnded(_ transfer: TimelineTransfer, isOver: Bool, at time: ReadNumber) {
    if isOver { activities.transferEnded(transfer, names, at: time) }
  }

  mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber) {
    pool.pend(depth - depths[queue, default: 0], at: time)
    findCause()
    depths[queue] = depth
    let number = queueNumber(queue, time)
    if depth > queues[number, default: Queue()].depth { queues[number, default: Queue()].depth = depth }
  }

  mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber) {
    let number = queueNumber(object, time)
    timers[number, default: Named()].isThing = Replay.isTimer(object)
    if let late { add(&timers[number, default: Named()], late, time) } else { timers[number, default: Named()].count += 1 }
  }

  mutating func works(in pool: ReadNumber, of most: ReadNumber, _ thread: Int, at time: ReadNumber) {
    begins(thread, time)
    follow(thread, time)
    self.pool.works(thread, in: pool, of: most, at: time)
  }

  mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber) { begins(thread, time) }
  mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber) {
    lost += count
    tasks.forget()
  }

  mutating func threadEnded(_ thread: Int, at time: ReadNumber) {
    if recording.threads[thread].isWorker { pool.set(thread, .away, at: time) }
  }

  // MARK: what follows from it

  private mutating func begins(_ thread: Int, _ time: ReadNumber) {
    guard !threads[thread].isBegun else { return }
    threads[thread].isBegun = true
    threads[thread].since = time
    follow(thread, time)
  }

  /// What the thread is inside of has changed.
  private mutating func follow(_ thread: Int, _ time: ReadNumber) {
    let doing = threads[thread].doing
    threads[thread].spent[doing, default: 0] += time - min(time, threads[thread].since)
    threads[thread].since = time
    threads[thread].doing = threads[thread].innermost
    guard recording.threads[thread].isWorker else { return }
    switch threads[thread].doing {
    case .waiting: pool.set(thread, .waiting, at: time)
    case .parked: pool.set(thread, .parked, at: time)
    case .running, .other: pool.set(thread, .running, at: time)
    }
    findCause()
  }

  /// What the workers wait for, of some of them: a pool may have hundreds, and a stall is mostly over at once.
  private mutating func findCause() {
    guard pool.wantsCause else { return }
    var causes: [PoolCount.Cause] = []
    for thread in threads.indices where causes.count < 16 && recording.threads[thread].isWorker {
      guard let wait = threads[thread].open.last, wait.kind == .waitBegan else { continue }
      let item = threads[thread].open.last { $0.item != nil }?.item
      causes.append(PoolCount.Cause(item: item, object: wait.object, since: wait.begin))
    }
    pool.note(causes)
  }

  private func add(_ named: inout Named, _ time: ReadNumber, _ at: ReadNumber) {
    named.count += 1
    if named.times.add(time) { named.longestAt = at }
  }

  private mutating func queueNumber(_ queue: ReadNumber, _ time: ReadNumber) -> Int {
    queueNames.number(queue, at: time, in: recording) { names.queue(queue, at: time) }
  }

  private mutating func functionNumber(_ item: TimelineItem) -> Int {
    let key = FunctionKey(outer: item.outer, inner: item.inner, task: item.task?.label ?? 0)
    if let known = functionNumbers[key] { return known }
    let (name, place) = names.item(item)
    // Two addresses may be one function's, as of a thunk and what it calls.
    let number = functions.firstIndex { $0.name == name && $0.place == place } ?? functions.count
    if number == functions.count { functions.append(Function(name: name, place: place)) }
    functionNumbers[key] = number
    return number
  }
}
