// DrainFrame.swift: the frame of a drain, with two words of the item that runs. Frames of all kinds are
// ThreadFrame.swift, what a report says of the words is RunningItem.swift.
import SignalboxSystem
import SignalboxWords

/// The frame of a drain, with the words of the item that runs, as they lay in the queue.
///
/// The drain writes them before each item: two stores into its own stack frame. Reports read them of threads that stand
/// still.
package struct DrainFrame {
  /// First, as the chain of frames finds it.
  package let frame: ThreadFrame
  /// The item that runs, or the one that ran last; 0 before the first. A node is given back before its item runs: see
  /// ItemWords.
  package var item = Slot(0, 0)

  /// The item in the frame of a drain that lies at `place`, on another thread's stack; nil if it is gone.
  package static func item(ofFrameAt place: UInt) -> Slot? {
    guard let first = SafeMemory.word64(place + FrameLayout.item), let second = SafeMemory.word64(place + FrameLayout.item + 8)
    else {
      return nil
    }
    return Slot(first, second)
  }

  /// The frame of a drain of the object, around which lies `previous`.
  @inline(__always)
  package init(object: UInt, kind: FrameKind, previous: UnsafeMutablePointer<ThreadFrame>?) {
    frame = ThreadFrame(object: object, kind: kind, previous: previous)
  }
}
