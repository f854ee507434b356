// Objects.swift: what C does to any dispatch object.
import CSignalboxABI
import SignalboxDispatch
import SignalboxSystem

/// Counts a reference; no effect on what lives forever.
@c(dispatch_retain)
public func dispatch_retain(_ object: Handle?) {
  guard let queue = object.plainQueue else { return retainOther(object) }
  if queue.lend({ !$0.isShared && $0.isFirstOfC() }) { _ = queue.retain() }
}

@inline(never) private func retainOther(_ object: Handle?) {
  guard let object = owned(object, "dispatch_retain") else { return }
  object.exactly(RunLoopQueue.self)?.lend { $0.handleIsRetained() }
  _ = object.retain()
}

/// Takes a reference back; no effect on what lives forever.
@c(dispatch_release)
public func dispatch_release(_ object: Handle?) {
  if _slowPath(SanitizedOrder.isWatched) { letGo(object) }
  guard let queue = object.plainQueue else { return releaseOther(object) }
  if queue.lend({ !$0.isShared && $0.isLastOfC() }) { queue.release() }
}

@inline(never) private func letGo(_ object: Handle?) {
  owned(object, "dispatch_release")?.lend { SanitizedDeeds.letsGo(of: $0) }
}

@inline(never) private func releaseOther(_ object: Handle?) {
  guard let object = owned(object, "dispatch_release") else { return }
  object.exactly(CGroup.self)?.lend { $0.keepIfEntered() }
  object.exactly(RunLoopQueue.self)?.lend { $0.handleIsReleased() }
  object.release()
}

/// The object, unless it lives forever.
@inline(__always) private func owned(_ handle: Handle?, _ function: StaticString) -> Unmanaged<DispatchObject>? {
  guard let object = handle.object(function) else { return nil }
  return object.isImmortal ? nil : object
}

/// Lets an inactive queue or source begin; no effect on others.
@c(dispatch_activate)
public func dispatch_activate(_ object: Handle?) {
  object.object()?.hold {
    SanitizedDeeds.causes($0)
    $0.activate()
  }
}

/// Keeps the object's items from starting; no effect on main and global queues.
@c(dispatch_suspend)
public func dispatch_suspend(_ object: Handle?) { object.object()?.lend { $0.suspend() } }

/// Takes one suspension back; activates an inactive source. No effect on main and global queues.
@c(dispatch_resume)
public func dispatch_resume(_ object: Handle?) {
  guard let object = object.object() else { return }
  object.lend { SanitizedDeeds.causes($0) }
  if let channel = object.exactly(DispatchIO.self) { return resume(channel) }
  object.hold { $0.resume() }
}

/// A channel that is not suspended stays as it is, since programs that run today resume channels once made: told once.
private func resume(_ channel: Unmanaged<DispatchIO>) {
  // acquire-release: only that one of several finds 0 counts; nothing is read through it.
  if channel.lend({ $0.resumeIfSuspended() }) || isToldOfResume.exchangeAcqRel(1) == 1 { return }
  CFaceSupport.report(
    "dispatch_resume was given an I/O channel that is not suspended: no effect. A channel is active as it is made; give every "
      + "dispatch_resume an earlier dispatch_suspend (said once)")
}
private let isToldOfResume = Atomic32(0)

/// NULL is the default target of that kind of object; no effect on main and global queues, groups and semaphores.
@c(dispatch_set_target_queue)
public func dispatch_set_target_queue(_ object: Handle?, _ queue: Handle?) {
  guard let object = owned(object, #function) else { return }
  let target = queue.map { _ in queue.queue().takeUnretainedValue() }
  object.hold {
    SanitizedDeeds.causes($0)
    $0.setTarget(queue: target)
  }
}

// MARK: context

/// Where an object keeps its context; lent.
private enum Keeper {
  case queue(Unmanaged<DispatchQueue>)
  case group(Unmanaged<CGroup>)
  case semaphore(Unmanaged<CSemaphore>)
  case source(Unmanaged<DispatchSource>)
  case data(Unmanaged<DataNode>)
  case io(Unmanaged<DispatchIO>)

  @inline(__always) init?(_ object: Unmanaged<DispatchObject>) {
    if let queue = object.exactly(DispatchQueue.self) {
      self = .queue(queue)
    } else if let group = object.exactly(CGroup.self) {
      self = .group(group)
    } else if let semaphore = object.exactly(CSemaphore.self) {
      self = .semaphore(semaphore)
    } else if let io = object.exactly(DispatchIO.self) {
      self = .io(io)
    } else if object.lend({ $0 is DispatchSource }) {
      self = .source(.fromOpaque(object.toOpaque()))  // SAFETY: the class was asked for
    } else if let data = object.exactly(DataNode.self) {
      self = .data(data)
    } else if let queue = object.lend({ $0 as? DispatchQueue }) {
      self = .queue(.passUnretained(queue))  // the main queue, a workloop, or a run loop's
    } else {
      return nil
    }
  }

  @inline(__always) var value: UnsafeMutableRawPointer? {
    get {
      switch self {
      case .queue(let queue): queue.lend { $0.context }
      case .group(let group): group.lend { $0.context.value }
      case .semaphore(let semaphore): semaphore.lend { $0.context.value }
      case .source(let source): source.lend { $0.context }
      case .data(let data): data.lend { $0.context.value }
      case .io(let io): io.lend { $0.context.value }
      }
    }
    nonmutating set {
      switch self {
      case .queue(let queue): queue.lend { $0.context = newValue }
      case .group(let group): group.lend { $0.context.value = newValue }
      case .semaphore(let semaphore): semaphore.lend { $0.context.value = newValue }
      case .source(let source): source.lend { $0.context = newValue }
      case .data(let data): data.lend { $0.context.value = newValue }
      case .io(let io): io.lend { $0.context.value = newValue }
      }
    }
  }

  func setFinalizer(_ finalizer: Function?) {
    switch self {
    case .queue(let queue): queue.lend { $0.setFinalizer(finalizer) }
    case .group(let group): group.lend { $0.context.setFinalizer(finalizer) }
    case .semaphore(let semaphore): semaphore.lend { $0.context.setFinalizer(finalizer) }
    case .source(let source): source.lend { $0.setFinalizer(finalizer) }
    case .data(let data): data.lend { $0.context.setFinalizer(finalizer) }
    case .io(let io): io.lend { $0.context.setFinalizer(finalizer) }
    }
  }
}

/// The context; NULL if none was set.
@c(dispatch_get_context)
public func dispatch_get_context(_ object: Handle?) -> UnsafeMutableRawPointer? {
  if let queue = object.plainQueue { return queue.lend { $0.context } }
  return contextOfOther(object)
}

@inline(never) private func contextOfOther(_ object: Handle?) -> UnsafeMutableRawPointer? {
  object.object("dispatch_get_context").flatMap { Keeper($0)?.value }
}

/// Keeps a word with the object; no effect on main and global queues.
@c(dispatch_set_context)
public func dispatch_set_context(_ object: Handle?, _ context: UnsafeMutableRawPointer?) {
  object.object().flatMap { Keeper($0) }?.value = context
}

/// Calls `finalizer` on the object's target when the object is gone, unless its context is NULL then.
@c(dispatch_set_finalizer_f)
public func dispatch_set_finalizer_f(_ object: Handle?, _ finalizer: Function?) {
  object.object().flatMap { Keeper($0) }?.setFinalizer(finalizer)
}

// MARK: debugging

/// Writes what the object is into a buffer; for dispatch_debug.
@c(signalbox_describe)
public func signalbox_describe(_ object: Handle?, _ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
  let text: String
  if object == nil {
    text = "NULL"
  } else if let reference = object.object() {
    text = reference.lend { $0.description }
  } else {
    text = "a constant"
  }
  let bytes = text.utf8.prefix(max(0, size - 1))
  for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
  if size > 0 { buffer[bytes.count] = 0 }
  return bytes.count
}
