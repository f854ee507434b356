// CallSite.swift: where in the program a hook was called from: the return addresses outward from the hook, which is left out.
import SignalboxSystem

/// The place of a call, as long as that call lasts.
struct CallSite {
  #if DEBUG
  /// Without optimisation our own frames between the program and the hook are many.
  static let limit = 14
  #else
  static let limit = 8
  #endif

  /// The address of a variable of the hook. SAFETY: only compared with frames of the same stack, never read.
  private let variable: UInt

  /// Calls `body` with the place from which the function was called that calls this.
  @inline(__always)
  static func here<R>(_ body: (CallSite) -> R) -> R {
    var mark: UInt8 = 0
    return withUnsafePointer(to: &mark) { body(CallSite(variable: UInt(bitPattern: $0))) }
  }

  /// The return addresses, innermost first.
  @inline(__always)
  func withAddresses<R>(_ body: (UnsafeBufferPointer<UInt>) -> R) -> R {
    withUnsafeTemporaryAllocation(of: UInt.self, capacity: Self.limit) { buffer in
      let count = StackCapture.fill(buffer, above: variable)
      return body(UnsafeBufferPointer(rebasing: buffer[..<count]))
    }
  }

  var addresses: [UInt] { withAddresses { Array($0) } }
}
