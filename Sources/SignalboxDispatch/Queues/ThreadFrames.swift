// ThreadFrames.swift: what the calling thread is inside of, in terms of queues: for preconditions, labels and reports.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchQueue {
  /// The queue of a frame. SAFETY: a frame's queue is kept alive by whoever pushed the frame, until it is popped.
  static func queue(of frame: ThreadFrame) -> DispatchQueue { reference(of: frame).kept }

  @inline(__always) static func reference(of frame: ThreadFrame) -> Lent<DispatchQueue> {
    Lent(at: UInt64(frame.object))
  }

  /// Whether `other` is this queue or somewhere below it among its targets.
  final func leads(to other: DispatchQueue) -> Bool {
    if self === other { return true }
    var queue = targetReference
    while let here = queue {
      if here == Lent(other) { return true }
      queue = here.use { $0.targetReference }
    }
    return false
  }
}

enum ThreadFrames {
  /// Calls `body` with each level the thread is inside of, innermost first, until it returns true.
  static func contains(_ body: (DispatchQueue, FrameKind) -> Bool) -> Bool {
    var frame = ThreadSlot.current.innermostFrame
    while let here = frame {
      if body(DispatchQueue.queue(of: here.pointee), here.pointee.kind) { return true }
      frame = here.pointee.previous
    }
    return false
  }

  /// The chain in words: `"inner" (sync) < "outer" (item)`.
  static func description() -> String {
    var parts: [String] = []
    _ = contains { queue, kind in
      let how =
        switch kind {
        case .syncAlone, .syncShared: "sync"
        case .drainAlone, .drainShared: "item"
        }
      parts.append("\"\(queue.name)\" (\(how))")
      return false
    }
    return parts.isEmpty ? "no queue" : parts.joined(separator: " < ")
  }
}
