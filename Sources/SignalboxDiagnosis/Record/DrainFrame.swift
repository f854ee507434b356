// DrainFrame.swift: the frame of a drain, with two words of the item that runs. Frames of all kinds are ThreadFrame.swift, what a
// report says of the words is RunningItem.swift.
import SignalboxSystem

/// The frame of a drain, with the words of the item that runs, as they lay in the queue.
///
/// The drain writes them before each item: two stores into its own stack frame. Reports read them of threads that stand still.
package struct DrainFrame {
  /// First, as the chain of frames finds it.
  package let frame: ThreadFrame
  /// The words of the item that runs, or of the one that ran last; 0 before the first.
  package var first: UInt64 = 0
  /// See `first`.
  package var second: UInt64 = 0

  /// The frame of a drain of the object, around which lies `previous`.
  @inline(__always)
  package init(object: UInt, kind: ThreadFrame.Kind, previous: UnsafeMutablePointer<ThreadFrame>?) {
    frame = ThreadFrame(object: object, kind: kind, previous: previous)
  }
}
