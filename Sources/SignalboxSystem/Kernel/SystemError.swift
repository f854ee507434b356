// SystemError.swift: a refusal of the environment as a value: which call, which errno, in words.
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

/// The system's numbers for errors that layers above return by themselves.
public enum ErrorNumber {
  /// `EDEADLK`: the caller would wait for itself.
  public static let deadlock = EDEADLK
  /// `EPERM`: not the caller's to do.
  public static let notPermitted = EPERM
  /// `EBADF`: no open descriptor.
  public static let badDescriptor = EBADF
  /// `EFAULT`: no memory lies there.
  package static let noMemoryThere = EFAULT
  /// `ENOENT`: there is no such thing.
  public static let noEntry = ENOENT
  /// `EEXIST`: it is there already.
  public static let exists = EEXIST
}
