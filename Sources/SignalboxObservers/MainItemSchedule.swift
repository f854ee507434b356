// MainItemSchedule.swift: when to check the item that the main queue runs, and when to report it. Pure: no clock, no
// threads. The code that checks it is MainItemMonitor.swift.

/// What is known of the main queue's items from one check to the next.
struct MainItemSchedule: Equatable {
  /// What one check finds.
  struct Found: Equatable {
    /// Counts beginnings and ends of items: odd while one runs.
    var number: UInt64
    /// When the item that runs began, in nanoseconds of uptime.
    var began: UInt64 = 0

    var isRunning: Bool { number & 1 == 1 }
  }

  /// What is to be done after a check.
  enum Action: Equatable {
    /// The item has run for as long as the limit, and was not reported: report it, and check again.
    case report
    /// Check again at this time.
    case check(at: UInt64)
    /// Nothing has run for some checks: sleep until an item begins.
    case sleep
  }

  /// Checks without an item after which there is none until one begins: an item that begins costs a system call then.
  static let idleChecks = 8

  private var told: UInt64 = 0
  private var last: UInt64 = 0
  private var idle = 0

  /// A check at `now`: what it asks for.
  mutating func next(_ found: Found, limit: UInt64, now: UInt64) -> Action {
    defer { last = found.number }
    guard found.isRunning else { return nextWithoutItem(found, limit, now) }
    idle = 0
    // Reported: what begins after it is younger than the limit by then.
    if found.number == told { return .check(at: now &+ limit) }
    let due = found.began &+ limit
    guard now >= due else { return .check(at: due) }
    told = found.number
    return .report
  }

  private mutating func nextWithoutItem(_ found: Found, _ limit: UInt64, _ now: UInt64) -> Action {
    idle = found.number == last ? idle + 1 : 0
    return idle < Self.idleChecks ? .check(at: now &+ limit) : .sleep
  }
}
