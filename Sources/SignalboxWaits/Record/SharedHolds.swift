// SharedHolds.swift: what the calling thread holds together with others: a short list in its own record.
//
// What many threads hold at once cannot name them; so each thread names it: the reader-writer locks it reads, the
// parallel loops whose bodies it runs. The first eight are listed, packed at the front (0 ends the list); beyond that
// only their number is known: all works, but reports and re-entry do not see it.
import CSignalbox
public import SignalboxSystem

/// The calling thread's shared holds. One entry for each, so a lock that is held twice is listed twice.
public enum SharedHolds {
  private static let capacity = Int(SB_WAIT_SHARED)

  /// The object at `address` is held once more.
  @inlinable @inline(__always) public static func add(_ address: UInt) {
    let thread = ThreadSlot.current
    guard _fastPath(thread.pointee.shared_count == 0) else { return addBehind(address) }
    thread.pointee.shared.0 = UInt64(address)
    thread.pointee.shared_count = 1
  }

  /// The object at `address` is held once less. False if this thread cannot be holding it.
  public static func remove(_ address: UInt) -> Bool {
    if isOnly(address) {
      removeOnly()
      return true
    }
    return removeBehind(address)
  }

  /// Whether the object at `address` is all that this thread holds so, once.
  @inlinable @inline(__always) public static func isOnly(_ address: UInt) -> Bool {
    let thread = ThreadSlot.current
    return thread.pointee.shared_count == 1 && thread.pointee.shared.0 == UInt64(address)
  }

  /// The one object is held no more: after `isOnly`.
  @inlinable @inline(__always) public static func removeOnly() {
    let thread = ThreadSlot.current
    thread.pointee.shared.0 = 0
    thread.pointee.shared_count = 0
  }

  @inline(never) @usableFromInline package static func addBehind(_ address: UInt) {
    let thread = ThreadSlot.current
    let list = sb_thread_shared(thread)
    let end = listed(list)
    if end < capacity { list[end] = UInt64(address) }
    thread.pointee.shared_count += 1
  }

  private static func removeBehind(_ address: UInt) -> Bool {
    let thread = ThreadSlot.current
    let list = sb_thread_shared(thread)
    let end = listed(list)
    for index in (0..<end).reversed() where list[index] == UInt64(address) {
      list[index] = list[end - 1]
      list[end - 1] = 0
      thread.pointee.shared_count -= 1
      return true
    }
    // Holds that found the list full: this may be one of them.
    guard thread.pointee.shared_count > UInt64(end) else { return false }
    thread.pointee.shared_count -= 1
    return true
  }

  /// Whether the object at `address` is known to be held.
  public static func contains(_ address: UInt) -> Bool {
    let list = sb_thread_shared(ThreadSlot.current)
    for index in 0..<listed(list) where list[index] == UInt64(address) { return true }
    return false
  }

  private static func listed(_ list: UnsafeMutablePointer<UInt64>) -> Int {
    var end = 0
    while end < capacity, list[end] != 0 { end += 1 }
    return end
  }
}
