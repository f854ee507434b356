// TimerSet.swift: the armed timers of one clock: which are due at a point, and when the alarm must go. Pure: no clock, no thread,
// no lock. The clock and the lock are ClockTimers.swift.
//
// Every entry lies in one wheel by the end of its window, so the first key is the latest point at which all windows can be kept:
// that is where the alarm belongs. Entries with a leeway lie in a second wheel too, by their deadlines, so that an alarm set for
// others takes them along once their time has come.
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

  /// Takes in an idle entry whose window is set.
  mutating func insert(_ entry: TimerEntryPointer) {
    sequence += 1
    entry.pointee.sequence = sequence
    entry.pointee.state = .armed
    byLatest.insert(entry.latestLink)
    if entry.pointee.hasLeeway { byDeadline.insert(entry.deadlineLink) }
  }

  /// Takes out an entry that is armed here.
  mutating func remove(_ entry: TimerEntryPointer) {
    byLatest.remove(entry.latestLink)
    if entry.deadlineLink.isLinked { byDeadline.remove(entry.deadlineLink) }
    entry.pointee.state = .idle
  }

  /// Begins to take out what is due at `now`, which may lie before the last one if the clock was set back.
  mutating func turn(to now: UInt64) {
    byLatest.turn(to: now)
    byDeadline.turn(to: now)
  }

  /// Goes on taking out what is due since `turn`, looking at no more than `budget` entries; returns whether that was all.
  mutating func collect(into due: inout TimerChain, budget: Int) -> Bool {
    var budget = budget
    while true {
      switch byDeadline.popDue(budget: &budget) {
      case .pause: return false
      case .due(let link):
        let entry = TimerEntryPointer(deadlineLink: link)
        byLatest.remove(entry.latestLink)
        take(entry, &due)
        continue
      case .done: break
      }
      switch byLatest.popDue(budget: &budget) {
      case .pause: return false
      case .due(let link):
        // Armed meanwhile with a window that has passed: it lies in the other wheel still.
        let entry = TimerEntryPointer(latestLink: link)
        if entry.deadlineLink.isLinked { byDeadline.remove(entry.deadlineLink) }
        take(entry, &due)
      case .done: return true
      }
    }
  }

  private func take(_ entry: TimerEntryPointer, _ due: inout TimerChain) {
    entry.pointee.state = .due
    due.append(entry)
  }
}
