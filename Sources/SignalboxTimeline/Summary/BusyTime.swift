// BusyTime.swift: for how long one or more of many things run, which may run beside each other: time in which several
// do counts once, so it is never more than the recording has. What they take all together is Spread.swift.
import SignalboxSystem

/// Times in nanoseconds, in their order.
struct BusyTime {
  private var running = 0
  private var since: ReadNumber = 0
  private var ended: ReadNumber = 0

  mutating func begins(at time: ReadNumber) {
    if running == 0 { since = time }
    running += 1
  }

  mutating func ends(at time: ReadNumber) {
    guard running > 0 else { return }
    running -= 1
    if running == 0 { ended += time - since }
  }

  /// Up to a moment at which some may run still.
  func total(until end: ReadNumber) -> ReadNumber { running > 0 ? ended + (end - since) : ended }
}
