// Semaphores.swift: counting semaphores. Any thread may call; a nil semaphore stops the program in all but the first.
import SignalboxDispatch

/// Creates a semaphore.
///
/// - Parameter value: the initial count: the number of waits that pass without blocking.
/// - Returns: nil if `value` is negative. A variable set from this is an optional that the functions below accept.
public func dispatch_semaphore_create(_ value: Int) -> dispatch_semaphore_t! {
  value < 0 ? nil : DispatchSemaphore(value: value)
}

/// Takes one from the count; blocks while it is zero, at most until `timeout`.
///
/// - Returns: 0 if one was taken; non-zero on timeout, and the semaphore is unchanged.
@discardableResult
public func dispatch_semaphore_wait(_ dsema: dispatch_semaphore_t?, _ timeout: dispatch_time_t) -> Int {
  present(dsema).wait(raw: timeout).number
}

/// Adds one to the count and wakes one waiting thread, if there is one.
///
/// - Returns: non-zero if a thread was woken, else 0.
@discardableResult
public func dispatch_semaphore_signal(_ dsema: dispatch_semaphore_t?) -> Int { present(dsema).signal() }
