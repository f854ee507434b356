// Workloops.swift: queues that order by quality of service: making them, setting them up. Other queues are QueueCreation.swift.
import SignalboxDispatch

/// Creates an active workloop.
///
/// - Parameter label: a name for debugging, which is copied; nil means an empty name.
/// - Note: Thread safety: any thread. `dispatch_sync` on a workloop stops the program: use `dispatch_async_and_wait`.
public func dispatch_workloop_create(_ label: UnsafePointer<CChar>?) -> dispatch_workloop_t {
  DispatchWorkloop(label: label.map { String(cString: $0) } ?? "")
}

/// Creates a workloop that is inactive until `dispatch_activate`.
public func dispatch_workloop_create_inactive(_ label: UnsafePointer<CChar>?) -> dispatch_workloop_t {
  DispatchWorkloop(label: label.map { String(cString: $0) } ?? "", attributes: .initiallyInactive)
}

/// Accepted only before the workloop is activated, and ignored: Linux has no autorelease pools.
public func dispatch_workloop_set_autorelease_frequency(
  _ workloop: dispatch_workloop_t?, _ frequency: dispatch_autorelease_frequency_t
) { present(workloop).checkIsInactive("dispatch_workloop_set_autorelease_frequency") }
