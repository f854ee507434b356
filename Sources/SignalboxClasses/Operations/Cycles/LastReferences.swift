// LastReferences.swift: letting go of objects of the program's on a thread where none of its code must run.
import Foundation
import SignalboxNames

/// For threads that read objects of the program's, and may be the last to refer to one.
enum LastReferences {
  /// Lets go of them; false: some may be freed by that, which then happens on the pool.
  static func letGo<Object: NSObject>(of objects: consuming [Object]) -> Bool {
    let last = objects.indices.filter { isKnownUniquelyReferenced(&objects[$0]) }
    if last.isEmpty { return true }
    // The worker's alone: a reference of the calling thread's could be the last, if the worker is quicker.
    let doomed = Unmanaged.passRetained(Doomed(objects))
    objects = []
    DispatchQueue.global().async { doomed.release() }
    return false
  }

  // SAFETY of @unchecked: only let go of.
  private final class Doomed: @unchecked Sendable {
    private let objects: [NSObject]
    init(_ objects: [NSObject]) { self.objects = objects }
  }
}
