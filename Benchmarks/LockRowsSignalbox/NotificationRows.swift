// NotificationRows.swift: posting notifications to an observer. The centre is Foundation's on both sides; what differs is the
// observer's queue. Notifications that a loop posts are NotificationQueueRows.swift.
import BenchSupport

/// All rows about notifications, on the library that this module is compiled on.
public func notificationRows() -> [Row] {
  [
    Row(
      "notification-post", .notifications, "post to an observer without a queue: the same code on both", bar: .none,
      floor: .storedContext(bytes: 32)
    ) { posts(to: nil) },
    Row(
      "notification-post-queue", .notifications, "post to an observer on an operation queue, and wait for it",
      bar: .notSlowerOrNearFloor, floor: .wakeRoundTrip, batch: .elastic(minimum: 20)
    ) { posts(to: OperationQueue()) },
    Row(
      "notification-post-inside", .notifications, "post a notification from inside of an operation of the observer's queue",
      bar: .notSlower,
      floor: .storedContext(bytes: 32)
    ) { postsInside(OperationQueue()) },
  ] + notificationQueueRows()
}

extension Notification.Name { fileprivate static let tick = Notification.Name("tick") }

/// Keeps centre, observer and queue, and takes the observer away with itself.
private final class Listening: Sendable {
  let center = NotificationCenter()
  let queue: OperationQueue?
  private nonisolated(unsafe) let token: any NSObjectProtocol  // the centre's business

  init(on queue: OperationQueue?) {
    self.queue = queue
    token = center.addObserver(forName: .tick, object: nil, queue: queue) { _ in opaqueBody() }
  }
  deinit { center.removeObserver(token) }

  func post(_ count: Int) { for _ in 0..<count { center.post(name: .tick, object: nil) } }
}

private func posts(to queue: OperationQueue?) -> Workload {
  let listening = Listening(on: queue)
  return .timed { count in listening.post(count) }
}

private func postsInside(_ queue: OperationQueue) -> Workload {
  let listening = Listening(on: queue)
  return .timed { count in
    queue.addOperation { listening.post(count) }
    queue.waitUntilAllOperationsAreFinished()
  }
}
