// TaskLayout.swift: where a task of Swift's runtime has its words, in the layout that the runtime's debugging symbols
// call version 1, with tasks of 208 bytes (Swift 6.3); and a job, whose words are a task's first. TaskProcessTests
// holds it against the machine's own runtime, and RunningTaskTests what a task has of its own memory.

/// The layout of tasks.
package enum TaskLayout {
  /// What the runtime says of itself where this layout holds: its version, and the bytes of a task.
  package static let version: UInt32 = 1, size: UInt64 = 208

  /// In words of 64 bits from a task's beginning.
  package enum Word {
    /// What every task begins with, its counts of references, its flags with its number above them.
    package static let kind = 0, references = 1, flags = 4
    /// The function with which it goes on, and its innermost frame.
    package static let resume = 7, frame = 8
    /// Its state, and the innermost of its records.
    package static let state = 12, records = 13
    /// The allocation of the task's own memory that came last, and the first piece of that memory.
    package static let lastAllocation = 14, firstSlab = 15
    /// The priority with which it was made.
    package static let priority = 19
    /// Behind a task's words, of a child: its parent, the next child; of a group's child, the group.
    package static let parent = 26, nextChild = 27, group = 28
    /// How many words are read.
    package static let count = 29
  }

  /// Bits of the flags. The lowest eight are 0 in a task.
  package enum Flags {
    package static let kinds: UInt32 = 0xFF
    package static let isChild: UInt32 = 1 << 24, isGroupChild: UInt32 = 1 << 26, isAsyncLet: UInt32 = 1 << 28
    package static let isNamed: UInt32 = 1 << 30
  }

  /// Bits of the state.
  package enum State {
    package static let priority: UInt32 = 0xFF
    package static let isCancelled: UInt32 = 1 << 8, isEscalated: UInt32 = 1 << 10, isRunning: UInt32 = 1 << 11
    package static let isQueued: UInt32 = 1 << 12, isOver: UInt32 = 1 << 13, waits: UInt32 = 1 << 14
  }

  /// A record, in words: its kind in the lowest eight bits, the next one, and what it says.
  package enum Record {
    package static let kind = 0, next = 1, what = 2, count = 5
    /// Of the record of a wait: on what kind of thing.
    package static let awaited = 4
    /// Of the one that is called when the task is cancelled: what its function is called with.
    package static let argument = 3
    /// Kinds.
    package static let wait: UInt8 = 0, child: UInt8 = 1, cancellation: UInt8 = 3, name: UInt8 = 6
  }

  /// The word of a group that has its first child; the others are linked.
  package static let firstChild: UInt64 = 3

  /// What a task waits for: another task, a continuation, a group, its turn on an executor.
  package enum Awaited: UInt32 { case task = 1, continuation, group, executor }

  /// A frame, in words: the frame that awaits it, and the function with which that one goes on.
  package enum Frame {
    package static let parent = 0, resume = 1
    /// How many bytes before the frame of a task that has not begun lie the function of its closure, and what that
    /// captured.
    package static let closure: UInt64 = 24
  }

  /// A task's memory comes in pieces, and is given back in the reverse order. A piece, in words: what each begins with;
  /// how many bytes it has, and above that how many of these are given out. Those lie behind the piece's first bytes.
  package enum Slab {
    package static let kind: UInt64 = 0, used: UInt64 = 2, first: UInt64 = 32
  }

  /// An allocation, in words before what was asked for: the one before it, and its piece.
  package enum Allocation {
    package static let previous: UInt64 = 0, slab: UInt64 = 1, bytes: UInt64 = 16
  }

  /// `Task.sleep` keeps a word for the task and for its timer's task: in what the handler of its cancellation is called
  /// with, and in what the closure of the timer's task has captured: at this distance from the beginning, in bytes.
  package static let sleep: UInt64 = 16

  /// Whether counts of references are those of a task that lives. An `async let` lies in its parent's memory, and its
  /// counts never change; no other task has such ones. Others have none of the bits of one that is being freed, and one
  /// reference at least of those that keep their memory.
  package static func isAlive(_ references: UInt64, isAsyncLet: Bool) -> Bool {
    let low = UInt32(truncatingIfNeeded: references)
    return isAsyncLet ? low == .max : references & 1 == 1 && references & (1 << 32 | 1 << 63) == 0 && low > 1 && low != .max
  }
}

// MARK: a job, as the runtime keeps it, and how a queue names one

@usableFromInline package enum JobLayout {
  /// Where the runtime keeps the function in which the task goes on: behind the object's two words, two of the
  /// executor's, flags and number, and two that are reserved. The function's context follows.
  @inlinable package static var resume: UInt { 56 }
  @inlinable package static var context: UInt { 64 }
  /// Flags, whose lowest byte is 0 in a task's job; and of what in a job that runs tasks of an actor, which is its
  /// context.
  @inlinable package static var flags: UInt { 32 }
  @inlinable package static var actorsKind: UInt64 { 0xC1 }

  /// Jobs are aligned to 16 bytes: the lowest bits of a slot's second word say on whose behalf the job runs (QueueJob).
  @inlinable package static var behalfBits: UInt { 15 }
  /// The address of the job in a slot's second word.
  @inlinable package static func address(_ second: UInt64) -> UInt { UInt(second) & ~behalfBits }
}
