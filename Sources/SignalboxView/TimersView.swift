// TimersView.swift: the timers that are armed on a process's clocks. Their lists change under locks that no reader
// takes: what the lists of one clock are, is TimerLists.swift; where all this lies the process says
// (TimerDescription.swift of SignalboxDispatch).
//
// An entry counts if two copies of it are the same: its links were set all the while, so it was armed in between, with
// this task and this deadline. A reading of a clock is whole if its wheel's words are the same before and after, and it
// has found as many entries as they say.
import SignalboxWords

/// A clock that timers are armed on.
package enum TimerClock: CaseIterable, Sendable {
  case uptime, continuous, wall

  /// The word that leads to its timers.
  fileprivate var word: DescribedWord {
    switch self {
    case .uptime: .uptimeTimers
    case .continuous: .continuousTimers
    case .wall: .wallTimers
    }
  }
}

/// An armed timer, as its entry had it at one moment.
package struct ArmedTimer: Sendable, Equatable {
  package enum Task: Sendable, Equatable {
    /// A timer source fires; its address.
    case source(UInt64)
    /// `asyncAfter` submits an item.
    case item(RunningItem?)
    /// How tasks lie is not known.
    case unknown
  }
  /// A point on its clock, in nanoseconds.
  package var deadline: UInt64
  package var task: Task
  /// The queue that is the source's target, or to which the item goes; 0: not known.
  package var queue: UInt64
}

/// What is armed on one clock.
package struct ClockView: Sendable, Equatable {
  /// How many timers are.
  package var count: UInt64 = 0
  /// The soonest of them, by their deadlines.
  package var armed: [ArmedTimer] = []
  /// All were as they are shown at one moment. If not, each was so at a moment of its own, and there may be others.
  package var isWhole = true
}

/// Reads timers.
package struct TimersView {
  private let memory: ReadMemory
  private let items: ItemReader
  /// As often a clock is read where it changes meanwhile.
  private static let tries = 4
  /// No process has more timers: a damaged word may say anything.
  private static let mostArmed: UInt64 = 1 << 40

  /// nil: the process has a version of Signalbox that does not say how its timers lie.
  package init?(_ memory: ReadMemory, items: ItemReader) {
    if memory.described(.wordCount) == 0 { return nil }
    (self.memory, self.items) = (memory, items)
  }

  /// The timers of a clock, at most `most` of them, nearly the soonest; nil: its memory is not there, or says what none
  /// says.
  package func timers(of clock: TimerClock, most: Int) -> ClockView? {
    let clock = memory.described(clock.word)
    if clock == 0 { return ClockView() }
    var best: ClockView?
    for _ in 0..<Self.tries {
      guard let wheel = WheelWords(of: clock, memory), wheel.count <= Self.mostArmed else { return best }
      var lists = TimerLists(memory, wheel)
      let armed = lists.first(most).compactMap { timer($0, &lists) }
      let found = ClockView(
        count: wheel.count, armed: armed.sorted { $0.deadline < $1.deadline },
        isWhole: lists.areWhole && UInt64(armed.count) == min(wheel.count, UInt64(most))
          && WheelWords(of: clock, memory) == wheel)
      if found.isWhole { return found }
      if best.map({ $0.armed.count <= found.armed.count }) ?? true { best = found }
    }
    return best
  }

  /// What the entry does, if it is the same when that has been read.
  private func timer(_ entry: TimerLists.Entry, _ lists: inout TimerLists) -> ArmedTimer? {
    var timer = ArmedTimer(deadline: entry[.timerDeadline], task: .unknown, queue: 0)
    let tags = memory.described(.timerTags), tag = UInt64(entry.byte(memory.described(.timerTag)))
    if tags != 0 {
      let task = memory.described(.timerTask), first = entry.word(task)
      if tag == tags & 0xFF {
        timer.task = .item(items.item(Slot(entry.word(task &+ 8), entry.word(task &+ 16))))
        timer.queue = first
      } else if tag == tags >> 8 & 0xFF {
        timer.task = .source(first)
        timer.queue = OwnerReader(memory).target(ofQueue: first) ?? 0
      }
    }
    return lists.stands(entry) ? timer : nil
  }
}
