// Timeline.swift: what a recording tells its receiver: items, operations, transfers, slices of threads, moments, and
// which thread ended whose wait. How they are found is Replay.swift.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

/// A class of service as events and names have it.
enum RecordedClass: Int, Comparable, CaseIterable {
  /// None of its own.
  case none = 0
  case background, utility, standard, userInitiated, userInteractive

  /// nil: no class has that number.
  init?(_ number: ReadNumber) {
    guard let known = number.exactly(Int.self).flatMap(Self.init(rawValue:)) else { return nil }
    self = known
  }

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

  /// What it is called.
  var words: String {
    switch self {
    case .none: "-"
    case .background: "background"
    case .utility: "utility"
    case .standard: "default"
    case .userInitiated: "user-initiated"
    case .userInteractive: "user-interactive"
    }
  }
}

/// An item: submitted, or run, or both.
struct TimelineItem {
  /// A number for the arrow from submission to run.
  let flow: UInt64
  let queue: ReadNumber
  /// The function of its closure, and what that one may call; 0: not known.
  var outer: ReadNumber = 0, inner: ReadNumber = 0
  /// The class of service.
  var serviceClass = RecordedClass.none
  var isBarrier = false
  /// When, and by which thread (its place in the recording); nil if that is not in the recording.
  var submitted: (time: ReadNumber, thread: Int)?
  /// The group or work item whose end it was to follow; 0: it was submitted by itself.
  var cause: ReadNumber = 0
  /// Of a job that has begun: the task or actor.
  var task: TimelineTask?
}

/// An operation, from the queue to its end.
struct TimelineOperation {
  /// By what it is called: its own name if it has one, else its class or its block's function.
  struct Name: Hashable {
    let address, label: ReadNumber
    let isNamed: Bool
    /// When it was called so.
    let time: ReadNumber
  }
  /// A number for the arrow from its adding to its run.
  let flow: UInt64
  var name: Name
  /// The operation queue; 0: it was started by hand.
  var queue: ReadNumber
  var isBarrier = false
  /// When and by which thread it was added to its queue.
  var added: (time: ReadNumber, thread: Int)?
  /// When it waited for no other any more.
  var ready: ReadNumber?
  /// The one that finished last of those that it depended on.
  var heldBy: Name?
  /// When and by which thread it was started.
  var began: (time: ReadNumber, thread: Int)?
  var isCancelled = false
}

/// A read or write of a channel.
struct TimelineTransfer {
  /// A number of its own.
  let number: UInt64
  /// The descriptor; less than 0: that of a path that is not open yet.
  var descriptor: Int32
  let isWrite, isRandom: Bool
  /// How many bytes were asked for; nil: up to the end.
  let length: ReadNumber?
  let began: ReadNumber
  /// What came of it.
  var bytes: ReadNumber = 0
  var error: UInt16 = 0
}

/// Something that a thread is inside of.
struct TimelineSlice {
  /// `started`, `turnBegan`, `waitBegan`, `parked`, `intervalBegan`, `onceBegan`, `operationBegan`, `sourceBegan`, `loopBegan` or
  /// `loopPhase`.
  let kind: EventKind
  /// The queue, the object of a wait, the name of an interval, the token, the operation, the source, the loop.
  let object: ReadNumber
  let begin: ReadNumber
  var item: TimelineItem?
  /// Of a wait: the holder, by the owner value. Of an interval: the program's number. Of a source: its data. Of a run
  /// of a loop: its mode. Of a phase: which. Of a turn: 1 if it is alone.
  var number: ReadNumber = 0
  var operation: TimelineOperation?
  /// Of a source: its handler.
  var function: ReadNumber = 0

  /// Whether it only says what the thread does otherwise: what is inside of it counts for itself.
  var isFrame: Bool { kind == .intervalBegan || kind == .loopBegan || kind == .loopPhase }
  /// Of a turn: it excludes all others, also on a queue that runs several at a time.
  var isAlone: Bool { kind == .turnBegan && number != 0 }
  var phase: LoopPhase? { kind == .loopPhase ? LoopPhase(rawValue: number.bits) : nil }
}

/// Something that happened on a thread at a moment.
struct TimelineMoment {
  /// `semaphoreSignalled`, `groupEntered`, `groupLeft`, `workItemCancelled`, `turnHanded`, `timerArmed`, `timerCancelled`, `reported`, or of
  /// an operation `operationAdded`, `operationReady`, `operationFinished`, `operationCancelled`.
  let kind: EventKind
  /// Of a report: which kind, as in `RecordedReport`.
  let object: ReadNumber
  /// How many threads waited for the semaphore; how many members are in the group from then on; in how many nanoseconds the timer is due; the
  /// report's number.
  var count: ReadNumber = 0
  /// How many members entered or left.
  var members: ReadNumber = 0
  /// The queue that a work item waits in; the thread that gets the turn, by the owner value.
  var other: ReadNumber = 0
  var operation: TimelineOperation?
  /// A number for the arrow to the thread that it wakes; 0: it wakes none.
  var flow: UInt64 = 0
}

/// What ended a wait.
struct TimelineWaker {
  let kind: EventKind
  let time: ReadNumber
  let thread: Int
  /// The item that did it, or the last one before that; nil: it was in none.
  let item: TimelineItem?
  let flow: UInt64
}

/// The receiver. Times are nanoseconds of the uptime clock, in order; threads are places in the recording.
protocol TimelineSink {
  mutating func submitted(_ item: TimelineItem, by thread: Int, at time: ReadNumber)
  mutating func began(_ slice: TimelineSlice, on thread: Int)
  mutating func ended(_ slice: TimelineSlice, on thread: Int, at time: ReadNumber)
  /// How many items wait in the queue from now on.
  mutating func depth(_ depth: Int, of queue: ReadNumber, at time: ReadNumber)
  mutating func marked(_ name: ReadNumber, _ number: ReadNumber, on thread: Int, at time: ReadNumber)
  /// A timer has brought an item, or a source's event; `late`: nanoseconds after it was due, nil if that is not known.
  mutating func fired(_ object: ReadNumber, late: ReadNumber?, on thread: Int, at time: ReadNumber)
  mutating func gap(_ count: ReadNumber, on thread: Int, at time: ReadNumber)
  /// The thread is a worker of the pool of that number, which may have this many workers.
  mutating func works(in pool: ReadNumber, of most: ReadNumber, _ thread: Int, at time: ReadNumber)
  /// The thread has ended; it is inside of nothing.
  mutating func threadEnded(_ thread: Int, at time: ReadNumber)
  mutating func happened(_ moment: TimelineMoment, on thread: Int, at time: ReadNumber)
  /// A thread ended the wait that has just ended.
  mutating func woken(_ wait: TimelineSlice, by waker: TimelineWaker, on thread: Int, at time: ReadNumber)
  /// The operation has finished; or, if not `isOver`, what becomes of it is not known.
  mutating func operationEnded(_ operation: TimelineOperation, isOver: Bool, at time: ReadNumber)
  mutating func transferBegan(_ transfer: TimelineTransfer, on thread: Int)
  /// The same.
  mutating func transferEnded(_ transfer: TimelineTransfer, isOver: Bool, at time: ReadNumber)
}

extension TimelineSink {
  mutating func works(in pool: ReadNumber, of most: ReadNumber, _ thread: Int, at time: ReadNumber) {}
  mutating func threadEnded(_ thread: Int, at time: ReadNumber) {}
  mutating func happened(_ moment: TimelineMoment, on thread: Int, at time: ReadNumber) {}
  mutating func woken(_ wait: TimelineSlice, by waker: TimelineWaker, on thread: Int, at time: ReadNumber) {}
  mutating func operationEnded(_ operation: TimelineOperation, isOver: Bool, at time: ReadNumber) {}
  mutating func transferBegan(_ transfer: TimelineTransfer, on thread: Int) {}
  mutating func transferEnded(_ transfer: TimelineTransfer, isOver: Bool, at time: ReadNumber) {}
}
