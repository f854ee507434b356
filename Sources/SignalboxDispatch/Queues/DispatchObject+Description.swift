// DispatchObject+Description.swift: what `print` shows of objects, and what dispatch_debug and reports show of them: one text. Its form
// is ObjectText's; each class says what it shows (`text(at:)`), a queue here. Work items: DispatchWorkItem+Description.swift.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension DispatchObject: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of object, its label or name, its address and its current state: `<DispatchQueue "store" 0x… serial, 3 pending>`.
  ///
  /// - Note: Thread safety: any thread. Meant for people: the wording may change.
  public final var description: String { text(at: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }

  /// The same as `description`.
  public final var debugDescription: String { description }
}

extension DispatchQueue {
  /// The class as `print` shows it: those that are no part of the interface are plain queues.
  final var shownType: String {
    self is DispatchSerialQueue || self is DispatchConcurrentQueue || isWorkloop ? "\(Swift.type(of: self))" : "DispatchQueue"
  }

  final var shownFacts: [String] {
    let state = self.state.load()  // acquire: pairs with the swaps of the state; for people
    return [kind.adjective] + [state.stopFact, runFact(state), pendingFact].compactMap { $0 }
  }

  private final func runFact(_ state: QueueState) -> String? {
    let owner = state[QueueState.owner], readers = state[QueueState.width]
    if state[QueueState.exclusive] == 1 { return "taken by \(ObjectText.thread(owner))" }
    return readers > 0 ? "\(readers) running" : nil
  }

  private final var pendingFact: String? {
    let count = list.pendingCount
    return count > 0 ? "\(count) pending" : nil
  }
}

extension QueueState {
  /// What keeps the queue from running items, in words; nil if nothing does.
  var stopFact: String? {
    let count = self[QueueState.suspendCount]
    if self[QueueState.inactive] == 1 { return "not activated" }
    return count == 0 ? nil : count == 1 ? "suspended" : "suspended \(count) times"
  }
}
