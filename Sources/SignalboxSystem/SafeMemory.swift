// SafeMemory.swift: reading words of this process that may be unmapped by now: for looking at other threads' objects.
import CSignalbox
import Glibc

/// Reads that fail instead of faulting.
public enum SafeMemory {
  /// The 64-bit word at `address`; nil when no memory is there any more.
  ///
  /// - Parameter isAlive: the caller keeps the word's object alive: it is read plainly.
  /// - Note: one system call, allocates nothing. Where the kernel refuses the call (a strict seccomp profile) the word is read
  ///   plainly: callers only name objects that a sleeping thread refers to.
  public static func word64(_ address: UInt, isAlive: Bool = false) -> UInt64? {
    if isAlive { return UnsafePointer<Atomic64>(bitPattern: address)!.pointee.loadRelaxed() }
    var value: UInt64 = 0
    return read(address, &value, 8) { UnsafePointer<Atomic64>(bitPattern: address)!.pointee.loadRelaxed() }
  }

  /// The 32-bit word at `address`; nil when no memory is there any more.
  public static func word32(_ address: UInt, isAlive: Bool = false) -> UInt32? {
    if isAlive { return UnsafePointer<Atomic32>(bitPattern: address)!.pointee.loadRelaxed() }
    var value: UInt32 = 0
    return read(address, &value, 4) { UnsafePointer<Atomic32>(bitPattern: address)!.pointee.loadRelaxed() }
  }

  @inline(__always)
  private static func read<T: BitwiseCopyable>(_ address: UInt, _ value: inout T, _ size: Int, plainly: () -> T) -> T? {
    guard address != 0, address % UInt(size) == 0 else { return nil }
    let saved = errno
    defer { errno = saved }
    let result = sb_read_memory(address, &value, size)
    if result == Int64(size) { return value }
    return result == Int64(-EPERM) || result == Int64(-ENOSYS) ? plainly() : nil
  }
}
