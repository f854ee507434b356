// Memory.swift: giving memory back to whoever it came from: the C library's heap, the kernel's mappings.
import Glibc

/// Memory that others allocated.
public enum Memory {
  /// Gives back what `malloc` and its family allocated; nil is nothing.
  @inlinable public static func free(_ address: UnsafeRawPointer?) { Glibc.free(UnsafeMutableRawPointer(mutating: address)) }

  /// At least one byte of the heap, to be given back by `free`; a heap that has no more ends the program, as Swift's own does.
  @inlinable
  public static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    guard let address = malloc(max(count, 1)) else { outOfMemory(count) }
    return address
  }

  /// At least one byte of the heap, to be given back by `free`; nil if the heap has no more.
  public static func tryAllocate(_ count: Int) -> UnsafeMutableRawPointer? { malloc(max(count, 1)) }

  /// The same memory, or another with the same beginning, of `count` bytes; at least one. Never fails.
  public static func shrink(_ address: UnsafeMutableRawPointer, to count: Int) -> UnsafeMutableRawPointer {
    realloc(address, max(count, 1)) ?? address
  }

  @usableFromInline @inline(never)
  static func outOfMemory(_ count: Int) -> Never { fatalError("no memory for \(count) bytes") }

  /// Zeros in pages of their own, which take up no memory before they are written to; nil if the kernel has no room. For the life of the
  /// process.
  package static func mapZeros(_ count: Int) -> UnsafeMutableRawPointer? {
    let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    return start == MAP_FAILED ? nil : start
  }

  /// Addresses in which nothing may be read or written, and which take up no memory; nil if the kernel has no room. To be given back by
  /// `unmap`.
  package static func mapNothing(_ count: Int) -> UnsafeMutableRawPointer? {
    let start = mmap(nil, count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    return start == MAP_FAILED ? nil : start
  }

  /// Removes the mappings of `count` bytes from `address` on.
  ///
  /// - Throws: `EINVAL` for an address that is not a page's or for no bytes at all; `ENOMEM` when a mapping would have to be
  ///   divided and the kernel's bound on their number is reached: nothing was removed then.
  public static func unmap(_ address: UnsafeRawPointer, _ count: Int) throws(SystemError) {
    try checkedErrno("munmap", munmap(UnsafeMutableRawPointer(mutating: address), count))
  }
}
