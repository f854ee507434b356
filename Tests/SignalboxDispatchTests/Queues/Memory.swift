// Memory.swift: what memory this process uses, by the kernel's and the allocator's own account. For child processes only.
import Glibc

@testable import SignalboxDispatch

enum Memory {
  /// Bytes that are resident.
  static func resident() -> Int {
    let pages = (Kernel.contents("/proc/self/statm") ?? "").split(separator: " ")
    return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Bytes the allocator has given out, those in its per-thread caches included.
  static func allocated() -> Int {
    // Swift's import of the C library lacks the allocator's own calls.
    typealias Call = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
    let info = unsafeBitCast(dlsym(nil, "malloc_info")!, to: Call.self)
    var (text, size) = (UnsafeMutablePointer<CChar>?.none, 0)
    guard let file = open_memstream(&text, &size) else { return 0 }
    _ = info(0, file)
    fclose(file)
    defer { free(text) }
    // The totals stand after the last heap: <total type="rest" …/> <total type="mmap" …/> <system type="current" …/>.
    let lines = String(cString: text!).split(separator: "\n")
    func total(_ start: String) -> Int {
      guard let line = lines.last(where: { $0.hasPrefix(start) }) else { return 0 }
      let parts = line.split(separator: "\"")
      return Int(parts[parts.count - 2]) ?? 0
    }
    return total("<system type=\"current\"") + total("<total type=\"mmap\"") - total("<total type=\"rest\"")
      - total("<total type=\"fast\"")
  }

  /// Bytes of the block the allocator gave out at `address`.
  static func blockSize(_ address: UInt) -> Int {
    typealias Call = @convention(c) (UnsafeMutableRawPointer) -> Int
    return unsafeBitCast(dlsym(nil, "malloc_usable_size")!, to: Call.self)(UnsafeMutableRawPointer(bitPattern: address)!)
  }
}
