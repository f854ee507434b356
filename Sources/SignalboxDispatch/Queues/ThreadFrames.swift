// ThreadFrames.swift: what the calling thread is inside of, in terms of queues: for preconditions, labels, reports, and
// the hints of waits.
import SignalboxSystem
import SignalboxWaits
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

// MARK: queues in which items wait for the calling thread

extension DispatchQueue {
  /// The labels of the queues whose turn the calling thread has, alone, while items wait in them; innermost first. A wait for
  /// one of those items never ends. The main queue counts on the main thread, in an item or not.
  package static var labelsHeldWithItems: [String] {
    var labels: [String] = []
    func look(_ queue: DispatchQueue) { if !queue.list.isEmpty, !labels.contains(queue.name) { labels.append(queue.name) } }
    _ = ThreadFrames.contains { queue, kind in
      if kind == .syncAlone || kind == .drainAlone { look(queue) }
      return false
    }
    if MainThreadHost.isMainThread { look(MainQueue.queue) }
    return labels
  }
}
