// Workloops.swift: queues that order by quality of service: making them, setting them up. Other queues are QueueCreation.swift.
import SignalboxDispatch

/// A new workloop, active.
///
/// - Parameter label: a name for debugging, copied; nil is the empty name.
/// - Note: Thread safety: any thread. `dispatch_sync` is refused on it: `dispatch_async_and_wait` is the way to wait.
public func dispatch_workloop_create(_ label: UnsafePointer<CChar>?) -> dispatch_workloop_t {
  DispatchWorkloop(label: label.map { String(cString: $0) } ?? "")
}

/// A new workloop that waits for `dispatch_activate`.
public func dispatch_workloop_create_inactive(_ label: UnsafePointer<CChar>?) -> dispatch_workloop_t {
  DispatchWorkloop(label: label.map { String(cString: $0) } ?? "", attributes: .initiallyInactive)
}

/// Accepted before the workloop is activated: Linux has no autorelease pools.
public func dispatch_workloop_set_autorelease_frequency(
  _ workloop: dispatch_workloop_t?, _ frequency: dispatch_autorelease_frequency_t
) { present(workloop).checkIsInactive("dispatch_workloop_set_autorelease_frequency") }
