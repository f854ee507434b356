// ObservationRecord.swift: one observer of one property, as the observed object keeps it. The token is NSKeyValueObservation.
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
