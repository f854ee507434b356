// QueueExtras.swift: what few queues have: specific values, a C context and finalizer. Made at first need.
import SignalboxLocks
import SignalboxSystem

/// A key under which a queue keeps a value. Keys are told apart by identity.
public final class DispatchSpecificKey<T>: Sendable {
  /// Creates a key unlike any other.
  public init() {}
}

/// A Swift value under its key. The key is kept alive with it, so that its identity is not given to another key meanwhile.
@usableFromInline
class AnySpecific {
  let key: AnyObject
  init(key: AnyObject) { self.key = key }
}
@usableFromInline
final class Specific<T>: AnySpecific {
  @usableFromInline let value: T
  init(key: DispatchSpecificKey<T>, value: T) {
    self.value = value
    super.init(key: key)
  }
}

final class QueueExtras: Sendable {
  struct Values {
    /// Swift values, each with its key; few, so looked through in turn.
    var specifics: [AnySpecific] = []
    /// C values: the word and its destructor.
    var rawSpecifics: [UInt: RawSpecific] = [:]
    /// Former targets, as they stood in the target word (DispatchQueue+Target).
    var retiredTargets: [UInt64] = []
    var context: UnsafeMutableRawPointer?
    var finalizer: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  }
  struct RawSpecific {
    var value: UnsafeMutableRawPointer
    var destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  }
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  @exclusivity(unchecked) nonisolated(unsafe) private var values = Values()

  func with<R>(_ body: (inout Values) -> R) -> R { lock.withLock { body(&values) } }

  func specific(_ key: AnyObject) -> AnySpecific? {
    lock.withLock {
      var index = 0
      while index < values.specifics.count {  // by index: a copy of the list would be counted
        if values.specifics[index].key === key { return values.specifics[index] }
        index += 1
      }
      return nil
    }
  }
}

extension DispatchQueue {
  /// The extras, or nil if nobody needed them yet.
  final var extras: QueueExtras? {
    let bits = extrasBits.loadAcquire()  // acquire X1: pairs with X2: the object behind is whole
    guard let raw = UnsafeRawPointer(bitPattern: UInt(bits)) else { return nil }
    return Unmanaged<QueueExtras>.fromOpaque(raw).takeUnretainedValue()
  }

  /// The extras without counting a reference: they live as long as the queue.
  @inline(__always) private final var extrasReference: ExtrasReference? {
    UnsafeRawPointer(bitPattern: UInt(extrasBits.loadAcquire())).map { ExtrasReference(reference: .fromOpaque($0)) }
  }
  private struct ExtrasReference {
    let reference: Unmanaged<QueueExtras>
    @inline(__always) func specific(_ key: AnyObject) -> AnySpecific? {
      reference._withUnsafeGuaranteedRef { $0.specific(key) }
    }
  }

  final func extrasMade() -> QueueExtras {
    if let extras { return extras }
    let made = QueueExtras()
    let reference = Unmanaged.passRetained(made)
    // release X2: publishes the object.
    if extrasBits.casAcqRel(0, UInt64(UInt(bitPattern: reference.toOpaque()))).exchanged { return made }
    reference.release()
    return extras!
  }

  /// Called once, when the queue goes: values are released, destructors and the finalizer run.
  final func freeExtras() {
    let raw = UnsafeRawPointer(bitPattern: UInt(extrasBits.loadAcquire()))!
    let extras = Unmanaged<QueueExtras>.fromOpaque(raw).takeRetainedValue()
    let last = extras.with { values in
      defer { values = QueueExtras.Values() }
      return values
    }
    for entry in last.rawSpecifics.values { DispatchQueue.destroyLater(entry) }
    for bits in last.retiredTargets { DispatchQueue.release(bits: bits) }
    if let finalizer = last.finalizer, let context = last.context {
      targetReference!._withUnsafeGuaranteedRef { $0.async(CWork(finalizer, context)) }  // the header: on the target
    }
  }

  fileprivate static func destroyLater(_ entry: QueueExtras.RawSpecific) {
    guard let destructor = entry.destructor else { return }
    GlobalQueues.queue(for: .default).async(CWork(destructor, entry.value))
  }

  // MARK: Swift values

  /// Keeps `value` under `key`; nil removes. The replaced value is released before this returns.
  public final func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {
    if value == nil, extras == nil { return }
    let entry = value.map { Specific(key: key, value: $0) }
    let replaced = extrasMade().with { values -> AnySpecific? in
      let index = values.specifics.firstIndex { $0.key === key }
      let old = index.map { values.specifics.remove(at: $0) }
      if let entry { values.specifics.append(entry) }
      return old
    }
    _ = consume replaced  // released here, outside the lock
  }

  /// The value this queue itself keeps under `key`.
  @inlinable @inline(__always) public final func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
    // SAFETY: an entry's key is the key it was made with, so its value has that key's type.
    guard let found = ownSpecific(key) else { return nil }
    return unsafeDowncast(found, to: Specific<T>.self).value
  }

  @usableFromInline final func ownSpecific(_ key: AnyObject) -> AnySpecific? { extrasReference?.specific(key) }

  /// The value kept under `key` by the current queue, else by its target, and so on; nil outside of queues.
  @inlinable @inline(__always) public final class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
    // SAFETY: as above.
    guard let found = currentSpecific(key) else { return nil }
    return unsafeDowncast(found, to: Specific<T>.self).value
  }

  @usableFromInline static func currentSpecific(_ key: AnyObject) -> AnySpecific? {
    var queue = currentReference
    while let here = queue {
      if let found = here._withUnsafeGuaranteedRef({ $0.ownSpecific(key) }) { return found }
      queue = here._withUnsafeGuaranteedRef { $0.targetReference }
    }
    return nil
  }

  // MARK: C values

  /// Keeps a word under an address; `destructor` runs on a global queue when it is replaced or the queue goes.
  package final func setRawSpecific(
    key: UnsafeRawPointer, value: UnsafeMutableRawPointer?,
    destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) {
    if value == nil, extras == nil { return }
    let old = extrasMade().with { values in
      let old = values.rawSpecifics[UInt(bitPattern: key)]
      values.rawSpecifics[UInt(bitPattern: key)] = value.map { .init(value: $0, destructor: destructor) }
      return old
    }
    if let old { DispatchQueue.destroyLater(old) }
  }

  /// The word this queue itself keeps under an address.
  package final func rawSpecific(key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    extras?.with { $0.rawSpecifics[UInt(bitPattern: key)]?.value }
  }

  /// The word kept under an address by the current queue, else by its target, and so on.
  package static func currentRawSpecific(key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    var queue = current
    while let here = queue {
      if let value = here.rawSpecific(key: key) { return value }
      queue = here.target
    }
    return nil
  }

  /// The C context; setting it has no effect on main and global queues.
  package final var context: UnsafeMutableRawPointer? {
    get { extras?.with { $0.context } }
    set {
      guard kind == .serial || kind == .concurrent else { return }
      extrasMade().with { $0.context = newValue }
    }
  }

  /// Runs on the target queue with the context, if there is one, when the queue goes.
  package final func setFinalizer(_ finalizer: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) {
    guard kind == .serial || kind == .concurrent else { return }
    extrasMade().with { $0.finalizer = finalizer }
  }
}
