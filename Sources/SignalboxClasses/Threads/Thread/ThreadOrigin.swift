// ThreadOrigin.swift: what a thread is inside of, for a module's part that lies above threads: operations.
import SignalboxLocks
import SignalboxSystem

/// Something that a thread may be started inside of.
protocol ThreadOrigin: AnyObject, Sendable {
  var isFinished: Bool { get }
}

/// How a thread asks what it is inside of. Installed with the first frame there can be: before that no thread is inside of anything.
struct ThreadInsides: Sendable {
  /// What the calling thread works for; nil: nothing.
  let origin: @Sendable () -> (any ThreadOrigin)?
  /// The calling thread, which is the program's own, is about to end by its own wish.
  let exit: @Sendable () -> Void

  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var installed: ThreadInsides?

  static func install(_ insides: ThreadInsides) { lock.withLock { installed = insides } }
  /// nil: no thread was ever inside of anything.
  static var known: ThreadInsides? { lock.withLock { installed } }
}
