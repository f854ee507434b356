// JobLayout.swift: where a job of Swift's tasks has its words, as the runtime keeps them, and how a queue names one.

@usableFromInline package enum JobLayout {
  /// Where the runtime keeps the function in which the task goes on: behind the object's two words, two of the
  /// executor's, flags and number, and two that are reserved. The function's context follows.
  @inlinable package static var resume: UInt { 56 }
  @inlinable package static var context: UInt { 64 }
  /// Flags, whose lowest byte is 0 in a task's job.
  @inlinable package static var flags: UInt { 32 }

  /// Jobs are aligned to 16 bytes: the lowest bits of a slot's second word say on whose behalf the job runs (QueueJob).
  @inlinable package static var behalfBits: UInt { 15 }
  /// The address of the job in a slot's second word.
  @inlinable package static func address(_ second: UInt64) -> UInt { UInt(second) & ~behalfBits }
}
