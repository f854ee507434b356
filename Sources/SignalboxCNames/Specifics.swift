// Specifics.swift: words that queues keep under keys. Any thread may call; a nil queue stops the program.
import SignalboxDispatch

/// Stores `context` with `queue` under `key`, replacing the previous one.
///
/// - Parameters:
///   - queue: any queue; nil stops the program.
///   - key: an address that serves as a unique key, such as that of a global variable; nothing behind it is read. Nil has no
///     effect.
///   - context: nil removes the stored one.
///   - destructor: called with `context` on the default global queue when it is replaced or the queue is gone; nil if there is
///     nothing to do. Ignored if `context` is nil.
public func dispatch_queue_set_specific(
  _ queue: dispatch_queue_t?, _ key: UnsafeRawPointer?, _ context: UnsafeMutableRawPointer?,
  _ destructor: dispatch_function_t?
) {
  guard let key else { return }
  present(queue).setRawSpecific(key: key, value: context, destructor: destructor)
}

/// The context stored with `queue` itself under `key`; nil if there is none.
public func dispatch_queue_get_specific(_ queue: dispatch_queue_t?, _ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  guard let key else { return nil }
  return present(queue).rawSpecific(key: key)
}

/// The context stored under `key` with the queue whose item is running, or else with the nearest queue along its targets; nil
/// if there is none, and outside of items.
public func dispatch_get_specific(_ key: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
  guard let key else { return nil }
  return DispatchQueue.currentRawSpecific(key: key)
}
