// DispatchQueue+Forwarding.swift: a queue of ours whose items run inside of items of a queue of the toolchain's Dispatch.
//
// Our queue belongs to no thread and no pool (RunLoopQueue). Each time it comes to hold something to be run, one item goes to
// their queue, which runs one of ours and asks again if there are more: one of theirs for each of ours, so neither side waits
// longer than it would among items of its own.
public import Dispatch
public import SignalboxDispatch
import SignalboxSystem

extension SignalboxDispatch.DispatchQueue {
  /// A serial queue that runs each of its items as one item of `queue`, a queue of the toolchain's Dispatch. It is for code
  /// that must take turns with a dependency that uses such a queue.
  ///
  /// Calling its `sync` from code that runs on `queue` would wait forever: call the code directly there. Suspending the new
  /// queue or setting its target has no effect: suspend `queue` instead. The new queue retains `queue`.
  ///
  /// - Parameter label: the new queue's label; nil means the label of `queue`.
  public static func forwarding(to queue: Dispatch.DispatchQueue, label: String? = nil) -> SignalboxDispatch.DispatchQueue {
    RunLoopQueue(label: label ?? queue.label, isBound: false) { ours in
      RetrySoon.until { OtherPool.use { queue.async { _ = ours.perform() } } }
    }
  }
}
