// TypedRecord.swift: one observer of one property, with the types of both: reads the values, and calls. As the observed object keeps
// it: ObservationRecord.swift.
import SignalboxLocks
import SignalboxSystem

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
      // Any change may be ours: what announcements around this one have seen is reported with it.
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
