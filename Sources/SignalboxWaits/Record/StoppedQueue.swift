// StoppedQueue.swift: a queue that starts nothing, with what lies in it: a value for reports. Where it was stopped is
// StopNotes.swift.
import SignalboxView

/// A queue that starts nothing, as a report describes it.
package struct StoppedQueue: Sendable {
  /// What it is called.
  package var title: String
  /// Never activated; else suspended.
  package var isInactive: Bool
  /// How many items lie in it, also in queues that run on it.
  package var count: Int
  /// The first of them.
  package var items: [RunningItem]
  /// Of the groups that were asked for: how many of the items are members of each.
  package var members: [UInt: Int]

  /// A queue with these items.
  package init(title: String, isInactive: Bool, count: Int, items: [RunningItem], members: [UInt: Int]) {
    (self.title, self.isInactive, self.count, self.items, self.members) = (title, isInactive, count, items, members)
  }
}
