// CContext.swift: what C keeps with an object: a context and a finalizer, which few have.
import SignalboxLocks
import SignalboxSystem

/// A context word, the function that is to get it when the object is gone, and the queue on which.
package final class CContext: Sendable {
  /// What the context points to; what lies there is the C caller's business.
  private let context = Atomic64(0)
  private let lock = UnfairLock()
  // SAFETY, both: guarded by `lock`.
  nonisolated(unsafe) private var finalizer: CFunction?
  nonisolated(unsafe) private var target: DispatchQueue?

  package init() {}

  package var value: UnsafeMutableRawPointer? {
    // acquire: who gets the pointer sees what was written there before it was set; pairs with the release
    get { UnsafeMutableRawPointer(bitPattern: UInt(context.loadAcquire())) }
    set { context.storeRelease(UInt64(UInt(bitPattern: newValue))) }  // release: pairs with the acquire
  }
  package func setFinalizer(_ function: CFunction?) { lock.withLock { finalizer = function } }

  /// Sets where the finalizer runs; nil means the default global queue.
  package func setTarget(_ queue: DispatchQueue?) {
    let old = lock.withLock { () -> DispatchQueue? in
      defer { target = queue }
      return target
    }
    _ = consume old  // released outside the lock
  }

  /// The target that was set.
  var chosenTarget: DispatchQueue? { lock.withLock { target } }

  /// The object is gone: the finalizer runs on its target, unless the context is NULL. Without a target that was set it runs on
  /// `queue`; nil means the default global queue.
  func objectIsGone(orElse queue: DispatchQueue? = nil) {
    let (function, chosen) = lock.withLock { (finalizer, target) }
    guard let function, let argument = value else { return }
    let place = chosen ?? queue ?? GlobalQueues.queue(for: .default)
    place.async(CWork(function, argument).inSanitizedOrder(on: place))
  }
}

/// Where an object keeps its context once it has one.
struct CContextPlace: ~Copyable, Sendable {
  /// Unmanaged `CContext`, +1; 0 until needed.
  private let bits = Atomic64(0)

  /// Whether there is one; for an object that only the caller refers to.
  var isUsed: Bool { bits.loadRelaxed() != 0 }  // relaxed: nothing is read through it

  /// The context, made at first need.
  var made: CContext {
    // acquire: the object behind the bits is whole; pairs with the swap.
    if let found = Lent<CContext>.inWord(bits.loadAcquire()) { return found.kept }
    let new = Unmanaged.passRetained(CContext())
    let swap = bits.casAcqRel(0, UInt64(UInt(bitPattern: new.toOpaque())))
    if swap.exchanged { return new.takeUnretainedValue() }
    new.release()
    return Lent<CContext>(at: swap.original).kept
  }

  /// What the context points to; nil without one.
  // acquire: the object behind the bits is whole; pairs with the swap in `made`
  var value: UnsafeMutableRawPointer? { Lent<CContext>.inWord(bits.loadAcquire())?.use { $0.value } }

  /// The target that was set.
  // acquire: as for `value`
  var chosenTarget: DispatchQueue? { Lent<CContext>.inWord(bits.loadAcquire())?.use { $0.chosenTarget } }

  /// Called once. `queue`: where the finalizer runs if no target was set; nil means the default global queue.
  func objectIsGone(of owner: AnyObject, orElse queue: DispatchQueue? = nil) {
    // acquire: as for `value`; nobody else has a reference to the object any more
    guard let context = Lent<CContext>.inWord(bits.loadAcquire()) else { return }
    SanitizedDeeds.ends(owner)
    context.reference.takeRetainedValue().objectIsGone(orElse: queue)
  }
}
