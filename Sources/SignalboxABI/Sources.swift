// Sources.swift: C's sources of all kinds. What they do is SignalboxDispatch's; here are C's types, handlers and rules.
import CSignalboxABI
import SignalboxDispatch

/// NULL for an unknown type, and for a mask or handle that the type does not know.
@c(dispatch_source_create)
public func dispatch_source_create(_ type: Handle?, _ handle: UInt, _ mask: UInt, _ queue: Handle?) -> Handle? {
  guard let type, let kind = SourceKind(rawValue: sb_abi_source_kind(type)) else { return nil }
  let target = queue.map { _ in queue.queue().takeUnretainedValue() }
  return SourceKinds.make(kind, handle: handle, mask: mask, queue: target)?.created
}

/// Merges into a data source; 0 has no effect but on one that replaces.
@c(dispatch_source_merge_data)
public func dispatch_source_merge_data(_ source: Handle?, _ value: UInt) {
  source.source().hold {
    SanitizedDeeds.causes($0)
    $0.merge(value, "dispatch_source_merge_data")
  }
}

/// Cancels, and returns when no handler runs any more; not for sources with a cancel handler.
@c(dispatch_source_cancel_and_wait)
public func dispatch_source_cancel_and_wait(_ source: Handle?) {
  source.source().hold {
    SanitizedDeeds.causes($0)
    $0.cancelAndWait()
  }
}

/// Writes the data and a status, which is 0, as far as `size` bytes have room for them, and zeros behind. Returns how many bytes of
/// the two were written.
@c(dispatch_source_get_extended_data)
public func dispatch_source_get_extended_data(_ source: Handle?, _ data: UnsafeMutablePointer<UInt>?, _ size: Int) -> Int {
  let word = MemoryLayout<UInt>.size
  guard let data, size >= word else { return 0 }
  for index in 0..<size / word { data[index] = 0 }
  data[0] = source.source().lend { $0.core.data }
  return min(2, size / word) * word
}

/// The leeway is how much later than its time a fire may come, to spare a wake-up.
@c(dispatch_source_set_timer)
public func dispatch_source_set_timer(_ source: Handle?, _ start: UInt64, _ interval: UInt64, _ leeway: UInt64) {
  source.source().hold {
    SanitizedDeeds.causes($0)
    ($0 as? TimerSource)?.set(start: start, interval: interval, leeway: leeway)
  }
}

/// No further events; the cancel handler runs once, after the handler that is running.
@c(dispatch_source_cancel)
public func dispatch_source_cancel(_ source: Handle?) {
  source.source().hold {
    SanitizedDeeds.causes($0)
    $0.core.cancel()
  }
}

/// 1 if the source was cancelled, else 0.
@c(dispatch_source_testcancel)
public func dispatch_source_testcancel(_ source: Handle?) -> Int { source.source().lend { $0.core.isCancelled ? 1 : 0 } }

/// What the event brought; of use in the event handler.
@c(dispatch_source_get_data)
public func dispatch_source_get_data(_ source: Handle?) -> UInt { source.source().lend { $0.core.data } }

/// The monitored object; 0 for kinds that have no handle.
@c(dispatch_source_get_handle)
public func dispatch_source_get_handle(_ source: Handle?) -> UInt { source.source().lend { $0.core.handle } }

/// The flags that the source was made with.
@c(dispatch_source_get_mask)
public func dispatch_source_get_mask(_ source: Handle?) -> UInt { source.source().lend { $0.core.mask } }

private func handler(block: UnsafeMutableRawPointer?) -> SourceHandler? {
  block.map { block in
    let copy = BlockCopy(block)
    return .closure { copy.call() }
  }
}

private func set(_ source: Handle?, _ kind: SourceCore.HandlerKind, block: UnsafeMutableRawPointer?) {
  source.source().hold { $0.setHandler(kind, handler(block: block)) }
}

private func set(_ source: Handle?, _ kind: SourceCore.HandlerKind, function: Function?) {
  source.source().hold { $0.setHandler(kind, function.map { .function($0) }) }
}

/// Calls `block` at each event; NULL for nothing.
@c(dispatch_source_set_event_handler)
public func dispatch_source_set_event_handler(_ source: Handle?, _ block: UnsafeMutableRawPointer?) {
  set(source, .event, block: block)
}

/// Calls `handler` with the source's context at each event.
@c(dispatch_source_set_event_handler_f)
public func dispatch_source_set_event_handler_f(_ source: Handle?, _ handler: Function?) {
  set(source, .event, function: handler)
}

/// Calls `block` once the source is cancelled and no handler runs.
@c(dispatch_source_set_cancel_handler)
public func dispatch_source_set_cancel_handler(_ source: Handle?, _ block: UnsafeMutableRawPointer?) {
  set(source, .cancel, block: block)
}

/// Calls `handler` with the source's context once the source is cancelled and no handler runs.
@c(dispatch_source_set_cancel_handler_f)
public func dispatch_source_set_cancel_handler_f(_ source: Handle?, _ handler: Function?) {
  set(source, .cancel, function: handler)
}

/// Calls `block` once the source is ready for events.
@c(dispatch_source_set_registration_handler)
public func dispatch_source_set_registration_handler(_ source: Handle?, _ block: UnsafeMutableRawPointer?) {
  set(source, .registration, block: block)
}

/// Calls `handler` with the source's context once the source is ready for events.
@c(dispatch_source_set_registration_handler_f)
public func dispatch_source_set_registration_handler_f(_ source: Handle?, _ handler: Function?) {
  set(source, .registration, function: handler)
}

/// Like `dispatch_source_set_cancel_handler`; the source must be cancelled before its last reference goes.
@c(dispatch_source_set_mandatory_cancel_handler)
public func dispatch_source_set_mandatory_cancel_handler(_ source: Handle?, _ block: UnsafeMutableRawPointer?) {
  source.source().hold { $0.setMandatoryCancelHandler(handler(block: block)) }
}

/// Like `dispatch_source_set_cancel_handler_f`; the source must be cancelled before its last reference goes.
@c(dispatch_source_set_mandatory_cancel_handler_f)
public func dispatch_source_set_mandatory_cancel_handler_f(_ source: Handle?, _ handler: Function?) {
  source.source().hold { $0.setMandatoryCancelHandler(handler.map { .function($0) }) }
}
