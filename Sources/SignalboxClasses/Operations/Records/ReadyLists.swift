// ReadyLists.swift: the ready operations of one queue: a line for each of five priorities, in the order of the operations' turns.
// Mostly they become ready in that order; those that do not wait in a heap beside the line, ReadyHeap.swift.
import SignalboxSystem

/// Links operations through their own words. Guarded by the queue's lock; the operations are kept alive by the queue.
struct ReadyLists {
  private struct Line {
    /// nil: nobody is in it.
    var ends: (first: Lent<Operation>, last: Lent<Operation>)?
    var others = ReadyHeap()
    var isEmpty: Bool { ends == nil && others.least == nil }

    /// The one whose turn comes first.
    var next: Lent<Operation>? {
      guard let other = others.least else { return ends?.first }
      guard let first = ends?.first else { return other }
      return first.turn < other.turn ? first : other
    }
  }
  private var lines = InlineArray<5, Line>(repeating: Line())
  /// One bit for each line that is not empty.
  private var present: UInt8 = 0

  /// Puts it where its turn is, within its level.
  mutating func insert(_ operation: Lent<Operation>) {
    let (level, turn) = operation.use { (Int($0.links.level), $0.links.turn) }
    present |= 1 << UInt8(level)
    guard let (first, last) = lines[level].ends else { return start(operation, level) }
    if turn >= last.turn {
      operation.link(previous: last, next: nil)
      lines[level].ends = (first, operation)
      last.use { $0.links.nextReady = operation }
    } else if turn < first.turn {
      operation.link(previous: nil, next: first)
      lines[level].ends = (operation, last)
      first.use { $0.links.previousReady = operation }
    } else {
      lines[level].others.insert(operation)
    }
  }

  /// The first of its line.
  private mutating func start(_ operation: Lent<Operation>, _ level: Int) {
    operation.link(previous: nil, next: nil)
    lines[level].ends = (operation, operation)
  }

  /// The one of the highest priority whose turn comes first.
  mutating func takeFirst() -> Lent<Operation>? {
    guard present != 0, let operation = lines[7 - present.leadingZeroBitCount].next else { return nil }
    remove(operation)
    return operation
  }

  mutating func remove(_ operation: Lent<Operation>) {
    let links = operation.use { $0.links }
    let level = Int(links.level)
    if links.isInHeap { lines[level].others.remove(operation) } else { unlink(operation, links, level) }
    if lines[level].isEmpty { present &= ~(1 << UInt8(level)) }
  }

  private mutating func unlink(_ operation: Lent<Operation>, _ links: OperationLinks, _ level: Int) {
    guard let ends = lines[level].ends else { return }
    let (next, previous) = (links.nextReady, links.previousReady)
    next?.use { $0.links.previousReady = previous }
    previous?.use { $0.links.nextReady = next }
    switch (previous, next) {
    case (nil, nil): lines[level].ends = nil
    case (nil, let next?): lines[level].ends = (next, ends.last)
    case (let previous?, nil): lines[level].ends = (ends.first, previous)
    default: break
    }
    operation.link(previous: nil, next: nil)
  }
}

extension Lent<Operation> {
  @inline(__always) var turn: UInt64 { use { $0.links.turn } }
  @inline(__always) fileprivate func link(previous: Lent<Operation>?, next: Lent<Operation>?) {
    use { ($0.links.previousReady, $0.links.nextReady) = (previous, next) }
  }
}
