// SystemError.swift: a refusal of the environment as a value: which call, which errno, in words; and whether it can be
// mended from outside, or the kernel lacks something.
import CSignalbox
import Glibc

/// The machine refused something: no thread, no memory, no descriptor.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call that failed, as its manual page names it.
  public let call: String
  /// The `errno` value it left.
  public let code: Int32

  /// Creates the error for `call` that failed with `errno` value `code`.
  public init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// The call and the system's own words for the code.
  public var description: String { "\(call): \(String(cString: strerror(code))) (errno \(code))" }
}

/// Turns a wrapper's negated errno into a thrown `SystemError`.
@discardableResult
func checked(_ call: String, _ result: Int32) throws(SystemError) -> Int32 {
  guard result >= 0 else { throw SystemError(call: call, code: -result) }
  return result
}

/// Turns the result of a call that sets `errno` into a thrown `SystemError`.
func checkedErrno(_ call: String, _ result: Int32) throws(SystemError) {
  guard result >= 0 else { throw SystemError(call: call, code: errno) }
}

// MARK: what can be mended

extension SystemError {
  /// What was met that can be raised or granted from outside.
  public enum Limit: Sendable {
    /// Of descriptors, or of the instances that the kernel counts with them.
    case descriptors
    /// Of what a call may hold.
    case space
    /// Of what this user may do.
    case permission
    /// None of these.
    case none
  }

  /// What was met.
  public var limit: Limit {
    switch code {
    case EMFILE, ENFILE: .descriptors
    case ENOSPC: .space
    case EACCES, EPERM: .permission
    default: .none
    }
  }

  /// The kernel does not know the call, or what it was asked for.
  public var isUnsupported: Bool { [ENOSYS, EOPNOTSUPP, EPROTONOSUPPORT, EAFNOSUPPORT].contains(code) }
}
