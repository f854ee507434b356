// RunningItem.swift: which item a thread runs, as a report describes it, from the words beside the frame of its drain
// (DrainFrame.swift).
import SignalboxSystem

/// An item under way, as a report describes it.
package struct RunningItem: Sendable {
  /// What it is: `async`, `barrier`, `work item`, ...
  package var kind = ""
  /// The function of its closure or block, or the C function; 0 if that is not known.
  package var function: UInt = 0
  /// What stands in its context where the next function would, if it is a thunk.
  package var inner: [UInt] = []

  /// The kind of a job of Swift's tasks that is isolated to an actor, and of any other.
  package static let jobOfActor = "a job of an actor", jobOfTask = "a job of a task"

  /// Nothing is known of it, or only its kind.
  package init(kind: String = "") { self.kind = kind }

  /// The item that the thread `entry`, which stands still unless it `mayMove`, runs: of its innermost drain. nil if it drains nothing.
  static func current(_ entry: ThreadTable.Entry, mayMove: Bool = false) -> RunningItem? {
    var found: RunningItem?
    entry.forEachFrame { frame, place in
      guard frame.kind.isDrain else { return true }
      // The words of a drain lie behind its frame (DrainFrame).
      if let first = SafeMemory.word64(place + 16), let second = SafeMemory.word64(place + 24) {
        let words = ItemWordPair(first: first, second: second)
        found = Layers.first { mayMove ? $0.movingItem(words) : $0.item(words, in: frame) }
      }
      return false
    }
    return found
  }
}

/// The two words of an item, as they lay in its queue; what they mean the engine knows.
package struct ItemWordPair: Sendable, Equatable {
  /// The first.
  package var first: UInt64
  /// The second.
  package var second: UInt64

  /// Two words.
  package init(first: UInt64, second: UInt64) { (self.first, self.second) = (first, second) }
}
