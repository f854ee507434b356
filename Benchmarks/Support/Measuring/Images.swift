// Images.swift: which libraries are on the stack beneath a running closure: the evidence of which library really runs
// it.
import Glibc
import Synchronization

/// Collects the files of the program and libraries that the calling threads' stacks go through.
public final class ImageCollector: Sendable {
  private let lock = KernelSemaphore(1)
  // SAFETY: read and written only between `lock.wait()` and `lock.signal()`.
  nonisolated(unsafe) private var collected: Set<String> = []

  /// Nothing collected yet.
  public init() {}

  /// Adds the images beneath the caller.
  @inline(never)
  public func collect() {
    let images = imagesBeneathCaller()
    lock.wait()
    collected.formUnion(images)
    lock.signal()
  }

  /// The files collected so far.
  public var paths: Set<String> {
    lock.wait()
    defer { lock.signal() }
    return collected
  }
}

/// The file that holds the given symbol of the C library's namespace, as the dynamic loader binds it for this program.
public func imageHolding(symbol: String) -> String? {
  dlsym(nil, symbol).flatMap { image(of: $0) }
}

/// The layout of `Dl_info`, which the Glibc module does not show.
private struct ImageInformation {
  var file: UnsafePointer<CChar>?
  var base: UnsafeMutableRawPointer?
  var symbol: UnsafePointer<CChar>?
  var address: UnsafeMutableRawPointer?
}

private typealias AddressQuery = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> CInt
private typealias StackQuery = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, CInt) -> CInt

/// `dladdr`, found by name because the Glibc module does not show it.
private func image(of address: UnsafeRawPointer) -> String? {
  guard let function = dlsym(nil, "dladdr") else { return nil }
  // SAFETY: the C library documents exactly this signature for `dladdr`; the structure outlives the call.
  let query = unsafeBitCast(function, to: AddressQuery.self)
  var information = ImageInformation()
  guard query(address, &information) != 0, let file = information.file else { return nil }
  return String(cString: file)
}

/// `backtrace`, found by name because the Glibc module does not show it.
private func imagesBeneathCaller() -> Set<String> {
  guard let function = dlsym(nil, "backtrace") else { return [] }
  // SAFETY: the C library documents exactly this signature for `backtrace`; it writes at most as many frames as the argument permits.
  let query = unsafeBitCast(function, to: StackQuery.self)
  let limit = 64
  return withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: limit) { frames in
    guard let first = frames.baseAddress else { return [] }
    let depth = Int(query(first, CInt(limit)))
    return Set((0..<depth).compactMap { frames[$0].flatMap { image(of: $0) } })
  }
}
