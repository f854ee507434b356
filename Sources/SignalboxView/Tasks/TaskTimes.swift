// TaskTimes.swift: reads the register of tasks (TaskRegisterLayout): when a task went on last, and how often it has. It
// is there in processes on Signalbox's pool whose figures are on.
import SignalboxWords

/// The register of one process. Allocates.
package struct TaskTimes: Sendable {
  /// What is known of one task, from the first of its parts on that began while figures were on.
  package struct Times: Equatable, Sendable {
    /// How many parts have begun.
    package let parts: UInt32
    /// When the first and the last of them began, in ticks of the processor's counter.
    package let first: UInt64, last: UInt64
  }

  private let memory: ReadMemory, start: UInt64, buckets: UInt64
  /// No register that is read has more buckets.
  private static let mostBuckets: UInt64 = 1 << 24

  /// The register in this memory; nil: there is none.
  package init?(_ memory: ReadMemory) {
    (self.memory, start, buckets) = (memory, memory.described(.taskRegister), memory.described(.taskBuckets))
    if start == 0 || start & 7 != 0 || !(1...Self.mostBuckets).contains(buckets) { return nil }
  }

  /// The times of a task; nil: none of its parts has begun since figures are on, or there was no room for it.
  package func times(of task: TaskView) -> Times? {
    for place in TaskRegisterLayout.places(of: task.address, buckets: buckets) {
      let address = start &+ place &* 8, count = TaskRegisterLayout.bucketEntries * TaskRegisterLayout.entryWords
      guard let words = memory.words(address, count), let again = memory.words(address, count) else { return nil }
      for entry in stride(from: 0, to: count, by: TaskRegisterLayout.entryWords) where words[entry] == task.address {
        let counts = words[entry + 1]
        guard words[entry..<entry + 4] == again[entry..<entry + 4], counts >> 32 == UInt64(task.number) else { return nil }
        return Times(parts: UInt32(truncatingIfNeeded: counts), first: words[entry + 2], last: words[entry + 3])
      }
    }
    return nil
  }
}
