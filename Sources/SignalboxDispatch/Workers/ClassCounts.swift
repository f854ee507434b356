// ClassCounts.swift: how many workers run jobs of each class: whether urgent work waits behind work that is less so.
//
// A worker counts itself, and only when its class changes, so jobs of one class cost nothing. What waits in the program's own calls
// is counted until the job ends: the counts say where a worker is wanted, and nothing depends on their being right.
import SignalboxSystem

struct ClassCounts: ~Copyable, Sendable {
  /// The place among the classes of a worker without a job.
  static let none = -1

  private let counts = InlineArray<5, Atomic32> { _ in Atomic32(0) }

  /// A worker that ran a job of the class at `old` runs one of that at `new`; either may be `none`.
  @inline(never) func change(from old: Int, to new: Int) {
    // relaxed: hints, read one by one.
    if old != Self.none { _ = counts[old].addRelaxed(~0) }
    if new != Self.none { _ = counts[new].addRelaxed(1) }
  }

  /// How many run jobs of the class at `place`, or of a more urgent one.
  func atLeast(_ place: Int) -> UInt64 {
    var sum: UInt64 = 0
    for more in 0...place { sum += UInt64(counts[more].loadRelaxed()) }  // relaxed: as above
    return sum
  }
}
