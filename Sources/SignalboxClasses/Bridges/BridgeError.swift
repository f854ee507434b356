// BridgeError.swift: why a bridge to the toolchain's library could not be built.

/// The reason why a bridge between Signalbox's queues and the toolchain's cannot be made.
public struct BridgeError: Error, CustomStringConvertible, Sendable {
  /// The possible reasons.
  public enum Reason: Sendable {
    /// The toolchain's Dispatch is not loaded as a dynamic library, or lacks its functions for run loops; for example in a
    /// program linked with `-static-stdlib`.
    case libraryNotFound
    /// The process has no descriptor left, or /proc is not mounted.
    case noDescriptor
  }
  /// The reason of this error.
  public let reason: Reason
  /// The reason in words, and what to do about it.
  public var description: String {
    switch reason {
    case .libraryNotFound:
      "no bridge to the toolchain's Dispatch: its functions for run loops were not found in this process; link the program "
        + "dynamically, or give the dependency a queue of its own and call async in its handlers"
    case .noDescriptor:
      "no bridge to the toolchain's Dispatch: its event descriptor could not be opened or found; close descriptors, or raise "
        + "their limit (ulimit -n), and see that /proc is mounted"
    }
  }
}
