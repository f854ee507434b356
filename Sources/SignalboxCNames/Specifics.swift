// Specifics.swift: words that queues keep under keys. Any thread may call; a nil queue stops the program.
import SignalboxDispatch

/// Keeps `context` at `queue` under `key`, in place of what was there.
///
/// - Parameters:
///   - key: an address that serves as a name, such as that of an allocation of the caller's; nothing behind it is read. Nil has no
///     effect.
///   - context: nil removes what was there.
///   - destructor: called with `context` on the default global queue once it is replaced or the queue is gone; nil if there is
///     nothing to do. Ignored if `context` is nil.
public func dispatch_queue_set_specific(
  _ queue: dispatch_queue_t?, _ key: UnsafeRawPointer?, _ context: UnsafeMutableRawPointer?,
  _ destructor: dispatch_function_t?
) {
  guard let key else { return }
  present(queue).setRawSpecific(key: key, value: context, destructor: destructor)
}

/// What `queue` itself keeps under `key`, nil if nothing.
public func dispatch_queue_get_specific(_ queue: dispatch_queue_t?, _ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  guard let key else { return nil }
  return present(queue).rawSpecific(key: key)
}

/// What the queue whose item is running keeps under `key`, or else its target, and so on; nil if none of them does, and
/// outside of items.
public func dispatch_get_specific(_ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  guard let key else { return nil }
  return DispatchQueue.currentRawSpecific(key: key)
}
