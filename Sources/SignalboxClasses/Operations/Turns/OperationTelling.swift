// OperationTelling.swift: what an announced change of an operation, or of its queue, sets in motion. Observers are
// called, a subclass's own state is taken over, a queue's progress goes on.
import Foundation
import SignalboxSystem
import SignalboxWords

// MARK: operations

extension Operation {
  /// Between this and `didChange` a subclass changes a property.
  final func willChange(_ key: ObservedKey) { if state.isObserved { announce(key) } }

  /// A subclass has changed a property, or says so: the observers first, then what follows from it.
  final func didChange(_ key: ObservedKey) {
    passPoint(.operationSet, self)
    if state.isObserved { tell(key) }
    switch key {
    case .isFinished: if isFinished { finishFromOutside() }
    case .isExecuting: if isExecuting { _ = moved { $0.afterSaidExecuting() } }
    case .isReady: offerToQueue()
    case .isCancelled: if isCancelled { cancelBase() }
    case .queuePriority: withQueue { $0.reorder(self) }
    default: break
    }
  }

  /// Runs `change` between the announcement and the completion of a change, if there is an observer.
  final func telling(_ key: ObservedKey, _ change: () -> Void) {
    guard state.isObserved else { return change() }
    announce(key)
    change()
    tell(key)
  }

  final func announce(_ key: ObservedKey) { for record in records(of: key) { record.willChange(self) } }
  final func tell(_ key: ObservedKey) { for record in records(of: key) { record.didChange(self) } }

  private final func records(of key: ObservedKey) -> [ObservationRecord] {
    ifExtras { extras in extras.observations.filter { $0.concerns(key) } } ?? []
  }
}

// MARK: queues

extension OperationQueue {
  // relaxed: an observation that begins beside a change may miss it.
  final var isObserved: Bool { facts.hint()[QueueFacts.observed] == 1 }

  /// Runs `change` between the announcement and the completion of a change, if there is an observer.
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
