// Submission.swift: giving queues work: blocks, and functions with a context.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

private func async(_ queue: Handle?, _ block: UnsafeMutableRawPointer?, isBarrier: Bool, _ function: StaticString) {
  let block = block.present(function)
  queue.queue(function).lend { queue in
    if let item = Block.item(block) { return item.lend { queue.async($0, group: nil, isBarrier: isBarrier) } }
    queue.async(Block.work(block), group: nil, isBarrier: isBarrier)
  }
}

private func sync(_ queue: Handle?, _ block: UnsafeMutableRawPointer?, isBarrier: Bool, _ function: StaticString) {
  let block = block.present(function)
  let flags = isBarrier || Block.item(block)?.lend { $0.isBarrier } ?? false
  queue.queue(function).lend { queue in
    if flags { return queue.sync(flags: .barrier) { () throws(Never) -> Void in Block.call(block) } }
    queue.sync { () throws(Never) -> Void in Block.call(block) }
  }
}

private func asyncAndWait(_ queue: Handle?, isBarrier: Bool, _ name: StaticString, _ body: () -> Void) {
  queue.queue(name).lend { queue in
    queue.asyncAndWait(flags: isBarrier ? .barrier : []) { () throws(Never) -> Void in body() }
  }
}

/// Submits `block`, a copy of which lives until it has run.
@c(dispatch_async)
public func dispatch_async(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  async(queue, block, isBarrier: false, #function)
}

/// Submits `work(context)`.
@c(dispatch_async_f)
public func dispatch_async_f(_ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function) {
  queue.queue().lend { $0.async(CWork(work, context)) }
}

/// Like `dispatch_async_f`: classes do not yet differ to the kernel.
@c(dispatch_async_enforce_qos_class_f)
public func dispatch_async_enforce_qos_class_f(_ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function) {
  queue.queue().lend { $0.async(CWork(work, context).inSanitizedOrder(on: $0)) }
}

/// Submits `block` to run alone on a concurrent queue.
@c(dispatch_barrier_async)
public func dispatch_barrier_async(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  async(queue, block, isBarrier: true, #function)
}

/// Submits `work(context)` to run alone on a concurrent queue.
@c(dispatch_barrier_async_f)
public func dispatch_barrier_async_f(_ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function) {
  queue.queue().lend { $0.async(CWork(work, context), group: nil, isBarrier: true) }
}

/// Runs `block` in the queue's turn, and returns when it has run.
@c(dispatch_sync)
public func dispatch_sync(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  sync(queue, block, isBarrier: false, #function)
}

/// Runs `work(context)` in the queue's turn, and returns when it has run.
@c(dispatch_sync_f)
public func dispatch_sync_f(_ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function) {
  queue.queue().lend { $0.sync { () throws(Never) -> Void in CWork(work, context).run() } }
}

/// Like `dispatch_sync`, alone on a concurrent queue.
@c(dispatch_barrier_sync)
public func dispatch_barrier_sync(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  sync(queue, block, isBarrier: true, #function)
}

/// Like `dispatch_sync_f`, alone on a concurrent queue.
@c(dispatch_barrier_sync_f)
public func dispatch_barrier_sync_f(_ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function) {
  queue.queue().lend { $0.sync(flags: .barrier) { () throws(Never) -> Void in CWork(work, context).run() } }
}

/// Submits `block` as an item and returns when it has run.
@c(dispatch_async_and_wait)
public func dispatch_async_and_wait(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  let block = block.present(#function)
  if let item = Block.item(block) {
    return queue.queue().lend { queue in item.lend { queue.asyncAndWait(execute: $0) } }
  }
  asyncAndWait(queue, isBarrier: false, #function) { Block.call(block) }
}

/// Submits `work(context)` as an item and returns when it has run.
@c(dispatch_async_and_wait_f)
public func dispatch_async_and_wait_f(_ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function) {
  asyncAndWait(queue, isBarrier: false, #function) { CWork(work, context).run() }
}

/// Like `dispatch_async_and_wait`, alone on a concurrent queue.
@c(dispatch_barrier_async_and_wait)
public func dispatch_barrier_async_and_wait(_ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  let block = block.present(#function)
  asyncAndWait(queue, isBarrier: true, #function) { Block.call(block) }
}

/// Like `dispatch_async_and_wait_f`, alone on a concurrent queue.
@c(dispatch_barrier_async_and_wait_f)
public func dispatch_barrier_async_and_wait_f(_ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function) {
  asyncAndWait(queue, isBarrier: true, #function) { CWork(work, context).run() }
}

// MARK: many at once

/// NULL for the queue (DISPATCH_APPLY_AUTO): whatever threads suit the caller.
@inline(__always) private func apply(_ iterations: Int, _ queue: Handle?, _ body: @Sendable (Int) -> Void) {
  guard iterations > 0 else { return }
  guard queue != nil else { return DispatchQueue.concurrentPerform(iterations: iterations, execute: body) }
  queue.queue().lend { queue in
    if _fastPath(!SanitizedOrder.isWatched) { return queue.apply(iterations: iterations, execute: body) }
    queue.apply(iterations: iterations) { index in queue.asSanitizedItem { body(index) } }
  }
}

/// Calls `block` with 0 to `iterations` - 1 under the queue's rules, on several threads where they allow it.
@c(dispatch_apply)
public func dispatch_apply(_ iterations: Int, _ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  // SAFETY: C's interface puts this on the caller: the block is fit for several threads at a time. So below.
  nonisolated(unsafe) let block = block.present(#function)
  apply(iterations, queue) { Block.call(block, $0) }
}

/// Calls `work(context, index)` for 0 to `iterations` - 1 under the queue's rules.
@c(dispatch_apply_f)
public func dispatch_apply_f(
  _ iterations: Int, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: UnsafeMutableRawPointer?
) {
  let work = CWork(address: work.present(#function), context)
  apply(iterations, queue) { work.run($0) }
}

// MARK: later

/// Submits `block` once `when` has come.
@c(dispatch_after)
public func dispatch_after(_ when: UInt64, _ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  let block = block.present(#function)
  queue.queue().lend { queue in
    if let item = Block.item(block) { return item.lend { queue.asyncAfter(raw: when, $0) } }
    let work = Block.work(block)
    queue.asyncAfter(raw: when, work) { if let copy = work.argument { sb_abi_block_release(copy) } }
  }
}

/// Submits `work(context)` once `when` has come.
@c(dispatch_after_f)
public func dispatch_after_f(_ when: UInt64, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function) {
  queue.queue().lend { $0.asyncAfter(raw: when, CWork(work, context), never: {}) }
}
