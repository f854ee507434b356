// TimerSources.swift: timer sources, which Swift's sleep with a tolerance and Foundation's run loop need.
import CSignalboxABI
import SignalboxDispatch

/// NULL for an unknown type, and for a mask or handle that the type does not know. Only timers are built yet.
@c(dispatch_source_create)
public func dispatch_source_create(_ type: Handle?, _ handle: UInt, _ mask: UInt, _ queue: Handle?) -> Handle? {
  guard let type else { return nil }
  guard type == sb_abi_source_type_timer() else {
    if let missing = sb_abi_missing_source_type(type) { sb_abi_stop_not_built(missing) }
    return nil
  }
  // The one flag of timers is DISPATCH_TIMER_STRICT.
  guard handle == 0, mask & ~1 == 0 else { return nil }
  return TimerSource(queue: queue.map { _ in queue.queue().takeUnretainedValue() }, flags: mask).created
}

/// The leeway is how much later than its time a fire may come, to spare a wake-up.
@c(dispatch_source_set_timer)
public func dispatch_source_set_timer(_ source: Handle?, _ start: UInt64, _ interval: UInt64, _ leeway: UInt64) {
  source.source().lend { ($0 as? TimerSource)?.set(start: start, interval: interval, leeway: leeway) }
}

/// No further events; the cancel handler runs once, after the handler that is running.
@c(dispatch_source_cancel)
public func dispatch_source_cancel(_ source: Handle?) { source.source().lend { $0.core.cancel() } }

/// 1 if the source was cancelled, else 0.
@c(dispatch_source_testcancel)
public func dispatch_source_testcancel(_ source: Handle?) -> Int { source.source().lend { $0.core.isCancelled ? 1 : 0 } }

/// How often the timer came due since the last event; of use in the event handler.
@c(dispatch_source_get_data)
public func dispatch_source_get_data(_ source: Handle?) -> UInt { source.source().lend { $0.core.data } }

/// What is watched; 0 for kinds that have no handle.
@c(dispatch_source_get_handle)
public func dispatch_source_get_handle(_ source: Handle?) -> UInt { source.source().lend { $0.core.handle } }

/// The flags that the source was made with.
@c(dispatch_source_get_mask)
public func dispatch_source_get_mask(_ source: Handle?) -> UInt { source.source().lend { $0.core.mask } }

private func set(_ source: Handle?, _ kind: SourceCore.HandlerKind, block: UnsafeMutableRawPointer?) {
  let handler = block.map { block in
    let copy = BlockCopy(block)
    return SourceHandler.closure { copy.call() }
  }
  source.source().lend { $0.setHandler(kind, handler) }
}

private func set(
  _ source: Handle?, _ kind: SourceCore.HandlerKind, function: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
) { source.source().lend { $0.setHandler(kind, function.map { .function($0) }) } }

/// What a source calls, with the source's context.
public typealias Handler = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// Calls `block` at each event; NULL for nothing.
@c(dispatch_source_set_event_handler)
public func dispatch_source_set_event_handler(_ source: Handle?, _ block: UnsafeMutableRawPointer?) {
  set(source, .event, block: block)
}

/// Calls `handler` with the source's context at each event.
@c(dispatch_source_set_event_handler_f)
public func dispatch_source_set_event_handler_f(_ source: Handle?, _ handler: Handler?) {
  set(source, .event, function: handler)
}

/// Calls `block` once the source is cancelled and no handler runs.
@c(dispatch_source_set_cancel_handler)
public func dispatch_source_set_cancel_handler(_ source: Handle?, _ block: UnsafeMutableRawPointer?) {
  set(source, .cancel, block: block)
}

/// Calls `handler` with the source's context once the source is cancelled and no handler runs.
@c(dispatch_source_set_cancel_handler_f)
public func dispatch_source_set_cancel_handler_f(_ source: Handle?, _ handler: Handler?) {
  set(source, .cancel, function: handler)
}

/// Calls `block` once the source is ready for events.
@c(dispatch_source_set_registration_handler)
public func dispatch_source_set_registration_handler(_ source: Handle?, _ block: UnsafeMutableRawPointer?) {
  set(source, .registration, block: block)
}

/// Calls `handler` with the source's context once the source is ready for events.
@c(dispatch_source_set_registration_handler_f)
public func dispatch_source_set_registration_handler_f(_ source: Handle?, _ handler: Handler?) {
  set(source, .registration, function: handler)
}
