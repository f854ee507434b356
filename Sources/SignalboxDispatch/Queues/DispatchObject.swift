// DispatchObject.swift: what queues, groups and semaphores have in common.
import SignalboxWaits

/// The base class of all dispatch objects, with suspension, activation and the target queue. Objects are compared by identity.
///
/// Thread safety: every method may be called from any thread.
public class DispatchObject: Hashable, @unchecked Sendable {
  // SAFETY of @unchecked: no stored properties here; each subclass argues for its own.

  init() {}

  /// Activates an inactive queue or source; has no effect on an active one, on groups and on semaphores.
  public func activate() {}
  /// Prevents the object's items from starting until a matching `resume()`; has no effect on main and global queues, groups and
  /// semaphores.
  public func suspend() {}
  /// Reverses one `suspend()`.
  public func resume() {}
  /// Sets the queue that runs the object's items; nil means the default global queue. Has no effect on groups and semaphores.
  public func setTarget(queue: DispatchQueue?) {}

  /// What `description` shows of the object, which lies at `address`.
  func text(at address: UInt) -> String { ObjectText.plain("\(type(of: self))", nil, address, []) }

  /// The address that all that the object runs follows, in the thread sanitizer's eyes.
  var sanitizedCause: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Whether both are the same object.
  public static func == (left: DispatchObject, right: DispatchObject) -> Bool { left === right }
  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
