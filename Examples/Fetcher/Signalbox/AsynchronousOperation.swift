// AsynchronousOperation.swift: an operation that goes on after `start` has returned, until it calls `finish`.

/// Subclasses override `begin` and call `finish` once they are done, from any thread; further calls have no effect.
// SAFETY of @unchecked: `stage` is guarded by `stageLock`.
class AsynchronousOperation: Operation, @unchecked Sendable {
  private enum Stage {
    case waiting, executing, ending, finished
  }
  private let stageLock = NSLock()
  private var stage = Stage.waiting

  override final var isAsynchronous: Bool { true }
  override final var isExecuting: Bool { stageLock.withLock { stage == .executing || stage == .ending } }
  override final var isFinished: Bool { stageLock.withLock { stage == .finished } }

  override final func start() {
    if isCancelled { return move(to: .finished, telling: ["isFinished"]) }
    move(to: .executing, telling: ["isExecuting"])
    begin()
  }

  /// Starts the work. It may be over before this returns.
  func begin() { finish() }

  /// The work is over. Before the start this has no effect: `start` checks `isCancelled` itself.
  final func finish() {
    let isFirst = stageLock.withLock {
      guard stage == .executing else { return false }
      stage = .ending
      return true
    }
    if isFirst { move(to: .finished, telling: ["isExecuting", "isFinished"]) }
  }

  private func move(to next: Stage, telling keys: [String]) {
    for key in keys { willChangeValue(forKey: key) }
    stageLock.withLock { stage = next }
    for key in keys.reversed() { didChangeValue(forKey: key) }
  }
}
