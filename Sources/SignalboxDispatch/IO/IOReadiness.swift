// IOReadiness.swift: a callback when a descriptor is ready, once for each request. How descriptors are monitored is Events/.
import SignalboxSystem

/// Asks for one lane.
final class IOReadiness: Sendable {
  /// What the descriptor is found to be.
  enum Finding: Sendable {
    /// Reading or writing will tell.
    case ready
    /// It was closed meanwhile: the number may be another file's.
    case closed
  }

  /// The delay in nanoseconds before a subscription that the system refused is tried again.
  private static let retry: UInt64 = 10_000_000
  private let watch: DescriptorSubscription

  /// `found` is called once for each `arm()`, on any thread, and must be brief.
  init(_ number: Int32, _ direction: IOProgress.Direction, label: String, _ found: @escaping @Sendable (Finding) -> Void) {
    watch = DescriptorTable.shared.watch(number, direction == .read ? .readable : .writable, label: label) { event in
      switch event {
      case .ready, .always: found(.ready)
      case .closed: found(.closed)
      case .failed:
        // No timer: it might be what the system refuses.
        GlobalQueues.queue(for: .default).async {
          let word = Atomic32(0)
          word.park(expected: 0, deadline: .uptime(Clock.uptime() + Self.retry))
          found(.ready)
        }
      }
    }
  }

  func arm() { watch.rearm() }

  /// `done` is called once nothing of this touches the descriptor any more.
  func cancel(then done: @escaping @Sendable () -> Void) { watch.cancel(then: done) }
}
