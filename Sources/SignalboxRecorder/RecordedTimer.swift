// RecordedTimer.swift: what the recorder hears of timers: for when one is armed, that it is armed no more, that it has come due and how late. Called
// behind the instruments byte.
import SignalboxSystem
import SignalboxWords

/// Timers that are things of their own, of sources and run loops, by their address and 1: by the address alone a source is a queue.
public enum RecordedTimer {
  /// How the thing at `address` is named.
  @inline(__always) public static func place(_ address: UInt) -> UInt64 { UInt64(address) | 1 }

  /// The timer at `place` is to fire in some nanoseconds, and at no other time that was recorded before.
  @inline(never)
  public static func armed(_ place: UInt64, in nanoseconds: UInt64, _ name: () -> String) {
    RecordHooks.name(.object, place, name)
    RecordHooks.write(.timerArmed, place, 0, min(nanoseconds, EventCell.addressMask))
  }

  /// It is armed no more.
  @inline(never) public static func cancelled(_ place: UInt64) { RecordHooks.write(.timerCancelled, place) }

  /// It has come due, or the item of a queue; its leeway has ended this many nanoseconds ago.
  @inline(never)
  public static func fired(_ place: UInt64, _ item: UInt64 = 0, late: UInt64) {
    // A clock that was set back makes it early.
    RecordHooks.write(.timerFired, place, item, (Int64(bitPattern: late) < 0 ? 0 : min(late, EventCell.addressMask - 1)) + 1)
  }
}
