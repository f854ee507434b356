// ObservationRecord.swift: one observer of one property: as the observed object keeps it, without types, and with the
// types of both: reads the values, and calls. The token is NSKeyValueObservation.
import SignalboxLocks
import SignalboxSystem

/// Without types, for the object's list.
class ObservationRecord: @unchecked Sendable {
  // SAFETY of @unchecked: `key` is constant, `isOver` atomic; what the subclass has is guarded by its lock.
  /// nil: any announced change may concern it.
  final let key: ObservedKey?
  private final let over = Atomic32(0)

  init(key: ObservedKey?) { self.key = key }

  final func concerns(_ other: ObservedKey) -> Bool { (key == nil || key == other) && !isOver }
  // acquire B1: pairs with B2: what came before the end of an observation is visible to a call that finds it ended.
  final var isOver: Bool { over.loadAcquire() == 1 }
  final func end() { over.storeRelease(1) }  // release B2: see B1

  func willChange(_ object: AnyObject) {}
  func didChange(_ object: AnyObject) {}
}

// MARK: with types

/// One observer's typed half.
// SAFETY of @unchecked: as the base class; `olds` is guarded by `lock`, the closure is called by whichever thread changes.
final class TypedRecord<Object: AnyObject, Value>: ObservationRecord, @unchecked Sendable {
  private let options: NSKeyValueObservingOptions
  private let read: (Object) -> Value
  private let handler: (Object, NSKeyValueObservedChange<Value>) -> Void
  /// Whether two values differ; nil: announced changes count whatever the value.
  private let differ: ((Value, Value) -> Bool)?
  private let lock = UnfairLock()
  /// Values before changes that are under way, with the threads that make them.
  private var olds: [(thread: UInt64, value: Value)] = []

  init(
    _ key: ObservedKey?, _ options: NSKeyValueObservingOptions, read: @escaping (Object) -> Value,
    differ: ((Value, Value) -> Bool)? = nil, _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
  ) {
    (self.options, self.read, self.handler, self.differ) = (options, read, handler, differ)
    super.init(key: key)
  }

  func begin(_ object: Object) { if options.contains(.initial) { call(object, new: read(object), old: nil) } }

  override func willChange(_ object: AnyObject) {
    let object = unsafeDowncast(object, to: Object.self)
    let value = read(object)
    let me = ThreadSlot.owner()
    lock.withLock { olds.append((me, value)) }
    if options.contains(.prior) { call(object, new: nil, old: value, isPrior: true) }
  }

  override func didChange(_ object: AnyObject) {
    let object = unsafeDowncast(object, to: Object.self)
    let me = ThreadSlot.owner()
    let new = read(object)
    // The latest announcement of this thread; a change completed without one has no old value.
    let old = lock.withLock { () -> Value? in
      guard let index = olds.lastIndex(where: { $0.thread == me }) else { return nil }
      let old = olds.remove(at: index).value
      // Any change may concern the observed value: what announcements around this one have seen is reported with it.
      if differ != nil { for index in olds.indices where olds[index].thread == me { olds[index].value = new } }
      return old
    }
    if let differ, let old, !differ(old, new) { return }
    call(object, new: new, old: old)
  }

  private func call(_ object: Object, new: Value?, old: Value?, isPrior: Bool = false) {
    if isOver { return }
    handler(
      object,
      .init(
        kind: .setting, newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil,
        indexes: nil, isPrior: isPrior))
  }
}
