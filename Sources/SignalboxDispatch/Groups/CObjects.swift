// CObjects.swift: groups and semaphores as C makes them: with a context and a finalizer, which few have.
import SignalboxLocks
import SignalboxSystem

/// A context word and the function that is to get it when the object is gone.
package final class CContext: Sendable {
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`; what the context points to is the C caller's business.
  nonisolated(unsafe) private var context: UnsafeMutableRawPointer?
  nonisolated(unsafe) private var finalizer: CFunction?

  package init() {}

  package var value: UnsafeMutableRawPointer? {
    get { lock.withLock { context } }
    set { lock.withLock { context = newValue } }
  }
  package func setFinalizer(_ function: CFunction?) { lock.withLock { finalizer = function } }

  /// The object is gone: the finalizer runs on the default global queue, unless the context is NULL.
  func objectIsGone() {
    let (function, argument) = lock.withLock { (finalizer, context) }
    if let function, let argument { GlobalQueues.queue(for: .default).async(CWork(function, argument)) }
  }
}

/// A group of the C face.
package final class CGroup: DispatchGroup, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the context guards itself.
  package let context = CContext()
  deinit { context.objectIsGone() }
}

/// A semaphore of the C face.
package final class CSemaphore: DispatchSemaphore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the context guards itself.
  package let context = CContext()
  deinit { context.objectIsGone() }
}
