// StopNotes.swift: which queues were stopped while the stall detector is on, and where: suspended, or made inactive.
// What lies in them is read by the layer that has queues (StoppedQueue). Taken only behind the instruments byte.
import SignalboxSystem

/// Notes of the stops of queues, by address.
///
/// Thread safety: any thread. A note may be behind: its reader checks the queue. In the child of a fork nothing
/// is noted.
package enum StopNotes {
  /// Further queues are not noted.
  package static let most = 100_000

  private static let lock = InnerLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var places: [UInt: [UInt]] = [:]

  /// The queue was suspended, or was made inactive.
  package static func stopped(_ queue: UInt, _ site: CallSite) {
    let place = site.addresses
    lock.withLock { if places.count < most { places[queue] = place } }
  }

  /// The queue goes on, or is no more.
  package static func forget(_ queue: UInt) { lock.withLock { places[queue] = nil } }

  /// Calls `body` for each queue that was noted, with where it was stopped. None goes meanwhile: a thread that frees
  /// one forgets it.
  package static func forEach(_ body: (UInt, [UInt]) -> Void) {
    lock.withLock { for (queue, place) in places { body(queue, place) } }
  }

  /// Where the queue was stopped; empty if that was not noted.
  package static func place(of queue: UInt) -> [UInt] { lock.withLock { places[queue] ?? [] } }

  /// Runs `switchOff`, after which queues are freed without being forgotten, while no code reads; then nothing is
  /// noted.
  package static func clear(_ switchOff: () -> Void) {
    lock.withLock {
      switchOff()
      places = [:]
    }
  }
}
