// RunningItem.swift: an item as reports and pictures name it. How it is read from the two words of its slot is
// ItemReader.swift.
import SignalboxWords

/// An item under way, or one that waits for its turn.
package struct RunningItem: Sendable, Equatable {
  /// What it is: `async`, `barrier async`, `work item`, ...
  package var kind = ""
  /// The function of its closure or block, or the C function; 0 if that is not known.
  package var function: UInt = 0
  /// What its context has where the next function would stand, if it is a thunk.
  package var inner: [UInt] = []
  /// The job of Swift's that it runs, or what may be one; 0: none.
  package var job: UInt64 = 0

  /// The kind of a job of Swift's tasks that is isolated to an actor, and of any other.
  package static var jobOfActor: String { "a job of an actor" }
  package static var jobOfTask: String { "a job of a task" }

  /// What may be its function, the likeliest first. Words that are no address are left out.
  package var places: [UInt] { ([function] + inner).filter { CodeAddress.mayBe(UInt64($0)) } }

  /// Nothing is known of it, or only what is given.
  package init(kind: String = "", function: UInt = 0, inner: [UInt] = []) {
    (self.kind, self.function, self.inner) = (kind, function, inner)
  }
}
