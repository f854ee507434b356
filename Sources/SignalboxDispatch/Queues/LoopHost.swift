// LoopHost.swift: whether a run loop can have the main thread. Where none can any more, items of the main queue serve what was left
// with the main loop (SignalboxClasses, Threads/README.md, "Without a loop").
import SignalboxLocks
import SignalboxSystem

package enum LoopHost {
  package enum Prospect {
    /// The first thread holds no slot: whether it is still there is not known.
    case unseen
    /// A loop may have the first thread, now or later.
    case possible
    /// Our dispatchMain() has the first thread, or that thread has ended.
    case none
  }

  /// What is known now. `none` is final but for a first thread that its own items end.
  package static var prospect: Prospect {
    if FirstThread.hasEnded || MainThreadHost.isServed { return .none }
    if FirstThread.isMet { return .possible }
    guard Threads.isMain else { return .unseen }
    _ = ThreadSlot.owner()  // from here on its end is noticed
    return .possible
  }

  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var hook: (@Sendable () -> Void)?

  /// Has `hook` called when no loop can have the main thread any more: who leaves something for a loop and then finds another
  /// `prospect` than `none` is followed by that call. One hook; it is called on the main thread, perhaps at its end.
  package static func whenLost(_ hook: @escaping @Sendable () -> Void) {
    _ = MainQueue.queue  // it notices the thread's end
    lock.withLock { self.hook = hook }
  }

  /// The prospect has become `none`.
  static func isLost() { lock.withLock { hook }?() }
}
