// DispatchQueue+Unsafe.swift: submitting closures that the compiler does not know to be safe to send. DispatchQueue+Async.swift is the
// way for those that are; both ways at a later time are in DispatchQueue+After.swift.

extension DispatchQueue {
  /// Like `async(group:qos:flags:execute:)`, but the closure need not be `Sendable`: the caller makes sure that its captures are
  /// used by one thread at a time.
  @inlinable
  public final func asyncUnsafe(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: consuming @escaping () -> Void
  ) { async(group: group, qos: qos, flags: flags, execute: Self.assumingSendable(work)) }

  @inlinable @inline(__always)
  static func assumingSendable(_ work: consuming @escaping () -> Void) -> @Sendable () -> Void {
    // SAFETY: both types have one representation; whether the closure may be called elsewhere is the caller's to know.
    unsafeBitCast(Plain(closure: work), to: Sent.self).closure
  }

  // In a structure a closure is cast as it is. By itself it would be wrapped for the generic function, twice.
  @frozen @usableFromInline struct Plain {
    @usableFromInline let closure: () -> Void
    @inlinable init(closure: @escaping () -> Void) { self.closure = closure }
  }
  @frozen @usableFromInline struct Sent { @usableFromInline let closure: @Sendable () -> Void }
}
