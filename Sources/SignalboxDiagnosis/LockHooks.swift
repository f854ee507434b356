// LockHooks.swift: what the lock types tell the instruments: about to take, taken, not taken, given back. Off: one look at a byte.
import SignalboxSystem

/// One acquisition, as the instruments see it.
public struct LockHooks {
  /// How the lock is asked for.
  public enum Request: Sendable {
    case lock, timedLock, tryLock
  }

  /// Called before a lock is taken, in the out-of-line path only.
  @inline(__always)
  public static func begin(_ request: Request, _ kind: WaitKind, _ address: UInt) -> LockHooks { LockHooks() }
  /// The lock is held now.
  @inline(__always) public func acquired() {}
  /// The lock was not got.
  @inline(__always) public func failed() {}
  /// Called by the holder before it gives the lock back.
  @inline(__always) public static func released(_ kind: WaitKind, _ address: UInt) {}
}
