// TimerSet.swift: the armed timers of one clock: which are due at a point, and when the alarm must go, in a crowd too.
// Pure: no clock, no thread, no lock. The clock and the lock are ClockTimers.swift.
//
// Every entry lies in one wheel by the end of its window, so the first key is the latest point at which all windows can
// be kept: that is where the alarm belongs. Entries with a leeway lie in a second wheel too, by their deadlines, so
// that an alarm set for others takes them along once their time has come.

struct TimerSet: ~Copyable {
  private var byLatest: TimerWheel
  private var byDeadline: TimerWheel
  private var sequence: UInt64 = 0

  /// An empty set; `now` is where its clock stands, or anything before.
  init(now: UInt64) {
    byLatest = TimerWheel(base: now)
    byDeadline = TimerWheel(base: now)
  }

  var count: Int { byLatest.count }
  /// See TimerWheel.
  var moves: UInt64 { byLatest.moves + byDeadline.moves }

  /// The point for the alarm: no window ends before it, and one ends there unless its entry was removed.
  var alarm: UInt64? { mutating get { byLatest.earliest() } }

  /// Takes in an entry that is not armed and whose window is set.
  mutating func insert(_ entry: TimerEntryPointer) {
    sequence += 1
    entry.pointee.sequence = sequence
    byLatest.insert(entry.latestLink)
    if entry.pointee.hasLeeway { byDeadline.insert(entry.deadlineLink) }
  }

  /// Takes out an entry that is armed here.
  mutating func remove(_ entry: TimerEntryPointer) {
    byLatest.remove(entry.latestLink)
    if entry.deadlineLink.isLinked { byDeadline.remove(entry.deadlineLink) }
  }

  /// Where the words of the wheel lie that has all entries.
  mutating func places(behind start: UInt) -> TimerWheel.Places? { byLatest.places(behind: start) }

  /// Begins to take out what is due at `now`, which may lie before the last one if the clock was set back.
  mutating func turn(to now: UInt64) {
    byLatest.turn(to: now)
    byDeadline.turn(to: now)
  }

  /// Goes on taking out what is due since `turn`, checking no more than `budget` entries; returns whether that was all.
  ///
  /// - Parameters:
  ///   - due: what was taken out, not in order.
  ///   - spent: entries that go back to the stock.
  mutating func collect(into due: inout [DueTimer], spent: inout [TimerEntryPointer], budget: Int) -> Bool {
    var budget = budget
    while true {
      let entry: TimerEntryPointer
      switch byDeadline.popDue(budget: &budget) {
      case .pause: return false
      case .due(let link):
        entry = TimerEntryPointer(deadlineLink: link)
        byLatest.remove(entry.latestLink)
      case .done:
        switch byLatest.popDue(budget: &budget) {
        case .pause: return false
        case .done: return true
        case .due(let link):
          // With a leeway: armed meanwhile for a window that has passed. It lies in the other wheel still.
          entry = TimerEntryPointer(latestLink: link)
          if entry.deadlineLink.isLinked { byDeadline.remove(entry.deadlineLink) }
        }
      }
      due.append(
        DueTimer(
          deadline: entry.pointee.byDeadline.key, latest: entry.pointee.byLatest.key, sequence: entry.pointee.sequence,
          task: entry.pointee.task.taken()))
      if entry.pointee.isFromStock { spent.append(entry) }
    }
  }
}

extension [DueTimer] {
  /// Earlier deadlines first, equal ones in the order of arming. O(n) if they lie so already, as they mostly do.
  mutating func putInOrder() {
    for index in indices.dropFirst() where !self[index - 1].isBefore(self[index]) {
      return sort { $0.isBefore($1) }
    }
  }
}

// MARK: a crowd of timers

// When timers fire so close together that an alarm for each would cost several times what they do, they share alarms.

/// Counts timers that fire close together: each counts one, and one is forgotten in every `spacing`.
struct TimerCrowd {
  /// Nanoseconds: more than one timer in each such span, for a while, is a crowd.
  static let spacing: UInt64 = 5_000
  /// How many must be counted to make one, and how many are remembered at most.
  static let enough: UInt64 = 16, most: UInt64 = 64
  /// Nanoseconds from the end of a serving to the next alarm in a crowd, at least: by as much Linux lets any thread sleep longer than it asked for
  /// (PR_SET_TIMERSLACK's default).
  static let pause: UInt64 = 50_000

  private var count: UInt64 = 0
  private var last: UInt64 = 0

  /// `timers` is the number of those that have fired at `now`.
  mutating func fired(_ timers: Int, at now: UInt64) {
    let forgotten = (now &- last) / Self.spacing  // a clock that was set back has forgotten all
    count = min(Self.most, (count > forgotten ? count - forgotten : 0) + UInt64(timers))
    last = now
  }

  /// Whether there is one.
  var isThere: Bool { count >= Self.enough }

  /// Where the alarm belongs for what is due at `next`, after a serving that ended at `now`.
  func alarm(for next: UInt64, after now: UInt64) -> UInt64 {
    guard isThere, next < now &+ Self.pause else { return next }
    return now &+ Self.pause
  }
}
