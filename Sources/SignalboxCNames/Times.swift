// Times.swift: points in time as C makes them. What the bits of one mean is described at dispatch_time_t.
import SignalboxDispatch

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
