// HeldQueues.swift: queues that run nothing else while the calling code runs, and in which items wait: for the hints of waits.
import SignalboxWaits

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
