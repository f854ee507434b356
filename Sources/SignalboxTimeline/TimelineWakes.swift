// TimelineWakes.swift: what ended a wait: the last to leave a group, the thread that signalled a semaphore or handed a
// queue over, the end of an operation or of what runs once. The holder of a lock is in the wait itself.
import SignalboxRecorder
import SignalboxSystem

struct TimelineWakes {
  /// Signals that may have ended a wait each, oldest first, by semaphore. As many are kept as may matter.
  private var signals: [ReadNumber: [TimelineWaker]] = [:]
  private static let mostSignals = 64
  /// What was handed over last to a thread, by queue.
  private var turns: [ReadNumber: (owner: ReadNumber, waker: TimelineWaker)] = [:]
  /// What ended last of a thing, which ends all waits for it.
  private var ends: [ReadNumber: TimelineWaker] = [:]
  /// How many members are inside a group, by what has happened since the recording began.
  private var members: [ReadNumber: ReadNumber] = [:]

  /// What an event says. Of a group whose members were not counted yet the event knows how many there are.
  mutating func moment(_ event: RecordingFile.Event) -> TimelineMoment {
    let number = event.b
    switch event.kind {
    case .groupEntered, .groupLeft:
      let before = members[event.a] ?? event.c
      let after = event.kind == .groupEntered ? before + number : before - number
      members[event.a] = after
      return TimelineMoment(kind: event.kind, object: event.a, count: after, members: number)
    case .semaphoreSignalled: return TimelineMoment(kind: event.kind, object: event.a, count: number)
    default: return TimelineMoment(kind: event.kind, object: event.a, other: event.b)
    }
  }

  /// Whether a thread may wait for that.
  static func mayWake(_ moment: TimelineMoment) -> Bool {
    switch moment.kind {
    case .semaphoreSignalled: moment.count > 0
    case .groupLeft: moment.count == 0
    case .turnHanded: true
    default: false
    }
  }

  mutating func note(_ moment: TimelineMoment, _ waker: TimelineWaker) {
    switch moment.kind {
    case .semaphoreSignalled:
      var all = signals[moment.object] ?? []
      if all.count == Self.mostSignals { all.removeFirst() }
      signals[moment.object] = all + [waker]
    case .turnHanded: turns[moment.object] = (moment.other, waker)
    default: end(of: moment.object, waker)
    }
  }

  mutating func end(of object: ReadNumber, _ waker: TimelineWaker) { ends[object] = waker }

  /// What ended a wait that is over now; nil: nothing that is known, as when its time was up.
  mutating func waker(of wait: TimelineSlice, owner: ReadNumber, at time: ReadNumber) -> TimelineWaker? {
    func isMeanwhile(_ waker: TimelineWaker) -> Bool { waker.time >= wait.begin && waker.time <= time }
    if let (whose, waker) = turns[wait.object], whose == owner, isMeanwhile(waker) {
      turns[wait.object] = nil
      return waker
    }
    if let place = signals[wait.object]?.lastIndex(where: isMeanwhile) { return signals[wait.object]?.remove(at: place) }
    return ends[wait.object].flatMap { isMeanwhile($0) ? $0 : nil }
  }
}
