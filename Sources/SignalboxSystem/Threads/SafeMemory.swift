// SafeMemory.swift: reading words of this process that may be unmapped by now: for reading other threads' objects.
import CSignalbox
import Glibc

/// Reads that fail instead of faulting.
public enum SafeMemory {
  /// The 64-bit word at `address`; nil when no memory is there any more.
  ///
  /// - Parameter isAlive: the caller keeps the word's object alive: it is read plainly.
  /// - Note: one system call, allocates nothing. Where the kernel refuses that call (a strict seccomp profile) the word goes
  ///   through a pipe: some calls more, and nil where the process has no descriptor left.
  public static func word64(_ address: UInt, isAlive: Bool = false) -> UInt64? {
    // relaxed: a moment's value, as the kernel's copy below is; what may be concluded from it is the caller's to know.
    if isAlive { return UnsafePointer<Atomic64>.at(address).pointee.loadRelaxed() }
    var value: UInt64 = 0
    return read(address, &value, 8) ? value : nil
  }

  /// The 32-bit word at `address`; nil when no memory is there any more.
  public static func word32(_ address: UInt, isAlive: Bool = false) -> UInt32? {
    // relaxed: as in `word64`, a moment's value.
    if isAlive { return UnsafePointer<Atomic32>.at(address).pointee.loadRelaxed() }
    var value: UInt32 = 0
    return read(address, &value, 4) ? value : nil
  }

  private static func read(_ address: UInt, _ value: UnsafeMutableRawPointer, _ size: Int) -> Bool {
    guard address != 0, address % UInt(size) == 0 else { return false }
    let saved = errno
    defer { errno = saved }
    let result = sb_read_memory(address, value, size)
    if result == Int64(-EPERM) || result == Int64(-ENOSYS) { return readByPipe(address, value, size) }
    return result == Int64(size)
  }

  /// The `count` bytes from `address` on; nil when not all of them are there any more. As the words, but allocates.
  public static func bytes(_ address: UInt, _ count: Int) -> [UInt8]? {
    guard address != 0, count >= 0, address <= UInt.max - UInt(count) else { return nil }
    let saved = errno
    defer { errno = saved }
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, isWhole {
        let place = address + UInt(filled), size = count - filled, room = buffer.start + filled
        let result = sb_read_memory(place, room, size)
        if result == Int64(-EPERM) || result == Int64(-ENOSYS) {
          // No pipe holds less than a page.
          let part = min(size, 4096)
          isWhole = readByPipe(place, room, part)
          filled += isWhole ? part : 0
        } else {
          isWhole = result == Int64(size)
          filled += isWhole ? size : 0
        }
      }
    }
    return isWhole ? bytes : nil
  }

  /// The kernel copies into the pipe, and refuses what is not there.
  private static func readByPipe(_ address: UInt, _ value: UnsafeMutableRawPointer, _ size: Int) -> Bool {
    var ends: (reading: Int32, writing: Int32) = (-1, -1)
    // SAFETY: a tuple of two integers lies as C's array of two.
    let made = withUnsafeMutableBytes(of: &ends) { sb_pipe($0.start.assumingMemoryBound(to: Int32.self)) }
    guard made == 0 else { return false }
    defer {
      close(ends.reading)
      close(ends.writing)
    }
    guard sb_write(ends.writing, UnsafeRawPointer.at(address), size) == size else { return false }
    return sb_read(ends.reading, value, size) == size
  }
}
