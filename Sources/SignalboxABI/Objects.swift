// Objects.swift: what C does to any dispatch object.
import CSignalboxABI
import SignalboxDispatch

@c(dispatch_retain)
public func dispatch_retain(_ object: Handle?) { _ = owned(object, #function)?.retain() }

@c(dispatch_release)
public func dispatch_release(_ object: Handle?) { owned(object, #function)?.release() }

/// The object, unless it lives for ever.
private func owned(_ handle: Handle?, _ function: StaticString) -> Unmanaged<DispatchObject>? {
  guard let object = handle.object(function) else { return nil }
  return object.lend { $0.isImmortal } ? nil : object
}

@c(dispatch_activate)
public func dispatch_activate(_ object: Handle?) { object.object()?.lend { $0.activate() } }

@c(dispatch_suspend)
public func dispatch_suspend(_ object: Handle?) { object.object()?.lend { $0.suspend() } }

@c(dispatch_resume)
public func dispatch_resume(_ object: Handle?) { object.object()?.lend { $0.resume() } }

/// NULL is the default target of that kind of object; no effect on main and global queues, groups and semaphores.
@c(dispatch_set_target_queue)
public func dispatch_set_target_queue(_ object: Handle?, _ queue: Handle?) {
  guard let object = owned(object, #function) else { return }
  let target = queue.map { _ in queue.queue().takeUnretainedValue() }
  object.lend { $0.setTarget(queue: target) }
}

// MARK: context

/// Where an object keeps its context.
private enum Keeper {
  case queue(DispatchQueue)
  case context(CContext)
  case source(TimerSource)

  init?(_ object: DispatchObject) {
    switch object {
    case let queue as DispatchQueue: self = .queue(queue)
    case let group as CGroup: self = .context(group.context)
    case let semaphore as CSemaphore: self = .context(semaphore.context)
    case let source as TimerSource: self = .source(source)
    default: return nil
    }
  }

  var value: UnsafeMutableRawPointer? {
    get {
      switch self {
      case .queue(let queue): queue.context
      case .context(let context): context.value
      case .source(let source): source.context
      }
    }
    nonmutating set {
      switch self {
      case .queue(let queue): queue.context = newValue
      case .context(let context): context.value = newValue
      case .source(let source): source.context = newValue
      }
    }
  }

  func setFinalizer(_ finalizer: Finalizer?) {
    switch self {
    case .queue(let queue): queue.setFinalizer(finalizer)
    case .context(let context): context.setFinalizer(finalizer)
    case .source(let source): source.setFinalizer(finalizer)
    }
  }
}

public typealias Finalizer = @convention(c) (UnsafeMutableRawPointer?) -> Void

@c(dispatch_get_context)
public func dispatch_get_context(_ object: Handle?) -> UnsafeMutableRawPointer? {
  object.object()?.lend { Keeper($0)?.value }
}

@c(dispatch_set_context)
public func dispatch_set_context(_ object: Handle?, _ context: UnsafeMutableRawPointer?) {
  object.object()?.lend { Keeper($0)?.value = context }
}

@c(dispatch_set_finalizer_f)
public func dispatch_set_finalizer_f(_ object: Handle?, _ finalizer: Finalizer?) {
  object.object()?.lend { Keeper($0)?.setFinalizer(finalizer) }
}

// MARK: debugging

/// Writes what the object is into a buffer; for dispatch_debug.
@c(signalbox_describe)
public func signalbox_describe(_ object: Handle?, _ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
  let text: String
  if object == nil {
    text = "NULL"
  } else if let reference = object.object() {
    text = reference.lend { object in
      if let queue = object as? DispatchQueue { return "queue \"\(queue.label)\"" }
      return "\(type(of: object))"
    }
  } else {
    text = "a constant"
  }
  let bytes = text.utf8.prefix(max(0, size - 1))
  for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
  if size > 0 { buffer[bytes.count] = 0 }
  return bytes.count
}
