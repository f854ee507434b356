// OwnMembersWatch.swift: when a wait for a group whose members all lie in the waiting thread's own queues is reported, and as what. How such
// a wait is recognised is OwnItems.swift; whether anything else could still end it NobodyElse (SignalboxDiagnosis).
//
// The waiting thread does all of this itself, between two sleeps: only it may read the lists. So the process may be one with a single
// thread, and nothing races with the wait's end.
import SignalboxWaits
import SignalboxSystem

/// What one wait without limit knows of itself from one check to the next.
struct OwnMembersWatch {
  /// How long other threads may take to come to rest before the wait is reported as suspected, in nanoseconds.
  private static let patience: UInt64 = 1_000_000_000
  /// How many checks in a row must find that all threads sleep and something may come nevertheless.
  private static let enoughQuiet = 2

  /// Whether an explorer, in the process or around it, chooses when the threads go on: then it says that none can.
  static var isExplored: Bool { Exploration.isOfCaller || Exploration.isOfProgram }

  private var since: UInt64?
  private var quiet = 0
  private var isSuspected = false, isCertain = false

  /// Checks a wait for `group` that has lasted for a moment.
  mutating func check(_ group: DispatchGroup) {
    guard !isCertain, Diagnosis.above?.reportsDeadlocks == true, !Self.isExplored else { return }
    guard OwnItems.place(ofAllIn: group) != nil else {
      (since, quiet) = (nil, 0)
      return
    }
    let now = Clock.uptime(), start = since ?? now
    since = start
    switch Diagnosis.above?.standstill() ?? .moving {
    case .nobody:
      // Where nobody else can act, what the lists say stays so.
      guard let place = OwnItems.place(ofAllIn: group) else { return }
      isCertain = true
      OwnItems.tell(group, in: place, doubt: nil)
    case .quiet:
      quiet += 1
      if quiet >= Self.enoughQuiet { suspect(group) }
    case .moving:
      quiet = 0
      if now &- start >= Self.patience { suspect(group) }
    }
  }

  private mutating func suspect(_ group: DispatchGroup) {
    guard !isSuspected, let place = OwnItems.place(ofAllIn: group) else { return }
    isSuspected = true
    OwnItems.tell(group, in: place, doubt: "unless something else leaves the group")
  }
}
