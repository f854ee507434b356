// Ledger.swift: how often what happened, counted by many threads.

/// Thread safety: any thread. What happens inside `settle` is one step to all others.
// SAFETY of @unchecked: `counts` is guarded by `lock`.
final class Ledger: @unchecked Sendable {
  enum Event: String, CaseIterable {
    case fetched, retried, copied, verified, stored, givenUp, deliveriesEnded
  }

  /// Recursive: who settles several entries calls the functions that take the lock for one.
  private let lock = NSRecursiveLock()
  private var counts: [Event: Int] = [:]

  subscript(event: Event) -> Int { lock.withLock { counts[event, default: 0] } }

  func note(_ event: Event) { lock.withLock { counts[event, default: 0] += 1 } }

  /// A document has arrived.
  func settle(_ delivery: Delivery) {
    lock.withLock {
      note(.stored)
      note(.verified)
      note(delivery is FetchOperation ? .fetched : .copied)
      if case .delivered(let attempt) = delivery.outcome, attempt > 1 { note(.retried) }
    }
  }
}
