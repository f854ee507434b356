// SystemError+Limits.swift: which refusals can be mended from outside, and how they are distinguished from a kernel that lacks something.
import Glibc

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
