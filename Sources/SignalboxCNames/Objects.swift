// Objects.swift: what C does to any dispatch object: suspending, retargeting, context, references. Any thread may call.
//
// A nil object stops the program.
import SignalboxDispatch
import SignalboxLocks

/// Activates an inactive queue, so that its items run; has no effect on other objects.
public func dispatch_activate(_ object: dispatch_object_t?) { present(object).activate() }

/// Prevents the object's items from starting; a running item continues. Has no effect on main and global queues, on groups and
/// on semaphores. Each call needs one `dispatch_resume`.
public func dispatch_suspend(_ object: dispatch_object_t?) { present(object).suspend() }

/// Reverses one `dispatch_suspend`. Stops the program if there was none; has no effect where suspending has none.
public func dispatch_resume(_ object: dispatch_object_t?) { present(object).resume() }

/// Sets the queue that runs the object's items.
///
/// A queue made by `dispatch_queue_create` may change its target while it is active: items submitted before may still run on
/// the old target. An inactive queue changes at once. For any other active queue the program is stopped, and so it is for a
/// cycle. No effect on main and global queues.
/// - Parameter object: a queue, a source or a channel; nil stops the program.
/// - Parameter queue: nil (`DISPATCH_TARGET_QUEUE_DEFAULT`) is the default target of that kind of object.
public func dispatch_set_target_queue(_ object: dispatch_object_t?, _ queue: dispatch_queue_t?) {
  let object = present(object)
  if !Engine.isShared(object) { object.setTarget(queue: queue) }
}

/// Sets the lowest class of the object's items, as if the object had a target of that class.
///
/// - Parameters:
///   - object: a queue, workloop or source; no effect on any other. One that is active stops the program.
///   - qos_class: one of the `QOS_CLASS_` constants; an unknown one is none.
///   - relative_priority: from 0, the highest, down to `QOS_MIN_RELATIVE_PRIORITY`.
public func dispatch_set_qos_class_floor(
  _ object: dispatch_object_t?, _ qos_class: dispatch_qos_class_t, _ relative_priority: Int32
) { Engine.setFloor(of: present(object), qos_class, relative_priority) }

// MARK: context

/// The context that `dispatch_set_context` set; nil if there is none.
public func dispatch_get_context(_ object: dispatch_object_t?) -> UnsafeMutableRawPointer? {
  Engine.context(of: present(object))
}

/// Sets the object's context; the caller owns the memory that it points to. Has no effect on main and global queues.
public func dispatch_set_context(_ object: dispatch_object_t?, _ context: UnsafeMutableRawPointer?) {
  Engine.setContext(of: present(object), context)
}

/// Sets the function that is called with the object's context when the object is gone, unless the context is nil then; it runs
/// as an item of a queue. No effect on main and global queues.
public func dispatch_set_finalizer_f(_ object: dispatch_object_t?, _ finalizer: dispatch_function_t?) {
  Engine.setFinalizer(of: present(object), finalizer)
}

// MARK: references

/// Keeps the object alive until a matching `dispatch_release`. Seldom needed: Swift counts references by itself.
public func dispatch_retain(_ object: dispatch_object_t?) { ManualReferences.shared.retain(present(object)) }

/// Reverses one `dispatch_retain`.
///
/// Without a `dispatch_retain` it has no effect: Swift releases the reference from the object's creation, so code that pairs
/// `dispatch_queue_create` with `dispatch_release`, as C without ARC does, stays correct.
public func dispatch_release(_ object: dispatch_object_t?) { ManualReferences.shared.release(present(object)) }

// MARK: debugging

/// Writes `message` and a description of the object to standard error.
///
/// - Parameter object: what to describe; nil stops the program.
/// - Parameter message: plain text: Swift's interpolation takes the place of C's format and arguments.
public func dispatch_debug(_ object: dispatch_object_t?, _ message: String) {
  Engine.report("\(message): \(Engine.describe(present(object)))")
}

// MARK: how many dispatch_retain calls an object still owes a dispatch_release

/// The balance of retains by hand, so that a release too many is harmless instead of freeing what Swift still uses.
final class ManualReferences: Sendable {
  static let shared = ManualReferences()
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`. An entry exists only while its object is retained here, so no address is ever reused under it.
  nonisolated(unsafe) private var counts: [ObjectIdentifier: Int] = [:]

  func retain(_ object: DispatchObject) {
    _ = Unmanaged.passRetained(object)
    lock.withLock { counts[ObjectIdentifier(object), default: 0] += 1 }
  }

  func release(_ object: DispatchObject) {
    let wasRetained = lock.withLock {
      guard let count = counts[ObjectIdentifier(object)] else { return false }
      counts[ObjectIdentifier(object)] = count > 1 ? count - 1 : nil
      return true
    }
    if wasRetained { Unmanaged.passUnretained(object).release() }
  }
}
