// QueueWaits.swift: what a thread that waits for a queue tells the diagnosis: whose words say who could end the wait.
//
// A queue's own word names whoever drains it or runs alone. While nobody does, the queue lies on its target's list, and who
// holds the target keeps it there; and so on down to a global queue, whose workers nobody waits for, or to the main thread.
//
// A queue that a thread waits for is there as long as it does. Its targets are not: who retargets it lets the old one go. So a
// record names the queue alone; whoever reads it asks the queue's word what its target is at that moment, and reads that one through
// the kernel, which refuses what is gone.
import SignalboxWaits
import SignalboxSystem
import SignalboxView
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
