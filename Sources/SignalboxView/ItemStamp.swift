// ItemStamp.swift: which item a thread runs, in numbers that are others for its next one: the process notes them once a
// second, and the same reading finds them from outside. What the item is, ItemReader.swift says.
import SignalboxWords

/// The item of a thread's innermost drain. Where two stamps of one thread are the same, so is the item.
package struct ItemStamp: Equatable, Sendable {
  /// How many jobs and items of concurrent queues the worker had begun; of another thread how many items it had taken
  /// off the main queue, or its run loop's.
  package var progress: UInt64
  /// The frame: the queue, and whether the item runs alone.
  package var frame: UInt64
  /// How many items had been taken off the queue, if it runs alone: then its thread alone takes any. Else 0.
  package var done: UInt64

  package init(progress: UInt64, frame: UInt64, done: UInt64) {
    (self.progress, self.frame, self.done) = (progress, frame, done)
  }
}

/// Reads stamps.
///
/// The thread may be running: what is read may belong to two items, and is then no item's stamp at any later moment,
/// because the counts only grow.
package struct ItemStampReader {
  private let memory: ReadMemory
  /// No way from frame to frame that is followed is longer.
  private static let mostFrames = 64

  package init(_ memory: ReadMemory) { self.memory = memory }

  /// Of the thread whose record lies at an address; nil if it runs no item, or one that looks like the next.
  package func stamp(ofRecord record: UInt64) -> ItemStamp? {
    let drains = drains(ofRecord: record)
    // Two queues may lie at one address, one after the other: the outermost count tells their items apart.
    guard let frame = drains.first, let progress = progress(ofRecord: record, drains) else { return nil }
    guard frame.kind == .drainAlone else { return ItemStamp(progress: progress, frame: UInt64(frame.bits), done: 0) }
    guard let done = done(inQueue: UInt64(frame.object)) else { return nil }
    return ItemStamp(progress: progress, frame: UInt64(frame.bits), done: done)
  }

  /// The frames of drains, the innermost first.
  private func drains(ofRecord record: UInt64) -> [FrameWord] {
    var found: [FrameWord] = [], place = memory.word64(record &+ memory.described(.frames)) ?? 0
    for _ in 0..<Self.mostFrames where place != 0 {
      guard let word = memory.word64(place &+ UInt64(FrameLayout.word)),
        let next = memory.word64(place &+ UInt64(FrameLayout.previous))
      else { return [] }
      let frame = FrameWord(bits: UInt(word))
      if frame.kind.isDrain { found.append(frame) }
      place = next
    }
    return found
  }

  /// The worker's count; of a thread that is none, that of the queue that is never freed, or lives as long as its
  /// thread.
  private func progress(ofRecord record: UInt64, _ drains: [FrameWord]) -> UInt64? {
    let offset = memory.described(.threadWorker), count = memory.described(.workerProgress)
    // As long as no thread was a worker it is not known where that would stand.
    guard let worker = offset == 0 ? 0 : memory.word64(record &+ offset) else { return nil }
    if worker != 0 { return count == 0 ? nil : memory.word64(worker &+ count) }
    let owned = drains.last { frame in
      let kind = OwnerReader(memory).kind(ofQueue: UInt64(frame.object))
      return kind == .main || kind == .runLoop
    }
    return owned.flatMap { done(inQueue: UInt64($0.object)) }
  }

  /// How many items were taken off a queue since it was made; nil: just that changes.
  private func done(inQueue queue: UInt64) -> UInt64? {
    let taken = memory.described(.listTaken), head = memory.described(.listHead)
    guard taken != 0, head != 0, let before = memory.word64(queue &+ taken), before & 1 == 0,
      let position = memory.word64(queue &+ head), memory.word64(queue &+ taken) == before
    else { return nil }
    return (before >> 1) &+ ListPosition(word: position).index
  }
}
