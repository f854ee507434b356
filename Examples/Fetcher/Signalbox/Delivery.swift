// Delivery.swift: what operations that bring a file have in common: which file, where to, and whether it came.

class Delivery: AsynchronousOperation, @unchecked Sendable {
  enum Outcome: Sendable, Equatable {
    case pending
    /// The file is there, at the given attempt.
    case delivered(attempt: Int)
    case failed(String)
  }

  let destination: URL
  // SAFETY of @unchecked: guarded by `lock`.
  private let lock = NSLock()
  private var storedOutcome = Outcome.pending

  init(to destination: URL) {
    self.destination = destination
    super.init()
    name = "deliver \(destination.lastPathComponent)"
  }

  var outcome: Outcome { lock.withLock { storedOutcome } }

  var isDelivered: Bool {
    if case .delivered = outcome { true } else { false }
  }

  /// Remembers the outcome, the first one if there are several, and ends the operation.
  final func finish(_ outcome: Outcome) {
    lock.withLock { if storedOutcome == .pending { storedOutcome = outcome } }
    finish()
  }
}
