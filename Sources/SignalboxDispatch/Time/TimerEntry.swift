// TimerEntry.swift: one timer as the sets hold it: its window, and what is submitted when it comes due. Who arms it is
// ClockTimers.swift.
import SignalboxWords

/// The points between which a timer may fire: not before `deadline`, and by our own choice not after `latest`.
struct TimerWindow: Equatable {
  var deadline: UInt64
  var latest: UInt64

  /// `leeway` after `deadline` at most; saturates.
  init(_ deadline: UInt64, leeway: UInt64 = 0) {
    self.deadline = deadline
    let (sum, isTooLarge) = deadline.addingReportingOverflow(leeway)
    latest = isTooLarge ? .max : sum
  }
}

/// What to do when a timer comes due.
enum TimerTask {
  case none
  /// Submit an item to a queue: +1.
  case item(Unmanaged<DispatchQueue>, Slot)
  /// Tell somebody who has an entry of its own.
  case tell(TimerReceiver)

  /// The entry has come due; under its clock's lock. What is returned holds what it speaks of.
  func taken() -> TimerTask {
    if case .tell(let receiver) = self { receiver.isDue(receiver.object) }
    return self
  }
}

/// Who is notified that its entry has come due. It is not held while the entry is armed, so it disarms the entry before it goes.
struct TimerReceiver {
  /// A timer source.
  // SAFETY: `object` lives while the entry is armed, as told above, and from `isDue` to `fire` by the reference taken there.
  let object: UnsafeMutableRawPointer
  /// Called under the clock's lock, as the entry is taken out: takes a reference to the object.
  let isDue: @convention(c) (UnsafeMutableRawPointer) -> Void
  /// Called later, without the lock: does what is to be done, and gives that reference back.
  let fire: @convention(c) (UnsafeMutableRawPointer) -> Void
}

/// Guarded by the lock of the clock it is armed on. The memory belongs to the timer: a source has an entry of its own for life,
/// `asyncAfter` takes one from a stock.
struct TimerEntry {
  /// By the end of the window; in a list while armed. First, so that its address is the entry's.
  var byLatest = TimerLink()
  /// By the deadline; in a list while armed only if the window is longer than a point.
  var byDeadline = TimerLink()
  /// Order among equal deadlines: first armed, first fired.
  var sequence: UInt64 = 0
  /// Of an entry of the stock, to which it goes back when it comes due: its block.
  var block: TimerBlockPointer?
  var task = TimerTask.none

  /// Whether it goes back to the stock when it comes due.
  var isFromStock: Bool { block != nil }

  /// While it is free: the next one of its block that is. It lies where the lists of armed entries have their links.
  var nextFree: TimerEntryPointer? {
    get { byLatest.next.map { TimerEntryPointer(latestLink: $0) } }
    set { byLatest.next = newValue?.latestLink }
  }

  var hasLeeway: Bool { byLatest.key != byDeadline.key }
}

typealias TimerEntryPointer = UnsafeMutablePointer<TimerEntry>

extension UnsafeMutablePointer where Pointee == TimerEntry {
  // SAFETY of these: a link's address is the entry's, moved by where the field lies in it; both live equally long.
  private static var deadlineOffset: Int { MemoryLayout<TimerEntry>.offset(of: \.byDeadline)! }

  var latestLink: TimerLinkPointer { UnsafeMutableRawPointer(self).assumingMemoryBound(to: TimerLink.self) }
  var deadlineLink: TimerLinkPointer {
    (UnsafeMutableRawPointer(self) + Self.deadlineOffset).assumingMemoryBound(to: TimerLink.self)
  }
  init(latestLink link: TimerLinkPointer) {
    self = UnsafeMutableRawPointer(link).assumingMemoryBound(to: TimerEntry.self)
  }
  init(deadlineLink link: TimerLinkPointer) {
    self = (UnsafeMutableRawPointer(link) - Self.deadlineOffset).assumingMemoryBound(to: TimerEntry.self)
  }

  var isArmed: Bool { latestLink.isLinked }

  /// Only of an entry that is not armed.
  func setWindow(_ window: TimerWindow) {
    (pointee.byDeadline.key, pointee.byLatest.key) = (window.deadline, window.latest)
  }
}

/// A timer that was taken out because its time has come. Its entry may be armed for something else by now.
struct DueTimer {
  var deadline: UInt64
  var latest: UInt64
  var sequence: UInt64
  var task: TimerTask

  func isBefore(_ other: DueTimer) -> Bool {
    deadline != other.deadline ? deadline < other.deadline : sequence < other.sequence
  }
}
