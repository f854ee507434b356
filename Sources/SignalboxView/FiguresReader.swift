// FiguresReader.swift: how long sampled items of a queue have waited, by the counts that the process has of a queue
// while it is counted (QueueFigures in SignalboxDispatch). For how long the oldest item waits still is
// PendingItems.swift.
import SignalboxSystem
import SignalboxWords

/// Reads the figures of queues.
package struct FiguresReader {
  private let memory: ReadMemory

  package init(_ memory: ReadMemory) { self.memory = memory }

  /// The address of the figures of a queue, by the word of the queue that leads to its extras; 0: it has none.
  ///
  /// Once a queue has figures it keeps them, and they name it: what names another queue belonged to one that has gone.
  package func figures(_ extras: UInt64, ofQueue queue: UInt64) -> UInt64 {
    let offset = memory.described(.extrasFigures), name = memory.described(.figuresQueue)
    guard extras != 0, offset != 0, name != 0, let figures = memory.word64(extras &+ offset), figures != 0,
      memory.word64(figures &+ name) == queue
    else { return 0 }
    return figures
  }

  /// The counts, by buckets of time (WaitBucket); nil where they are not there, or of another form.
  ///
  /// Each only grows. They are the queue's if it has these figures before and after.
  package func waits(ofFigures figures: UInt64) -> [UInt32]? {
    let offset = memory.described(.figuresWaits)
    guard figures != 0, offset != 0, memory.described(.waitBuckets) == UInt64(WaitBucket.count),
      let words = memory.words(figures &+ offset, WaitBucket.count / 2)
    else { return nil }
    return words.flatMap { [UInt32(truncatingIfNeeded: $0), UInt32(truncatingIfNeeded: $0 >> 32)] }
  }

  /// Seconds in a tick of the processor's counter: by both clocks of this machine, which show `ticks` and `uptime` now;
  /// of a process that does not run any more by what it last knew. nil: not known.
  package func secondsPerTick(now: (ticks: UInt64, uptime: UInt64)?) -> Double? {
    let ticks = memory.described(.originTicks), uptime = memory.described(.originUptime)
    if let now {
      guard ticks != 0, now.ticks > ticks, now.uptime > uptime, now.uptime - uptime > 1_000_000 else { return nil }
      return Double(now.uptime - uptime) / Double(now.ticks - ticks) / 1e9
    }
    let place = memory.described(.tickLength)
    guard place != 0, let length = memory.word64(place), length != 0 else { return nil }
    return Double(length) / 1e18
  }
}
