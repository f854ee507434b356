// TimerEntry.swift: one timer as the sets hold it: its window, and what is submitted when it comes due. Who arms it is
// ClockTimers.swift.

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

/// Guarded by the lock of the clock it is armed on. The memory belongs to the timer: a source has an entry of its own for life,
/// `asyncAfter` takes one from a stock.
struct TimerEntry {
  enum State: UInt8 {
    /// In no set.
    case idle
    /// In the set of a clock.
    case armed
    /// Taken out as due, and in the event thread's hands.
    case due
  }

  /// By the end of the window. First, so that its address is the entry's.
  var byLatest = TimerLink()
  /// By the deadline; in a list only if the window is longer than a point.
  var byDeadline = TimerLink()
  /// Order among equal deadlines: first armed, first fired.
  var sequence: UInt64 = 0
  var state = State.idle
  var task = Task.none

  enum Task {
    case none
    /// Submit an item, whose two words are given, to a queue: +1.
    case item(Unmanaged<DispatchQueue>, UInt64, UInt64)
    /// Signal an event to a source: +1. The entry is the source's, and may be armed anew as soon as it is idle.
    case source(Unmanaged<TimerCore>)
  }

  static func make() -> TimerEntryPointer {
    let entry = TimerEntryPointer.allocate(capacity: 1)
    entry.initialize(to: TimerEntry())
    return entry
  }

  var hasLeeway: Bool { byLatest.key != byDeadline.key }

  func isBefore(_ other: TimerEntry) -> Bool {
    byDeadline.key != other.byDeadline.key ? byDeadline.key < other.byDeadline.key : sequence < other.sequence
  }
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

  /// Only of an entry that is in no list.
  func setWindow(_ window: TimerWindow) {
    (pointee.byDeadline.key, pointee.byLatest.key) = (window.deadline, window.latest)
  }

  /// The next entry of a chain: links that are in no list are free for that.
  var following: TimerEntryPointer? {
    get { pointee.byLatest.next.map { TimerEntryPointer(latestLink: $0) } }
    nonmutating set { pointee.byLatest.next = newValue?.latestLink }
  }
}

/// Entries one after another, through their own links.
struct TimerChain {
  private(set) var first: TimerEntryPointer?
  private(set) var last: TimerEntryPointer?
  private(set) var count = 0
  /// Whether the entries came in the order in which they are to fire.
  private(set) var isInOrder = true

  mutating func append(_ entry: TimerEntryPointer) {
    entry.following = nil
    if let last {
      if !last.pointee.isBefore(entry.pointee) { isInOrder = false }
      last.following = entry
    } else {
      first = entry
    }
    last = entry
    count += 1
  }

  mutating func popFirst() -> TimerEntryPointer? {
    guard let entry = first else { return nil }
    first = entry.following
    if first == nil { last = nil }
    entry.following = nil
    count -= 1
    return entry
  }

  /// Puts the entries into the order of their deadlines, equal ones in that of their arming. O(1) if they came so.
  mutating func sort() {
    guard !isInOrder else { return }
    var entries: [TimerEntryPointer] = []
    entries.reserveCapacity(count)
    while let entry = popFirst() { entries.append(entry) }
    entries.sort { $0.pointee.isBefore($1.pointee) }
    self = TimerChain()
    for entry in entries { append(entry) }
  }
}
