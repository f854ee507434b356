// ManualReferences.swift: how many dispatch_retain calls an object still owes a dispatch_release.
import SignalboxDispatch
import SignalboxLocks

/// The balance of retains by hand, so that a release too many is harmless instead of freeing what Swift still uses.
final class ManualReferences: Sendable {
  static let shared = ManualReferences()
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`. An entry exists only while its object is retained here, so no address is ever reused under it.
  nonisolated(unsafe) private var counts: [ObjectIdentifier: Int] = [:]

  func retain(_ object: DispatchObject) {
    _ = Unmanaged.passRetained(object)
    lock.withLock { counts[ObjectIdentifier(object), default: 0] += 1 }
  }

  func release(_ object: DispatchObject) {
    let wasRetained = lock.withLock {
      guard let count = counts[ObjectIdentifier(object)] else { return false }
      counts[ObjectIdentifier(object)] = count > 1 ? count - 1 : nil
      return true
    }
    if wasRetained { Unmanaged.passUnretained(object).release() }
  }
}
