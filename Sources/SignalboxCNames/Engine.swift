// Engine.swift: the places where C's interface asks for more than the Swift face offers, and where it gets less: NULL
// for an object.
import SignalboxDispatch

enum Engine {
  // MARK: queues

  static func makeQueue(
    _ label: UnsafePointer<CChar>?, _ attr: dispatch_queue_attr_t, target: DispatchQueue?, allowsRetargeting: Bool
  ) -> DispatchQueue {
    let name = label.map { String(cString: $0) } ?? ""
    if allowsRetargeting {
      return DispatchQueue(
        legacyLabel: name, isConcurrent: attr.isConcurrent, isInactive: attr.isInactive, qos: attr.qos, target: target)
    }
    var attributes: DispatchQueue.Attributes = attr.isConcurrent ? .concurrent : []
    if attr.isInactive { attributes.insert(.initiallyInactive) }
    return DispatchQueue(
      label: name, qos: attr.qos, attributes: attributes, autoreleaseFrequency: attr.frequency, target: target)
  }

  /// Whether the object is the process's rather than the program's: the main queue or a global one.
  static func isShared(_ object: DispatchObject) -> Bool {
    object === DispatchQueue.main || globalClasses.contains { object === DispatchQueue.global(qos: $0) }
  }
  private static let globalClasses: [DispatchQoS.QoSClass] = [
    .userInteractive, .userInitiated, .default, .utility, .background,
  ]

  static func setFloor(of object: DispatchObject, _ number: UInt32, _ rank: Int32) {
    let known = number == 0 ? nil : DispatchQoS(number, 0)
    let floor = known.map { DispatchQoS(qosClass: $0.qosClass, relativePriority: Int(rank)) } ?? .unspecified
    switch object {
    case let queue as DispatchQueue: queue.setFloor(floor, "dispatch_set_qos_class_floor")
    case let source as DispatchSource: source.core.setFloor(floor, "dispatch_set_qos_class_floor")
    default: break
    }
  }

  static func currentQueue() -> DispatchQueue { DispatchQueue.current ?? DispatchQueue.global() }

  /// A work object as a barrier, whatever its own flags say.
  static func async(_ queue: DispatchQueue, barrier item: DispatchWorkItem) { queue.async(flags: .barrier) { item.perform() } }
  static func sync(_ queue: DispatchQueue, barrier item: DispatchWorkItem) { queue.sync(flags: .barrier) { item.perform() } }

  static func apply(_ iterations: Int, on queue: DispatchQueue?, _ body: (Int) -> Void) {
    if let queue { return queue.apply(iterations: iterations, execute: body) }
    withoutActuallyEscaping(body) { body in
      // SAFETY: C's interface puts this on the caller: the body is fit for several threads at a time. The compiler asks for
      // more of the Swift name it is passed to.
      nonisolated(unsafe) let body = body
      DispatchQueue.concurrentPerform(iterations: iterations) { body($0) }
    }
  }

  // MARK: contexts (of queues, sources and channels: groups and semaphores keep none)

  static func context(of object: DispatchObject) -> UnsafeMutableRawPointer? {
    switch object {
    case let queue as DispatchQueue: queue.context
    case let source as DispatchSource: source.context
    case let channel as DispatchIO: channel.context.value
    default: nil
    }
  }
  static func setContext(of object: DispatchObject, _ context: UnsafeMutableRawPointer?) {
    switch object {
    case let queue as DispatchQueue: queue.context = context
    case let source as DispatchSource: source.context = context
    case let channel as DispatchIO: channel.context.value = context
    default: break
    }
  }
  static func setFinalizer(of object: DispatchObject, _ finalizer: dispatch_function_t?) {
    switch object {
    case let queue as DispatchQueue: queue.setFinalizer(finalizer)
    case let source as DispatchSource: source.setFinalizer(finalizer)
    case let channel as DispatchIO: channel.context.setFinalizer(finalizer)
    default: break
    }
  }

  // MARK: sources

  static func makeSource(_ kind: SourceEngineKind, _ handle: UInt, _ mask: UInt, _ queue: DispatchQueue?) -> DispatchSource? {
    switch kind {
    case .plain(let kind): SourceKinds.make(kind, handle: handle, mask: mask, queue: queue)
    case .object(let kind): ObjectKinds.make(kind, handle: handle, mask: mask, queue: queue)
    }
  }

  // MARK: telling people

  static func stop(_ message: String) -> Never { CFaceSupport.stop(message) }
  static func report(_ message: String) { CFaceSupport.report(message) }
  static func describe(_ object: DispatchObject) -> String { object.description }
}

/// Which of the engine's makers a kind of source has.
enum SourceEngineKind: Sendable, Equatable {
  case plain(SourceKind)
  case object(ObjectKinds.Kind)
}

// MARK: arguments that C lets be NULL in the type but not in fact

/// The object behind an argument that C lets be NULL in the type but not in fact; stops the program if it is.
@inline(__always)
func present<T>(_ argument: T?, _ function: StaticString = #function) -> T {
  if let argument { return argument }
  absent(function)
}

@inline(never)
private func absent(_ function: StaticString) -> Never {
  Engine.stop("\(function) was given nil where an object is needed; check the call that should have made that object")
}
