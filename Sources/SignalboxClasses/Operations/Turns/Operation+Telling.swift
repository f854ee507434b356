// Operation+Telling.swift: what an announced change sets in motion: observers are called, and a subclass's own state is taken over.
import SignalboxSystem

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

  /// Runs `change` between the announcement and the completion of a change, if anybody observes.
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
