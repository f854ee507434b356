// Orders.swift: orders of memory accesses that are no part of an atomic operation: a barrier on all threads of the
// process, and orders for the thread sanitizer. One thread makes the barrier, so that the others' fast paths need none.
public import CSignalbox
import Glibc

/// Orders of memory accesses that are no part of an atomic operation.
public enum Barrier {
  /// Has every running thread of this process pass a full memory barrier, the caller included, before it returns.
  ///
  /// Of each access that another thread makes, then, either its effect is visible to the caller, or it comes after everything
  /// the caller has done before. A thread that does not run has passed one when it lost its processor.
  ///
  /// - Returns: false if the kernel does not do it: too old, or a seccomp profile forbids it; or, rarely, for want of memory.
  /// - Note: one system call, and another at the process's first; some microseconds. errno is left as it was. Thread safety: any
  ///   thread; in the child of a fork too.
  public static func processWide() -> Bool {
    if explored() { return true }
    if refused.load() != 0 { return false }
    let saved = errno
    defer { errno = saved }
    switch -sb_membarrier() {
    case 0: return true
    // Not registered yet, as a child of a fork may be on some kernels; or a seccomp profile, which forbids that too.
    case EPERM: if sb_membarrier_register() == 0, sb_membarrier() == 0 { return true }
    case ENOMEM: return false  // the next may succeed
    case ENOSYS, EINVAL: break  // a kernel without the call, or before 4.14
    default: break  // whatever a seccomp profile chooses to answer
    }
    refused.store(1)
    return false
  }

  /// Keeps the compiler from moving accesses of memory across this point; no instruction.
  ///
  /// The processor may move them all the same: for pairs whose other side calls `processWide()`.
  @inlinable @inline(__always) public static func keepOrder() { sb_keep_order() }

  private static let refused = Relaxed32(0)  // relaxed: who misses it is refused itself

  /// Whether to do as on a kernel without the call.
  public static func testsOnly_refuse(_ isRefused: Bool) { refused.store(isRefused ? 1 : 0) }
}

// MARK: orders for the thread sanitizer

// It cannot see them in a program that was built with it, on a library that was not. Of locks, threads and
// libdispatch's functions it knows by itself.

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
