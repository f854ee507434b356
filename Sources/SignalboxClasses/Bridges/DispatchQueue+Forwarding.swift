// DispatchQueue+Forwarding.swift: a queue of ours whose items run inside of items of a queue of the toolchain's Dispatch.
//
// Our queue belongs to no thread and no pool (RunLoopQueue). Each time it comes to hold something to be run, one item goes to
// their queue, which runs one of ours and asks again if there are more: one of theirs for each of ours, so neither side waits
// longer than it would among items of its own.
public import Dispatch
public import Signalbox
import SignalboxDispatch
import SignalboxSystem

extension Signalbox.DispatchQueue {
  /// A serial queue whose items run as items of `queue` of the toolchain's Dispatch, one of theirs for each of ours: for code that
  /// has to take turns with a dependency that works on such a queue.
  ///
  /// `sync` to it from code that runs on `queue` would wait for ever: call the code directly there. Suspension and targets of the
  /// new queue have no effect: suspend `queue`. It holds `queue`.
  ///
  /// - Parameter label: the new queue's label; that of `queue` if nil.
  public static func forwarding(to queue: Dispatch.DispatchQueue, label: String? = nil) -> Signalbox.DispatchQueue {
    RunLoopQueue(label: label ?? queue.label, isBound: false) { ours in
      RetrySoon.until { OtherPool.use { queue.async { _ = ours.perform() } } }
    }
  }
}
