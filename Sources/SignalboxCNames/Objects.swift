// Objects.swift: what C does to any dispatch object: suspending, retargeting, context, references. Any thread may call.
//
// A nil object stops the program.
import SignalboxDispatch

/// Lets an inactive queue run its items; no effect on any other object.
public func dispatch_activate(_ object: dispatch_object_t?) { present(object).activate() }

/// Keeps the object's items from starting; one that runs is not disturbed. No effect on main and global queues, on groups and
/// on semaphores. Each call needs one `dispatch_resume`.
public func dispatch_suspend(_ object: dispatch_object_t?) { present(object).suspend() }

/// Takes one `dispatch_suspend` back. Stops the program if there was none; no effect where suspending has none.
public func dispatch_resume(_ object: dispatch_object_t?) { present(object).resume() }

/// Makes `queue` the place where the object's items run.
///
/// A queue made by `dispatch_queue_create` may be retargeted while it is active: items that were submitted before may still run
/// by the old target. An inactive one changes at once. Any other queue that is active stops the program, and so does a cycle.
/// No effect on main and global queues.
/// - Parameter queue: nil (`DISPATCH_TARGET_QUEUE_DEFAULT`) is the default target of that kind of object.
public func dispatch_set_target_queue(_ object: dispatch_object_t?, _ queue: dispatch_queue_t?) {
  let object = present(object)
  if !Engine.isShared(object) { object.setTarget(queue: queue) }
}

/// The least urgent that the object's items count as, as if it had a target of that class.
///
/// - Parameters:
///   - object: a queue, workloop or source; no effect on any other. One that is active stops the program.
///   - qos_class: one of the `QOS_CLASS_` constants; an unknown one is none.
public func dispatch_set_qos_class_floor(
  _ object: dispatch_object_t?, _ qos_class: dispatch_qos_class_t, _ relative_priority: Int32
) { Engine.setFloor(of: present(object), qos_class, relative_priority) }

// MARK: context

/// The word that `dispatch_set_context` left at the object, nil if none.
public func dispatch_get_context(_ object: dispatch_object_t?) -> UnsafeMutableRawPointer? {
  Engine.context(of: present(object))
}

/// Leaves a word at the object; whoever sets it answers for what it points to. No effect on main and global queues.
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

/// Takes one `dispatch_retain` back.
///
/// Without one it has no effect: the reference that making an object gives is Swift's to release, so code that pairs
/// `dispatch_queue_create` with `dispatch_release`, as C without ARC does, stays right.
public func dispatch_release(_ object: dispatch_object_t?) { ManualReferences.shared.release(present(object)) }

// MARK: debugging

/// Writes `message` and a description of the object to standard error.
///
/// - Parameter message: plain text: Swift's interpolation takes the place of C's format and arguments.
public func dispatch_debug(_ object: dispatch_object_t?, _ message: String) {
  Engine.report("\(message): \(Engine.describe(present(object)))")
}
