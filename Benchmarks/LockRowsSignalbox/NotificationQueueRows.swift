// NotificationQueueRows.swift: notifications that a queue leaves to the calling thread's loop. Those that are posted at once are
// NotificationRows.swift.
import BenchSupport

func notificationQueueRows() -> [Row] {
  [
    Row(
      "notification-queue-asap", .notifications, "one of 100 queued as soon as possible, until the loop has posted all",
      bar: .notSlower, floor: .storedContext(bytes: 32), batch: .fixed(100)
    ) { posts(.asap, coalesced: false) },
    Row(
      "notification-queue-idle", .notifications, "one of 100 queued for when the loop is idle, until it has posted all",
      bar: .notSlower, floor: .storedContext(bytes: 32), batch: .fixed(100)
    ) { posts(.whenIdle, coalesced: false) },
    Row(
      "notification-queue-coalesced", .notifications, "one of 100 queued that are posted as a single one", bar: .notSlower,
      floor: .storedContext(bytes: 32), batch: .fixed(100)
    ) { posts(.asap, coalesced: true) },
  ]
}

private func posts(_ style: NotificationQueue.PostingStyle, coalesced: Bool) -> Workload {
  let listening = QueueListening()
  return .timed { count in listening.post(count, style, coalesced: coalesced) }
}

/// A centre with a queue and an observer that counts; used on one thread.
private final class QueueListening {
  private let center: NotificationCenter
  private let queue: NotificationQueue
  private let token: any NSObjectProtocol
  private let current = Current()
  private let keeper = Keeper()

  init() {
    let center = NotificationCenter(), current = current
    self.center = center
    queue = NotificationQueue(notificationCenter: center)
    token = center.addObserver(forName: Self.name, object: nil, queue: nil) { _ in current.firings?.hit() }
  }

  deinit { center.removeObserver(token) }

  private static let name = Notification.Name("queued")

  func post(_ count: Int, _ style: NotificationQueue.PostingStyle, coalesced: Bool) {
    let posted = Firings(coalesced ? 1 : count)
    current.firings = posted
    let news = Notification(name: Self.name)
    for _ in 0..<count {
      queue.enqueue(news, postingStyle: style, coalesceMask: coalesced ? [.onName, .onSender] : [], forModes: [.default])
    }
    posted.runLoop()
  }

  // SAFETY of @unchecked: used on the listening thread only.
  private final class Current: @unchecked Sendable { var firings: Firings? }
}
