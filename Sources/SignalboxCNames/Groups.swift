// Groups.swift: groups, semaphores, what runs once, and points in time. Any thread may call; a nil queue or semaphore
// stops the program, the latter in all but the first.
import SignalboxDispatch

// MARK: groups: sets of work that can be waited for

/// Creates a group without members.
public func dispatch_group_create() -> dispatch_group_t { DispatchGroup() }

/// Submits `block` to `queue` as a member of `group`; it leaves the group when it has ended.
@preconcurrency
public func dispatch_group_async(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ block: consuming @escaping dispatch_block_t
) {
  present(queue).async(group: group, execute: block)
}

/// Submits a call of `work` with `context` to `queue` as a member of `group`; it leaves the group when it has ended.
public func dispatch_group_async_f(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  present(queue).async(CWork(work, context), group: group, isBarrier: false)
}

/// Blocks until the group has no members, or until `timeout` has passed.
///
/// - Returns: 0 if the group is empty, non-zero on timeout; its members then keep running.
@discardableResult
public func dispatch_group_wait(_ group: dispatch_group_t, _ timeout: dispatch_time_t) -> Int {
  group.wait(Deadline(timeout)).number
}

/// Submits `block` to `queue` when the group has no members; at once if it is empty.
@preconcurrency
public func dispatch_group_notify(_ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ block: @escaping dispatch_block_t) {
  group.notify(queue: present(queue), execute: block)
}

/// Submits a call of `work` with `context` to `queue` when the group has no members; at once if it is empty.
public func dispatch_group_notify_f(
  _ group: dispatch_group_t, _ queue: dispatch_queue_t?, _ context: UnsafeMutableRawPointer?,
  _ work: @escaping dispatch_function_t
) {
  group.notify(queue: present(queue), CWork(work, context))
}

/// Enters the group; each call needs one matching `dispatch_group_leave`.
public func dispatch_group_enter(_ group: dispatch_group_t) { group.enter() }

/// Leaves the group. One call too many stops the program.
public func dispatch_group_leave(_ group: dispatch_group_t) { group.leave() }

extension DispatchTimeoutResult {
  /// As C's functions return it: 0 in time, -1 too late.
  var number: Int { self == .success ? 0 : -1 }
}

// MARK: counting semaphores

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

// MARK: running a closure once in the life of a process

// How waiters wait is described in SignalboxDispatch's OnceToken.swift.
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

// MARK: points in time as C makes them

// What the bits of one mean is described at dispatch_time_t.
/// The time `delta` nanoseconds after `when`, on the clock of `when`.
///
/// - Parameter when: `DISPATCH_TIME_NOW` reads the uptime clock, `DISPATCH_WALLTIME_NOW` the wall clock.
/// - Parameter delta: in nanoseconds; negative for earlier times.
/// - Returns: `DISPATCH_TIME_FOREVER` past the last time of that clock or if `when` is that; the earliest time before the
///   first.
/// - Note: Thread safety: any thread.
public func dispatch_time(_ when: dispatch_time_t, _ delta: Int64) -> dispatch_time_t { RawTime.adding(delta, to: when) }

/// The wall time `delta` nanoseconds after `when`.
///
/// - Parameter when: seconds and nanoseconds since 1970; nil reads the wall clock.
/// - Parameter delta: in nanoseconds; negative for earlier times.
/// - Returns: as `dispatch_time`. A `when` before 1970 gives `DISPATCH_TIME_FOREVER`, unless `delta` is negative.
/// - Note: Thread safety: any thread.
public func dispatch_walltime(_ when: UnsafePointer<timespec>?, _ delta: Int64) -> dispatch_time_t {
  guard let when else { return RawTime.adding(delta, to: RawTime.wallNow) }
  return RawTime.wall(when.pointee, adding: delta)
}
