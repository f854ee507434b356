// SanitizedOrder.swift: orders that the thread sanitizer cannot see, told to it: in a program that was built with it, on a library that
// was not. Of locks, threads and libdispatch's functions it knows by itself.
public import CSignalbox

/// What comes before what, by addresses that stand for it. Without the sanitizer nothing happens.
///
/// Thread safety: any thread.
public enum SanitizedOrder {
  /// Whether this program runs under the sanitizer; never changes.
  @inlinable @inline(__always) public static var isWatched: Bool { sb_is_sanitized() != 0 }

  /// All that the calling thread has done comes before what any thread does after it `follow`s the same address.
  public static func precede(_ address: UInt) { sb_sanitizer_release(address) }

  /// What the calling thread does from now on comes after all that threads had done when they let it `precede` the same address.
  public static func follow(_ address: UInt) { sb_sanitizer_acquire(address) }

  /// The same with one of several places of an object, which lie 8 bytes apart.
  public static func precede(_ object: AnyObject, _ place: UInt) { precede(address(object, place)) }
  /// As above.
  public static func follow(_ object: AnyObject, _ place: UInt) { follow(address(object, place)) }

  private static func address(_ object: AnyObject, _ place: UInt) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) + 8 * place
  }
}
