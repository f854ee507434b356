// Sources.swift: sources of events: making, handlers, data, cancelling. Kinds and flags are SourceTypes.swift; activating and
// suspending are Objects.swift. Any thread may call; a nil source stops the program.
import SignalboxDispatch

/// Creates a source, which is inactive until `dispatch_activate` or `dispatch_resume`.
///
/// - Parameters:
///   - type: one of the `DISPATCH_SOURCE_TYPE_` constants, which define the meaning of handle and mask.
///   - handle: any integer, converted as C does.
///   - mask: any integer, converted as C does.
///   - queue: where handlers run; nil (`DISPATCH_TARGET_QUEUE_DEFAULT`) means the default global queue.
/// - Returns: nil for a handle or mask that is invalid for the kind. SIGKILL and SIGSTOP, which the kernel reports to no
///   program, are also refused, with a message on standard error.
public func dispatch_source_create(
  _ type: dispatch_source_type_t, _ handle: some BinaryInteger, _ mask: some BinaryInteger, _ queue: dispatch_queue_t?
) -> dispatch_source_t! {
  Engine.makeSource(type.kind, UInt(truncatingIfNeeded: handle), UInt(truncatingIfNeeded: mask), queue)
}

/// Merges `value` into a data source: adds it, combines it by bitwise OR, or replaces the value not handled yet. Stops the
/// program for a source of another kind.
public func dispatch_source_merge_data(_ source: dispatch_source_t?, _ value: UInt) {
  present(source).merge(value, "dispatch_source_merge_data")
}

/// Sets the schedule of a timer and resets its count; has no effect on other sources.
///
/// - Parameters:
///   - source: has no effect on one that is no timer; nil stops the program.
///   - start: from `dispatch_time` or `dispatch_walltime`, which decides the clock. The timer never fires earlier.
///   - interval: nanoseconds; `DISPATCH_TIME_FOREVER` fires once.
///   - leeway: how many nanoseconds later it may fire, to share a wake-up.
public func dispatch_source_set_timer(
  _ source: dispatch_source_t?, _ start: dispatch_time_t, _ interval: UInt64, _ leeway: UInt64
) {
  (present(source) as? TimerSource)?.set(start: start, interval: interval, leeway: leeway)
}

/// Stops events; the cancel handler runs once, after any running handler.
public func dispatch_source_cancel(_ source: dispatch_source_t?) { present(source).core.cancel() }

/// Whether the source was cancelled: non-zero if it was, else 0.
public func dispatch_source_testcancel(_ source: dispatch_source_t?) -> Int { present(source).core.isCancelled ? 1 : 0 }

/// The data of the event, as defined by the source's kind; meaningful inside the event handler.
public func dispatch_source_get_data(_ source: dispatch_source_t?) -> UInt { present(source).core.data }

/// The handle given at creation; 0 for kinds without one.
public func dispatch_source_get_handle(_ source: dispatch_source_t?) -> UInt { present(source).core.handle }

/// The mask given at creation.
public func dispatch_source_get_mask(_ source: dispatch_source_t?) -> UInt { present(source).core.mask }

// MARK: handlers as closures; each takes the place of the one before, nil is for none

/// Sets the handler called for each event. Events that arrive while it runs are merged into one.
@preconcurrency
public func dispatch_source_set_event_handler(_ source: dispatch_source_t?, _ handler: dispatch_block_t?) {
  present(source).setHandler(.event, handler.map { .closure($0) })
}

/// Sets the handler called once after cancellation, when no event handler runs and the handle may be closed.
@preconcurrency
public func dispatch_source_set_cancel_handler(_ source: dispatch_source_t?, _ handler: dispatch_block_t?) {
  present(source).setHandler(.cancel, handler.map { .closure($0) })
}

/// Sets the handler called once, when the source has started to monitor its events; at once if it already has.
@preconcurrency
public func dispatch_source_set_registration_handler(_ source: dispatch_source_t?, _ handler: dispatch_block_t?) {
  present(source).setHandler(.registration, handler.map { .closure($0) })
}

/// Like `dispatch_source_set_cancel_handler`, and the source must be cancelled before its last reference is released: otherwise
/// the program is stopped. A nil handler stops it as well.
@preconcurrency
public func dispatch_source_set_mandatory_cancel_handler(_ source: dispatch_source_t?, _ handler: dispatch_block_t?) {
  present(source).setMandatoryCancelHandler(handler.map { .closure($0) })
}

// MARK: handlers as work objects

/// Sets the work object that runs at each event; see `dispatch_source_set_event_handler` with a closure.
@_disfavoredOverload
public func dispatch_source_set_event_handler(_ source: dispatch_source_t?, _ handler: dispatch_block_object_t?) {
  present(source).setHandler(.event, handler.map { .workItem($0) })
}

/// Sets the work object that runs once the source is cancelled; see `dispatch_source_set_cancel_handler` with a closure.
@_disfavoredOverload
public func dispatch_source_set_cancel_handler(_ source: dispatch_source_t?, _ handler: dispatch_block_object_t?) {
  present(source).setHandler(.cancel, handler.map { .workItem($0) })
}

/// Sets the work object that runs once the source is cancelled; see `dispatch_source_set_mandatory_cancel_handler` with a
/// closure.
@_disfavoredOverload
public func dispatch_source_set_mandatory_cancel_handler(_ source: dispatch_source_t?, _ handler: dispatch_block_object_t?) {
  present(source).setMandatoryCancelHandler(handler.map { .workItem($0) })
}

/// Sets the work object that runs once the source is ready; see `dispatch_source_set_registration_handler` with a closure.
@_disfavoredOverload
public func dispatch_source_set_registration_handler(_ source: dispatch_source_t?, _ handler: dispatch_block_object_t?) {
  present(source).setHandler(.registration, handler.map { .workItem($0) })
}

// MARK: handlers as functions, called with the source's context as it is at the call

/// Sets the function that is called at each event; see `dispatch_source_set_event_handler`.
public func dispatch_source_set_event_handler_f(_ source: dispatch_source_t?, _ handler: dispatch_function_t?) {
  present(source).setHandler(.event, handler.map { .function($0) })
}

/// Sets the function that is called once the source is cancelled; see `dispatch_source_set_cancel_handler`.
public func dispatch_source_set_cancel_handler_f(_ source: dispatch_source_t?, _ handler: dispatch_function_t?) {
  present(source).setHandler(.cancel, handler.map { .function($0) })
}

/// Sets the function that is called once the source is cancelled; see `dispatch_source_set_mandatory_cancel_handler`.
public func dispatch_source_set_mandatory_cancel_handler_f(_ source: dispatch_source_t?, _ handler: dispatch_function_t?) {
  present(source).setMandatoryCancelHandler(handler.map { .function($0) })
}

/// Sets the function that is called once the source is ready; see `dispatch_source_set_registration_handler`.
public func dispatch_source_set_registration_handler_f(_ source: dispatch_source_t?, _ handler: dispatch_function_t?) {
  present(source).setHandler(.registration, handler.map { .function($0) })
}
