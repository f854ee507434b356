// SanitizerThread.swift: the thread that the thread sanitizer's runtime has for itself.
import CSignalbox

extension KernelCall {
  /// Whether the sanitizer's runtime sleeps here, in a thread of its own, which wakes every 100 ms and does nothing for
  /// the program.
  ///
  /// The runtime is part of the program and makes its calls itself; all other calls are instructions of the C library.
  public var isOfSanitizer: Bool { endsByTime && SanitizerThread.code?.contains(programCounter) == true }
}

private enum SanitizerThread {
  /// The part of memory in which the runtime's functions lie; nil without the sanitizer.
  static let code: Range<UInt>? = {
    let address = sb_sanitizer_address()
    guard address != 0 else { return nil }
    var found: Range<UInt>?
    MappedImages().forEach { range, _, _ in if range.contains(address) { found = range } }
    return found
  }()
}
