// NamingTime.swift: how long a report waits for names: two seconds, and longer as long as somebody works on them.
import SignalboxSystem

/// The time that naming may take: a while in any case, and beyond that as long as the work goes on, up to a limit. So a busy machine
/// gets its names later, and a helper that sleeps or hangs costs a report no more than that while.
struct NamingTime {
  /// Nanoseconds that may pass in any case.
  let least: UInt64
  /// Nanoseconds at most, as a multiple of that.
  static let factor: UInt64 = 10
  /// Nanoseconds after which work that is not seen has stopped: two programs may hand it to one another just then.
  private static let gap: UInt64 = 200_000_000

  private let begin = Clock.uptime()
  private var worked: UInt64

  init(least: UInt64) {
    self.least = least
    worked = Clock.uptime()
  }

  /// Whether it is over. Asks whether the work goes on only once the least time has passed.
  mutating func isOver(isWorking: () -> Bool) -> Bool {
    let now = Clock.uptime()
    if now &- begin < least { return false }
    if now &- begin >= Self.factor * least { return true }
    if isWorking() { worked = now }
    return now &- max(worked, begin &+ least) >= Self.gap
  }

  /// When to check again.
  var next: UInt64 { max(begin &+ least, Clock.uptime() &+ 50_000_000) }
}
