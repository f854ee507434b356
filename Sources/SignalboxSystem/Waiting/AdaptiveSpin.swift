// AdaptiveSpin.swift: how long a thread spins before it parks: as long as that has lately been worth it.
//
// Spinning pays when whoever we wait for runs on another processor. When it does not (it shares our processor, or others keep
// the machine busy) every pause is taken from it. Each thread keeps a budget: doubled when the spin was answered, halved when
// it ended in a park; every 32nd failure tries the whole length again, so that a quiet machine is noticed.

/// How many rounds a thread spins before it does something else, if that is to be `count`. An explorer lets nobody else run meanwhile,
/// so that a thread of its own makes `least`.
@inlinable @inline(__always)
public func spinRounds(_ count: Int, least: Int = 0) -> Int {
  #if Explore
  return ExploreControl.hasCaller ? least : count
  #else
  return count
  #endif
}

/// Spinning within a budget that follows success.
public enum AdaptiveSpin {
  @inlinable static var least: UInt64 { 8 }

  /// Spins until `isAnswered` or the budget's end; returns whether it was answered. `memory` is the thread's own word: the
  /// budget's divisor as a power of two in the low half, failures in the high half; 0 at first: the whole length.
  @inlinable @inline(__always)
  public static func run(_ memory: UnsafeMutablePointer<UInt64>, limit: Int, _ isAnswered: () -> Bool) -> Bool {
    if isAnswered() { return true }
    guard spinRounds(limit) > 0 else { return false }
    let shift = memory.pointee & 0xF
    let failures = memory.pointee >> 32
    let budget = failures & 31 == 31 ? UInt64(limit) : max(least, UInt64(limit) >> shift)
    var left = budget
    while left > 0 {
      spinPause()
      if isAnswered() {
        memory.pointee = shift > 0 ? shift - 1 : 0
        return true
      }
      left -= 1
    }
    memory.pointee = min(shift + 1, 6) | (failures &+ 1) << 32
    return false
  }
}
