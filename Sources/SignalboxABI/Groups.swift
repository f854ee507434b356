// Groups.swift: groups, semaphores, once, and points in time.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

// MARK: groups

/// An empty group.
@c(dispatch_group_create)
public func dispatch_group_create() -> Handle? { CGroup().created }

/// Submits `block` as a member of `group`.
@c(dispatch_group_async)
public func dispatch_group_async(_ group: Handle?, _ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  let block = block.present(#function)
  group.group().lend { group in
    queue.queue().lend { queue in
      if let item = Block.item(block) { return item.lend { queue.async($0, group: group, isBarrier: false) } }
      queue.async(Block.work(block), group: group, isBarrier: false)
    }
  }
}

/// Submits `work(context)` as a member of `group`.
@c(dispatch_group_async_f)
public func dispatch_group_async_f(
  _ group: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function
) {
  group.group().lend { group in queue.queue().lend { $0.async(CWork(work, context), group: group, isBarrier: false) } }
}

/// Adds a member by hand. Whoever lets go of the group meanwhile keeps it alive until it is empty again (dispatch_release).
@c(dispatch_group_enter)
public func dispatch_group_enter(_ group: Handle?) { group.group().lend { $0.enter() } }

/// Takes a member away; one too many stops the program.
@c(dispatch_group_leave)
public func dispatch_group_leave(_ group: Handle?) { group.group().lend { $0.leave() } }

/// Waits for the members inside to leave: 0, or -1 when the time is up before.
@c(dispatch_group_wait)
public func dispatch_group_wait(_ group: Handle?, _ timeout: UInt64) -> Int {
  group.group().lend { $0.wait(Deadline(timeout)) }.number
}

/// Submits `block` once the members inside have left; at once when there is none.
@c(dispatch_group_notify)
public func dispatch_group_notify(_ group: Handle?, _ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  let block = block.present(#function)
  group.group().hold { group in
    queue.queue().lend { queue in
      if let item = Block.item(block) { return item.lend { group.notify(queue: queue, work: $0) } }
      group.notify(queue: queue, Block.work(block))
    }
  }
}

/// Submits `work(context)` once the members inside have left; at once when there is none.
@c(dispatch_group_notify_f)
public func dispatch_group_notify_f(
  _ group: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function
) {
  group.group().hold { group in queue.queue().lend { group.notify(queue: $0, CWork(work, context)) } }
}

// MARK: semaphores

/// NULL for a negative value.
@c(dispatch_semaphore_create)
public func dispatch_semaphore_create(_ value: Int) -> Handle? { value < 0 ? nil : CSemaphore(value: value).created }

/// Takes one: 0, or -1 when the time is up before there is one.
@c(dispatch_semaphore_wait)
public func dispatch_semaphore_wait(_ semaphore: Handle?, _ timeout: UInt64) -> Int {
  // The rest is a call with the pointer as it came: the quick way needs no register saved.
  guard let semaphore, DispatchSemaphore.isPlain else { return waitInstrumented(semaphore, timeout) }
  if Unmanaged<CSemaphore>.fromOpaque(semaphore).lend({ $0.takeQuickly() }) { return 0 }
  return waitSlowly(semaphore, timeout)
}

@inline(never) private func waitInstrumented(_ semaphore: Handle?, _ timeout: UInt64) -> Int {
  semaphore.semaphore("dispatch_semaphore_wait").lend { $0.wait(raw: timeout) }.number
}

@inline(never) private func waitSlowly(_ semaphore: Handle, _ timeout: UInt64) -> Int {
  Unmanaged<CSemaphore>.fromOpaque(semaphore).lend { $0.waitAfterTaking(timeout) }.number
}

/// Adds one; not 0 if a thread was waiting.
@c(dispatch_semaphore_signal)
public func dispatch_semaphore_signal(_ semaphore: Handle?) -> Int {
  guard let semaphore, DispatchSemaphore.isPlain else { return signalInstrumented(semaphore) }
  if Unmanaged<CSemaphore>.fromOpaque(semaphore).lend({ $0.giveQuickly() }) { return 0 }
  return signalSlowly(semaphore)
}

@inline(never) private func signalInstrumented(_ semaphore: Handle?) -> Int {
  semaphore.semaphore("dispatch_semaphore_signal").lend { $0.signal() }
}

@inline(never) private func signalSlowly(_ semaphore: Handle) -> Int {
  Unmanaged<CSemaphore>.fromOpaque(semaphore).lend { $0.signalAfterGiving() }
}

// MARK: once

/// Runs `block` if no call with this predicate has; returns when it has run.
@c(dispatch_once)
public func dispatch_once(_ predicate: UnsafeMutablePointer<Int>, _ block: UnsafeMutableRawPointer?) {
  if OnceToken.isPassed(predicate) { return }
  let block = block.present(#function)
  OnceToken.run(predicate) { Block.call(block) }
}

/// Runs `function(context)` if no call with this predicate has; returns when it has run.
@c(dispatch_once_f)
public func dispatch_once_f(
  _ predicate: UnsafeMutablePointer<Int>, _ context: UnsafeMutableRawPointer?, _ function: Function
) {
  if !OnceToken.isPassed(predicate) { OnceToken.run(predicate) { CWork(function, context).run() } }
}

// MARK: time

/// A time on the clock of `when`, `delta` nanoseconds on.
@c(dispatch_time)
public func dispatch_time(_ when: UInt64, _ delta: Int64) -> UInt64 { RawTime.adding(delta, to: when) }

/// A time on the wall clock, `delta` nanoseconds after `when`, or after now for NULL.
@c(dispatch_walltime)
public func dispatch_walltime(_ when: UnsafePointer<timespec>?, _ delta: Int64) -> UInt64 {
  guard let when else { return RawTime.adding(delta, to: RawTime.wallNow) }
  return RawTime.wall(when.pointee, adding: delta)
}
