// CObjects.swift: groups and semaphores as C makes them: with a context and a finalizer (CContext.swift), which few have.

/// A group of the C face.
package final class CGroup: DispatchGroup, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the context guards itself.
  private let place = CContextPlace()
  package var context: CContext { place.made }
  /// The header: the only use of the target is that the finalizer runs there.
  package override func setTarget(queue: DispatchQueue?) { context.setTarget(queue) }
  /// Creates an empty group. C lets a group go whose `wait` has returned, while the `leave` that ended the wait still runs.
  package override init() { super.init(holdingItself: ()) }
  deinit { place.objectIsGone(of: self) }
}

/// A semaphore of the C face.
package final class CSemaphore: DispatchSemaphore, @unchecked Sendable {
  // SAFETY of @unchecked: as its superclass; the context guards itself.
  private let place = CContextPlace()
  package var context: CContext { place.made }
  /// The header: the only use of the target is that the finalizer runs there.
  package override func setTarget(queue: DispatchQueue?) { context.setTarget(queue) }
  deinit { place.objectIsGone(of: self) }
}
