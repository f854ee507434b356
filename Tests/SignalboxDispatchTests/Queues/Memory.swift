// Memory.swift: what memory this process uses, by the kernel's and the allocator's own account. For child processes only.
import Glibc
import SignalboxTestSupport

@testable import SignalboxDispatch

enum Memory {
  /// Bytes that are resident.
  static func resident() -> Int {
    let pages = (Kernel.contents("/proc/self/statm") ?? "").split(separator: " ")
    return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Bytes the allocator has given out, those in its per-thread caches included.
  static func allocated() -> Int { allocatedBytes() }

  /// Bytes of the block the allocator gave out at `address`.
  static func blockSize(_ address: UInt) -> Int {
    typealias Call = @convention(c) (UnsafeMutableRawPointer) -> Int
    return unsafeBitCast(dlsym(nil, "malloc_usable_size")!, to: Call.self)(UnsafeMutableRawPointer(bitPattern: address)!)
  }
}
