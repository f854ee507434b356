// EventCounts.swift: how often each operation happened, for tests.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

package enum EventCounts {
  private static let counts = InlineArray<256, Atomic64> { _ in Atomic64(0) }

  static func hears(_ event: Event) {
    _ = counts[Int(event.kind.rawValue)].addRelaxed(1)  // relaxed: statistics, read alone
  }

  /// How often that happened while operations were counted.
  // relaxed: statistics, nothing is read through the number
  package static func count(of kind: EventKind) -> UInt64 { counts[Int(kind.rawValue)].loadRelaxed() }
}
