// AllocatedBytes.swift: how much of the heap is given out, by the C library's own account.
import Glibc

/// Bytes the C library's allocator has given out in this process, by its own account.
public func allocatedBytes() -> Int {
  // Swift's import of the C library lacks the allocator's own calls.
  typealias Call = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
  let info = unsafeBitCast(dlsym(nil, "malloc_info")!, to: Call.self)
  var (text, size) = (UnsafeMutablePointer<CChar>?.none, 0)
  guard let file = open_memstream(&text, &size) else { return 0 }
  _ = info(0, file)
  fclose(file)
  defer { free(text) }
  let lines = String(cString: text!).split(separator: "\n")
  // The last line of a kind is the total: its second attribute is the size.
  func total(_ start: String) -> Int {
    let parts = lines.last { $0.hasPrefix(start) }?.split(separator: "\"") ?? []
    return parts.count > 1 ? Int(parts[parts.count - 2]) ?? 0 : 0
  }
  return total("<system type=\"current\"") + total("<total type=\"mmap\"") - total("<total type=\"rest\"")
    - total("<total type=\"fast\"")
}
