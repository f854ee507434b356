// ClassCounts.swift: how many workers run jobs of each class: whether urgent work waits behind work that is less so.
//
// A worker counts itself, and only when its class changes, so jobs of one class cost nothing. What waits in the program's own calls
// is counted until the job ends: the counts say where a worker is wanted, and nothing depends on their being right.
import SignalboxSystem
import SignalboxWords

struct ClassCounts: ~Copyable, Sendable {
  private let counts = InlineArray<5, Atomic32> { _ in Atomic32(0) }

  /// A worker that ran a job of class `old` runs one of class `new`; nil: none.
  @inline(never) func change(from old: ServiceClass?, to new: ServiceClass?) {
    // relaxed: hints, read one by one.
    if let old { _ = counts[old.rawValue].addRelaxed(~0) }
    if let new { _ = counts[new.rawValue].addRelaxed(1) }
  }

  /// How many run jobs of the class, or of a more urgent one.
  func atLeast(_ serviceClass: ServiceClass) -> UInt64 {
    var sum: UInt64 = 0
    for more in 0...serviceClass.rawValue { sum += UInt64(counts[more].loadRelaxed()) }  // relaxed: as above
    return sum
  }
}
