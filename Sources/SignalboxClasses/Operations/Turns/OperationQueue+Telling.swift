// OperationQueue+Telling.swift: observers of a queue's properties, and its progress.
import Foundation
import SignalboxSystem
import SignalboxWords

extension OperationQueue {
  // relaxed: an observation that begins beside a change may miss it.
  final var isObserved: Bool { facts.hint()[QueueFacts.observed] == 1 }

  /// Runs `change` between the announcement and the completion of a change, if anybody observes.
  @inline(__always) final func telling(_ keys: @autoclosure () -> [ObservedKey], _ change: () -> Void) {
    isObserved ? tellingObservers(keys(), change) : change()
  }

  @inline(never) private final func tellingObservers(_ keys: [ObservedKey], _ change: () -> Void) {
    let records = lock.withLock { innards.observations.filter { record in keys.contains { record.concerns($0) } } }
    for record in records { record.willChange(self) }
    change()
    for record in records where !record.isOver { record.didChange(self) }
  }

  final func setFact(_ fact: Field) { _ = facts.moved { $0.after(fact) } }

  // MARK: progress

  final var progressMade: Progress {
    setFact(QueueFacts.progress)
    return lock.withLock {
      if let progress = innards.progress { return progress }
      let made = Progress(parent: nil, userInfo: nil)
      innards.progress = made
      return made
    }
  }

  /// An operation has finished by the end of its `main()`.
  @inline(__always) final func countsProgress() {
    if facts.hint()[QueueFacts.progress] == 1 { countProgress() }
  }

  @inline(never) private final func countProgress() {
    lock.withLock {
      // Under the lock: two threads that add one at once must add two.
      guard let progress = innards.progress, progress.totalUnitCount > 0 else { return }
      progress.completedUnitCount += 1
    }
  }
}
