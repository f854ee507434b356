// QueueExtras.swift: what few queues have: specific values, a C finalizer. Made at first need. C's context, which many have, is in the queue.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

/// A key for a value that is stored with a queue. Keys are compared by identity.
///
/// ```swift
/// let owner = DispatchSpecificKey<String>()
/// let store = DispatchQueue(label: "store")
/// store.setSpecific(key: owner, value: "the store")
/// store.sync { print(DispatchQueue.getSpecific(key: owner) ?? "elsewhere") }  // the store
/// ```
///
/// - Note: Thread safety: any thread.
public final class DispatchSpecificKey<T>: Sendable {
  /// Creates a key, different from all others.
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

@usableFromInline final class QueueExtras: Sendable {
  struct Values {
    /// Swift values, each with its key; few, so searched in turn.
    var specifics: [AnySpecific] = []
    /// C values by key: those that have no place, and everybody's destructor.
    var rawSpecifics: [UInt: RawSpecific] = [:]
    var finalizer: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  }
  struct RawSpecific {
    var value: UnsafeMutableRawPointer
    var destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  }
  // The first keys have places of their own, read without the lock: a place keeps its key as long as the queue lives, so the
  // word beside it is that key's. 0: no key yet, no value.
  let rawPlaces = RawPlaces()
  /// The label as a C string (CLabel); 0 until asked for. Bit 63: the program's own string, not a copy of ours.
  let label = Atomic64(0)
  /// What is counted of the queue: unmanaged `QueueFigures`, +1; 0: nothing.
  let figures = Atomic64(0)
  /// Who asks that the queue be served as more urgent than it is.
  let raise = RaiseWord()
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

/// Four keys with their words. Only who holds the lock of the extras writes.
struct RawPlaces: ~Copyable, Sendable {
  private let key0 = Atomic64(0), key1 = Atomic64(0), key2 = Atomic64(0), key3 = Atomic64(0)
  private let word0 = Atomic64(0), word1 = Atomic64(0), word2 = Atomic64(0), word3 = Atomic64(0)

  enum Finding {
    case word(UInt64)
    /// The key has no place: what the dictionary says counts.
    case full
  }

  /// The word of `key`, 0 for none.
  @inline(__always) borrowing func word(_ key: UInt64) -> Finding {
    // acquire: what the setter wrote behind the word is visible to whoever gets it; pairs with the release in set. A place whose
    // key is seen may still have the word 0: the key is being set for the first time.
    if key0.loadAcquire() == key { return .word(word0.loadAcquire()) }
    if key1.loadAcquire() == key { return .word(word1.loadAcquire()) }
    if key2.loadAcquire() == key { return .word(word2.loadAcquire()) }
    if key3.loadAcquire() == key { return .word(word3.loadAcquire()) }
    return key3.loadAcquire() == 0 ? .word(0) : .full  // acquire: as above
  }

  /// Gives `key` a word, in its place or in the first free one; false when there is none. Assumes the lock.
  borrowing func setAssumingLocked(_ key: UInt64, _ word: UInt64) -> Bool {
    func take(_ place: borrowing Atomic64, _ value: borrowing Atomic64) -> Bool {
      let old = place.loadRelaxed()  // relaxed: the lock orders writers
      guard old == 0 || old == key else { return false }
      value.storeRelease(word)  // release: pairs with the acquires in word(_:)
      if old == 0 { place.storeRelease(key) }  // release: as above, and after the word
      return true
    }
    return take(key0, word0) || take(key1, word1) || take(key2, word2) || take(key3, word3)
  }
}

extension DispatchQueue {
  /// The extras, or nil if nobody needed them yet.
  final var extras: QueueExtras? {
    let bits = extrasBits.loadAcquire()  // acquire X1: pairs with X2: the object behind is whole
    return Lent<QueueExtras>.inWord(bits)?.kept
  }

  /// The extras without counting a reference: they live as long as the queue.
  @inline(__always) private final var extrasReference: ExtrasReference? {
    // acquire X1
    Lent.inWord(extrasBits.loadAcquire()).map { ExtrasReference(reference: $0) }
  }
  private struct ExtrasReference {
    let reference: Lent<QueueExtras>
    @inline(__always) func raw(_ key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
      reference.use { extras in
        switch extras.rawPlaces.word(UInt64(UInt(bitPattern: key))) {
        case .word(let word): UnsafeMutableRawPointer(bitPattern: UInt(word))
        case .full: extras.with { $0.rawSpecifics[UInt(bitPattern: key)]?.value }
        }
      }
    }
    // acquire: what the word leads to is whole; pairs with the setter's release
    // acquire: as for the context; pairs with keepLabel and setLateLabel
    @inline(__always) var label: UInt64 { reference.use { $0.label.loadAcquire() } }
    @inline(__always) func specific(_ key: AnyObject) -> AnySpecific? {
      reference.use { $0.specific(key) }
    }
  }

  final func extrasMade() -> QueueExtras {
    if let extras { return extras }
    let made = QueueExtras()
    let reference = Unmanaged.passRetained(made)
    // release X2: publishes the object. seq_cst: before the asker's reading of the state; pairs with `raised` (DispatchQueue+Raise).
    let swap = extrasBits.casSeqCst(0, UInt64(UInt(bitPattern: reference.toOpaque())))
    if swap.exchanged { return made }
    reference.release()
    return Lent<QueueExtras>(at: swap.original).kept  // another thread's, which stay until the queue goes
  }

  /// Called once, when the queue goes: values are released, destructors and the finalizer run.
  final func freeExtras() {
    let raw = UnsafeRawPointer.at(UInt(extrasBits.loadAlone()))
    let extras = Unmanaged<QueueExtras>.fromOpaque(raw).takeRetainedValue()
    extras.freeFigures()
    SanitizedDeeds.ends(self)
    SanitizedDeeds.findsValue(of: self)
    let last = extras.with { values in
      defer { values = QueueExtras.Values() }
      return values
    }
    for entry in last.rawSpecifics.values { DispatchQueue.destroyLater(entry) }
    let label = extras.label.loadAcquire()  // acquire: pairs with keepLabel
    if label & CLabel.foreign == 0, let copy = UnsafeMutableRawPointer(bitPattern: UInt(label)) { copy.deallocate() }
    if let finalizer = last.finalizer, let context {
      let queue = target ?? GlobalQueues.queue(for: .default)  // the header: on the target
      queue.async(CWork(finalizer, context).inSanitizedOrder(on: queue))
    }
  }

  fileprivate static func destroyLater(_ entry: QueueExtras.RawSpecific) {
    guard let destructor = entry.destructor else { return }
    let queue = GlobalQueues.queue(for: .default)
    queue.async(CWork(destructor, entry.value).inSanitizedOrder(on: queue))
  }

  // MARK: Swift values

  /// Stores `value` with the queue under `key`; nil removes it. The value replaced is released before this returns.
  public final func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {
    Events.emit(.specificSet, address)
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

  /// The value stored with this queue under `key`; targets are not searched.
  @inlinable @inline(__always) public final func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
    // SAFETY: an entry's key is the key it was made with, so its value has that key's type.
    guard let found = ownSpecific(key) else { return nil }
    return unsafeDowncast(found, to: Specific<T>.self).value
  }

  @usableFromInline final func ownSpecific(_ key: AnyObject) -> AnySpecific? { extrasReference?.specific(key) }

  /// The value stored under `key` with the current queue, or else with the nearest queue along its targets; nil outside of
  /// queues.
  @inlinable @inline(__always) public final class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
    // SAFETY: as above.
    guard let found = currentSpecific(key) else { return nil }
    return unsafeDowncast(found, to: Specific<T>.self).value
  }

  @usableFromInline static func currentSpecific(_ key: AnyObject) -> AnySpecific? {
    var queue = currentReference
    while let here = queue {
      if let found = here.use({ $0.ownSpecific(key) }) { return found }
      queue = here.use { $0.targetReference }
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
    let extras = extrasMade()
    SanitizedDeeds.setsValue(of: self)
    let old = extras.with { values in
      let old = values.rawSpecifics[UInt(bitPattern: key)]
      values.rawSpecifics[UInt(bitPattern: key)] = value.map { .init(value: $0, destructor: destructor) }
      _ = extras.rawPlaces.setAssumingLocked(UInt64(UInt(bitPattern: key)), UInt64(UInt(bitPattern: value)))
      return old
    }
    guard let old else { return }
    SanitizedDeeds.findsValue(of: self)
    DispatchQueue.destroyLater(old)
  }

  /// The word this queue itself keeps under an address.
  package final func rawSpecific(key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    let value = extrasReference?.raw(key)
    if value != nil { SanitizedDeeds.findsValue(of: self) }
    return value
  }

  /// The word kept under an address by the current queue, else by its target, and so on.
  package static func currentRawSpecific(key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    var queue = currentReference
    while let here = queue {
      if let value = here.use({ $0.rawSpecific(key: key) }) { return value }
      queue = here.use { $0.targetReference }
    }
    return nil
  }

  /// The C context; setting it has no effect on main and global queues.
  package final var context: UnsafeMutableRawPointer? {
    @inlinable @inline(__always) get {
      // acquire: what was written there before it was set; pairs with the release below
      UnsafeMutableRawPointer(bitPattern: UInt(contextBits.loadAcquire()))
    }
    set {
      guard !isShared else { return }
      contextBits.storeRelease(UInt64(UInt(bitPattern: newValue)))  // release: publishes what it points to
    }
  }

  /// The label as a C string that lives as long as the queue: copied at the first call.
  final var cLabel: UnsafePointer<CChar> {
    keptLabel ?? keepLabel()
  }

  private final var keptLabel: UnsafePointer<CChar>? {
    extrasReference.flatMap { UnsafePointer(bitPattern: UInt($0.label & ~CLabel.foreign)) }
  }

  /// Of a queue made without a label: the one that the program keeps for it, if any.
  @inline(never) final var lateName: String { keptLabel.map { String(cString: $0) } ?? "" }

  /// Takes the program's own string as the label, uncopied; nil for none. For queues made without one.
  final func setLateLabel(_ label: UnsafePointer<CChar>?) {
    let bits = label.map { UInt64(UInt(bitPattern: $0)) | CLabel.foreign } ?? 0
    extrasMade().label.storeRelease(bits)  // release: publishes the text to keptLabel's acquire
  }

  @inline(never) private final func keepLabel() -> UnsafePointer<CChar> {
    label.isEmpty ? CLabel.empty : keepLabel(Array(label.utf8CString))
  }

  /// Keeps a copy of `text`, which ends in 0, as the C label, if there is none yet.
  @discardableResult final func keepLabel(_ text: [CChar]) -> UnsafePointer<CChar> {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
    _ = UnsafeMutableBufferPointer(start: copy, count: text.count).initialize(from: text)
    // release (in the swap): publishes the copy to cLabel's acquire; of two copies the first stays.
    let swap = extrasMade().label.casAcqRel(0, UInt64(UInt(bitPattern: copy)))
    if swap.exchanged { return UnsafePointer(copy) }
    copy.deallocate()
    return UnsafePointer.at(UInt(swap.original))
  }

  /// Runs on the target queue with the context, if there is one, when the queue goes.
  package final func setFinalizer(_ finalizer: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) {
    guard !isShared else { return }
    extrasMade().with { $0.finalizer = finalizer }
  }
}
