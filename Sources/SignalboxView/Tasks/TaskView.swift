// TaskView.swift: a task of Swift's as its memory shows it: values. How it is read is TaskReader.swift.
import SignalboxWords

/// One task.
package struct TaskView: Equatable, Sendable {
  /// What a task does.
  package enum State: Equatable, Sendable {
    /// Its function runs on a thread.
    case running
    /// It lies in an executor's list; 0: the default executor's.
    case queued(UInt64)
    /// It waits for the value of another task.
    case task(UInt64)
    /// It waits for a continuation, which is the frame at the address.
    case continuation(UInt64)
    /// It waits for a child of a group.
    case group(UInt64)
    /// It was made, and nothing has begun it; a clock's timer begins it, or it is just being submitted.
    case new
  }

  /// Where it lies, and its number: counted from 1 in the process.
  package var address: UInt64, number: UInt32
  /// What `Task(name:)` called it; empty without.
  package var name: String
  /// The number of its priority, as it is now and as it was made.
  package var priority: UInt8, basePriority: UInt8
  package var isCancelled: Bool
  /// It is an `async let`.
  package var isAsyncLet: Bool
  /// The task whose child it is, and the group; 0: none.
  package var parent: UInt64, group: UInt64
  package var state: State
  /// The functions with which it and those that await it go on, the innermost first; none of a task that runs.
  package var awaits: [UInt64]
  /// What a task that sleeps and the timer's task that ends the sleep have in common; of others any word, or 0.
  package var sleep: UInt64
}
