// QueueWaits.swift: what queues and parallel loops tell the diagnosis: which words say what could end a wait, and the
// events of turns.
//
// A queue's own word names whoever drains it or runs alone. While nobody does, the queue lies on its target's list, and
// who holds the target keeps it there; and so on down to a global queue, whose workers nobody waits for, or to the main
// thread.
//
// A queue that a thread waits for is there as long as it does. Its targets are not: who retargets it lets the old one
// go. So a record names the queue alone; whoever reads it asks the queue's word what its target is at that moment, and
// reads that one through the kernel, which refuses what is gone.
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

enum QueueWaits {
  /// Leaves the record for a wait for `queue` and searches for a cycle. `WaitRecord.withdraw()` must follow.
  static func begin(_ kind: WaitKind, _ queue: DispatchQueue, park: (word: UInt, value: UInt32)? = nil) {
    Waiting.begin(kind, object: queue.address, isTimed: false, park: park, words(of: queue))
  }

  /// The queue's word, which leads on to its targets'.
  static func words(of queue: DispatchQueue) -> OwnerWords {
    OwnerWords(OwnerWord(queue.address, queue.kind.reading))
  }

  /// Whether the queue at `address`, which may be gone, was not activated yet.
  static func isInactive(_ address: UInt) -> Bool {
    OwnerReader().state(ofQueue: UInt64(address)).map { $0[QueueState.inactive] == 1 } ?? false
  }
}

extension DispatchQueue {
  /// Whose words tell when an item of it has its turn.
  package final var turnWords: OwnerWords { QueueWaits.words(of: self) }

  /// Kind and label.
  package final var title: String {
    "\(kind.noun) \"\(name)\""
  }

  /// The same with what it runs on, where that is not a global queue.
  final var titleWithTargets: String {
    guard let target, !target.isRoot else { return title }
    return "\(title) (on \(target.titleWithTargets))"
  }
}

// MARK: a parallel loop

// The caller of a loop waits for bodies that other threads run.
//
// Nobody owns a loop: whoever is inside of one of its bodies keeps the caller waiting. Like readers, participants
// cannot be named by a word, so each lists the loop among its shared holds, once for all bodies that it runs.

enum LoopWaits {
  /// Leaves the record for the wait for the end of `apply` and searches for a cycle. `WaitRecord.withdraw()` must follow.
  static func begin(_ apply: ParallelApply, park: (word: UInt, value: UInt32)) {
    Waiting.begin(
      .apply, object: apply.address, isTimed: false, park: park, .init(OwnerWord(apply.address, .parallelLoop)))
  }
}

// MARK: events of a queue's turns

// What comes with a turn is DispatchLayer.turn(of:).

extension DispatchQueue {
  /// A thread asks for a turn, and a subscriber hears of it.
  @inline(never)
  final func turnIsAsked(alone: Bool) {
    let kind: WaitKind = isRoot ? .none : alone && isConcurrent ? .barrierSync : .sync
    Events.tell(.turnAsked, address, alone ? 1 : 0, UInt64(kind.rawValue))
    guard !isRoot, Events.areWanted(.targetTurnAsked) else { return }
    // No turn is held yet that would keep the targets.
    let _: Void? = firstInChain { queue in
      if queue !== self, !queue.isRoot {
        Events.tell(.targetTurnAsked, queue.address, queue.isConcurrent ? 0 : 1, UInt64(WaitKind.sync.rawValue))
      }
      return nil
    }
  }

  /// The same around the taking of a turn by `sync`. While a turn lasts whose end a subscriber wants to hear of, the
  /// inlined way out is closed.
  @inline(never)
  final func enterTelling(_ me: UInt64, alone: Bool) -> Bool {
    if Events.areWanted(.turnAsked) { turnIsAsked(alone: alone) }
    guard enterPlainly(me, alone: alone) else { return false }
    guard Events.areWanted(.turnBegan) else { return true }
    // relaxed: set once, and the swap re-checks
    if !isRoot, state.hint()[QueueState.recorded] == 0 {
      set { $0.with(QueueState.recorded, 1) }
    }
    Events.tell(.turnBegan, address, alone ? 1 : 0, 0)
    return true
  }

  /// The turn is about to be given back.
  @inline(__always) final func turnEnds() {
    if Events.areWanted(.turnEnded) { return Events.tell(.turnEnded, address, 0, 0) }
    // No subscriber any more: the inlined paths are open again.
    // relaxed: a thread that sets it meanwhile has seen another recording begin, of which a turn's end may be missing
    if _slowPath(state.hint()[QueueState.recorded] != 0) {
      set { $0.with(QueueState.recorded, 0) }
    }
  }
}
