// Semaphores.swift: counting semaphores. Any thread may call; a nil semaphore stops the program in all but the first.
import SignalboxDispatch

/// A new semaphore.
///
/// - Parameter value: how many waits pass before the first has to wait.
/// - Returns: nil if `value` is negative. A variable set from this is an optional that the functions below accept.
public func dispatch_semaphore_create(_ value: Int) -> dispatch_semaphore_t! {
  value < 0 ? nil : DispatchSemaphore(value: value)
}

/// Takes one off the semaphore, and waits for a signal if there was none left, at the latest until `timeout` is reached.
///
/// - Returns: 0 if one was taken, another value if the time came first; then the semaphore is as before.
@discardableResult
public func dispatch_semaphore_wait(_ dsema: dispatch_semaphore_t?, _ timeout: dispatch_time_t) -> Int {
  present(dsema).wait(raw: timeout).number
}

/// Adds one to the semaphore and wakes a thread that waits for it, if there is any.
///
/// - Returns: 0 if no thread was woken, another value if one was.
@discardableResult
public func dispatch_semaphore_signal(_ dsema: dispatch_semaphore_t?) -> Int { present(dsema).signal() }
