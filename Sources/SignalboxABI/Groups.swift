// Groups.swift: groups, semaphores, once, and points in time.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

// MARK: groups

@c(dispatch_group_create)
public func dispatch_group_create() -> Handle? { CGroup().created }

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

@c(dispatch_group_async_f)
public func dispatch_group_async_f(
  _ group: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function
) {
  group.group().lend { group in queue.queue().lend { $0.async(CWork(work, context), group: group, isBarrier: false) } }
}

/// The group lives until it is empty again: a C caller may let go of it before it leaves.
@c(dispatch_group_enter)
public func dispatch_group_enter(_ group: Handle?) { group.group().lend { $0.enterKeeping() } }

@c(dispatch_group_leave)
public func dispatch_group_leave(_ group: Handle?) { group.group().lend { $0.leave() } }

@c(dispatch_group_wait)
public func dispatch_group_wait(_ group: Handle?, _ timeout: UInt64) -> Int {
  group.group().lend { $0.wait(Deadline(timeout)) }.number
}

@c(dispatch_group_notify)
public func dispatch_group_notify(_ group: Handle?, _ queue: Handle?, _ block: UnsafeMutableRawPointer?) {
  let block = block.present(#function)
  group.group().lend { group in
    queue.queue().lend { queue in
      if let item = Block.item(block) { return item.lend { group.notify(queue: queue, work: $0) } }
      group.notify(queue: queue, Block.work(block))
    }
  }
}

@c(dispatch_group_notify_f)
public func dispatch_group_notify_f(
  _ group: Handle?, _ queue: Handle?, _ context: UnsafeMutableRawPointer?, _ work: Function
) {
  group.group().lend { group in queue.queue().lend { group.notify(queue: $0, CWork(work, context)) } }
}

// MARK: semaphores

/// NULL for a negative value.
@c(dispatch_semaphore_create)
public func dispatch_semaphore_create(_ value: Int) -> Handle? { value < 0 ? nil : CSemaphore(value: value).created }

@c(dispatch_semaphore_wait)
public func dispatch_semaphore_wait(_ semaphore: Handle?, _ timeout: UInt64) -> Int {
  semaphore.semaphore().lend { semaphore in
    if timeout == .max {
      semaphore.wait()
      return 0
    }
    return semaphore.wait(raw: timeout).number
  }
}

@c(dispatch_semaphore_signal)
public func dispatch_semaphore_signal(_ semaphore: Handle?) -> Int { semaphore.semaphore().lend { $0.signal() } }

// MARK: once

@c(dispatch_once)
public func dispatch_once(_ predicate: UnsafeMutablePointer<Int>, _ block: UnsafeMutableRawPointer?) {
  if OnceToken.isDone(predicate) { return }
  let block = block.present(#function)
  OnceToken.run(predicate) { Block.call(block) }
}

@c(dispatch_once_f)
public func dispatch_once_f(
  _ predicate: UnsafeMutablePointer<Int>, _ context: UnsafeMutableRawPointer?, _ function: Function
) {
  if !OnceToken.isDone(predicate) { OnceToken.run(predicate) { CWork(function, context).run() } }
}

// MARK: time

@c(dispatch_time)
public func dispatch_time(_ when: UInt64, _ delta: Int64) -> UInt64 { RawTime.adding(delta, to: when) }

@c(dispatch_walltime)
public func dispatch_walltime(_ when: UnsafePointer<timespec>?, _ delta: Int64) -> UInt64 {
  guard let when else { return RawTime.adding(delta, to: RawTime.wallNow) }
  return RawTime.wall(when.pointee, adding: delta)
}
