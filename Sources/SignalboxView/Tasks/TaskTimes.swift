// TaskTimes.swift: reads the register of tasks (TaskRegisterLayout): for how long tasks ran and were queued, and since
// when they are what they are. It is there in processes on Signalbox's pool whose figures are on.
import SignalboxWords

/// The register of one process. Allocates.
package struct TaskTimes: Sendable {
  private typealias Layout = TaskRegisterLayout

  /// What is known of one task since figures are on. Times are ticks of the processor's counter.
  package struct Times: Equatable, Sendable {
    /// How many parts have begun.
    package let parts: UInt32
    /// When it was queued or begun for the first time, and when the last part began; nil: none has.
    package let first: UInt64, last: UInt64?
    /// For how long parts that have ended ran, and for how long it was queued before parts that have begun.
    package let busy: UInt64, queued: UInt64
    /// Since when it is queued; nil: it is not, or not on a queue of Signalbox's.
    package let queuedSince: UInt64?
    /// The word of the moment at which the last part ended; nil: it runs, or none has begun.
    fileprivate let ended: UInt64?

    /// How many ticks before `now` the last part ended; nil: it runs, or none has begun.
    package func idle(at now: UInt64) -> UInt64? { ended.map { Layout.ticks(from: $0, to: now) } }

    /// The times up to `now` of a task in that state. `now` is read after the times were: they are all before it.
    package func spans(_ state: TaskView.State, at now: UInt64) -> Spans {
      func ago(_ ticks: UInt64) -> UInt64 { now > ticks ? now - ticks : 0 }
      let waiting = queuedSince.map(ago), wentOn = last.map(ago), idle = idle(at: now)
      let isQueued = if case .queued = state { true } else { state == .new }
      // On an actor it runs without parts of the pool's.
      let running = state == .running && idle == nil ? wentOn ?? 0 : 0
      return Spans(
        age: ago(first), wentOn: wentOn, since: (isQueued ? waiting : nil) ?? idle ?? wentOn ?? ago(first),
        busy: busy + running, queued: queued + (waiting ?? 0))
    }
  }

  /// The same as spans, in ticks.
  package struct Spans: Equatable, Sendable {
    /// Since it was queued or begun for the first time, and since the last part began; nil: none has.
    package let age: UInt64, wentOn: UInt64?
    /// For how long it has been in its state, at most: while it is on an actor, since it left the pool.
    package let since: UInt64
    /// For how long it ran on the pool, and was queued for it.
    package let busy: UInt64, queued: UInt64
  }

  private let memory: ReadMemory, start: UInt64, buckets: UInt64
  /// No register that is read has more buckets.
  private static let mostBuckets: UInt64 = 1 << 24

  /// The register in this memory; nil: there is none.
  package init?(_ memory: ReadMemory) {
    (self.memory, start, buckets) = (memory, memory.described(.taskRegister), memory.described(.taskBuckets))
    if start == 0 || start & 7 != 0 || !(1...Self.mostBuckets).contains(buckets) { return nil }
  }

  /// The times of a task; nil: it was neither queued nor begun since figures are on, there was no room for it, or a
  /// thread is just writing them.
  package func times(of task: TaskView) -> Times? {
    for place in Layout.places(of: task.address, buckets: buckets) {
      let bucket = start &+ place &* 8
      guard let keys = memory.words(bucket, Layout.bucketEntries) else { return nil }
      guard let key = keys.firstIndex(of: task.address) else { continue }
      let entry = bucket &+ UInt64(Layout.bucketEntries + key * Layout.entryWords) &* 8
      guard let words = memory.words(entry, Layout.entryWords), words == memory.words(entry, Layout.entryWords) else {
        return nil
      }
      return Times(words, of: UInt64(task.number))
    }
    return nil
  }
}

extension TaskTimes.Times {
  /// nil: the entry is not the task's, or its words are not of the same part: a thread is in the midst of them.
  fileprivate init?(_ entry: [UInt64], of number: UInt64) {
    typealias Layout = TaskRegisterLayout
    typealias Entry = TaskRegisterLayout.Entry
    let counts = entry[Entry.counts], last = entry[Entry.last], since = entry[Entry.queuedSince]
    let busy = entry[Entry.busy], queued = entry[Entry.queued], ended = entry[Entry.ended]
    let parts = UInt32(truncatingIfNeeded: counts), hasEnded = parts != 0 && ended & Layout.tag == counts & Layout.tag
    let partsEnded = UInt64(hasEnded || parts == 0 ? parts : parts - 1)
    guard counts >> 32 == number, busy & Layout.spanTag == number & Layout.spanTag else { return nil }
    // A count that is full stays so, and the others go on.
    if parts != .max {
      // A task that is queued again has ended its last part: the word that says so is not there yet.
      let isQueuedBeforeEnd = since != 0 && parts != 0 && !hasEnded
      guard queued & Layout.spanParts(3) == Layout.spanParts(UInt64(parts)), !isQueuedBeforeEnd,
        busy & Layout.spanParts(3) == Layout.spanParts(partsEnded)
      else { return nil }
    }
    self.init(
      parts: parts, first: entry[Entry.first], last: last == 0 ? nil : last, busy: Layout.ticks(busy),
      queued: Layout.ticks(queued), queuedSince: since == 0 ? nil : since, ended: hasEnded ? ended : nil)
  }
}
