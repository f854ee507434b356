// DispatchObject.swift: what queues, groups and semaphores have in common.
import SignalboxDiagnosis

/// The base of all dispatch objects: suspension, activation, target. Objects are equal only to themselves.
///
/// Thread safety: every method may be called from any thread.
public class DispatchObject: Hashable, @unchecked Sendable {
  // SAFETY of @unchecked: no stored properties here; each subclass argues for its own.

  init() {}

  /// Lets an inactive queue run its items; no effect on an active one, on groups and on semaphores.
  public func activate() {}
  /// Keeps the object's items from starting until a matching `resume()`; no effect on main and global queues, groups, semaphores.
  public func suspend() {}
  /// Takes one `suspend()` back.
  public func resume() {}
  /// Sets the queue that the object's items run on; nil means the default global queue. No effect on groups and semaphores.
  public func setTarget(queue: DispatchQueue?) {}

  /// What `description` shows of the object, which lies at `address`.
  func text(at address: UInt) -> String { ObjectText.plain("\(type(of: self))", nil, address, []) }

  /// Whether both are the same object.
  public static func == (left: DispatchObject, right: DispatchObject) -> Bool { left === right }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
