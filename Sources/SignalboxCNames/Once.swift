// Once.swift: running a closure once in the life of a process. How waiters wait is described in SignalboxDispatch's OnceToken.swift.
import SignalboxDispatch

/// Runs `block` unless a call with the same token has already done so. Returns when that run has ended, in whichever thread.
///
/// A call from inside `block` with the same token would wait for itself: it stops the program.
///
/// - Parameter predicate: the address of a word that is 0 at first and never moves: a global or static variable passed
///   with `&`, or memory of the caller's own. Swift forbids passing a variable with `&` twice at a time on one thread, and the
///   thread sanitizer reports it on two; an `UnsafeMutablePointer` has neither limit.
/// - Parameter block: called once for each token; other callers wait until it has returned.
/// - Complexity: one load once it has run.
/// - Note: Thread safety: any thread. Memory: what `block` wrote is visible to every caller afterwards.
@inlinable
public func dispatch_once(_ predicate: UnsafeMutablePointer<dispatch_once_t>, _ block: () -> Void) {
  if !OnceToken.isPassed(predicate) { OnceToken.run(predicate, block) }
}

/// Calls `function` with `context` unless a call with the same token has done so before; see `dispatch_once`.
@inlinable
public func dispatch_once_f(
  _ predicate: UnsafeMutablePointer<dispatch_once_t>, _ context: UnsafeMutableRawPointer?, _ function: dispatch_function_t
) {
  if !OnceToken.isPassed(predicate) { OnceToken.run(predicate) { function(context) } }
}
