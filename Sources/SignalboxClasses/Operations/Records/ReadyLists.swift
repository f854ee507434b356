// ReadyLists.swift: the ready operations of one queue: a line for each of five priorities, in the order of the operations' turns.
// Mostly they become ready in that order; those that do not wait in a heap beside the line, ReadyHeap.swift.

/// Links operations through their own words. Guarded by the queue's lock; the operations are kept alive by the queue.
struct ReadyLists {
  private struct Line {
    var first: Unmanaged<Operation>?
    var last: Unmanaged<Operation>?
    var others = ReadyHeap()
    var isEmpty: Bool { first == nil && others.least == nil }
  }
  private var lines = InlineArray<5, Line>(repeating: Line())
  /// One bit for each line that is not empty.
  private var present: UInt8 = 0

  /// Puts it where its turn is, within its level.
  mutating func insert(_ operation: Unmanaged<Operation>) {
    let (level, turn) = operation._withUnsafeGuaranteedRef { (Int($0.links.level), $0.links.turn) }
    present |= 1 << UInt8(level)
    if let last = lines[level].last, turn < last.turn {
      if turn < lines[level].first!.turn { prepend(operation, level) } else { lines[level].others.insert(operation) }
    } else {
      append(operation, level)
    }
  }

  private mutating func append(_ operation: Unmanaged<Operation>, _ level: Int) {
    let last = lines[level].last
    operation.link(previous: last, next: nil)
    lines[level].last = operation
    if let last { last._withUnsafeGuaranteedRef { $0.links.nextReady = operation } } else { lines[level].first = operation }
  }

  private mutating func prepend(_ operation: Unmanaged<Operation>, _ level: Int) {
    let first = lines[level].first!
    operation.link(previous: nil, next: first)
    first._withUnsafeGuaranteedRef { $0.links.previousReady = operation }
    lines[level].first = operation
  }

  /// The one of the highest priority whose turn comes first.
  mutating func takeFirst() -> Unmanaged<Operation>? {
    guard present != 0 else { return nil }
    let level = 7 - present.leadingZeroBitCount
    let operation = first(lines[level])
    remove(operation)
    return operation
  }

  private func first(_ line: Line) -> Unmanaged<Operation> {
    guard let other = line.others.least else { return line.first! }
    guard let first = line.first else { return other }
    return first.turn < other.turn ? first : other
  }

  mutating func remove(_ operation: Unmanaged<Operation>) {
    let links = operation._withUnsafeGuaranteedRef { $0.links }
    let level = Int(links.level)
    if links.isInHeap {
      lines[level].others.remove(operation)
    } else {
      let (next, previous) = (links.nextReady, links.previousReady)
      if let next { next._withUnsafeGuaranteedRef { $0.links.previousReady = previous } } else { lines[level].last = previous }
      if let previous { previous._withUnsafeGuaranteedRef { $0.links.nextReady = next } } else { lines[level].first = next }
      operation.link(previous: nil, next: nil)
    }
    if lines[level].isEmpty { present &= ~(1 << UInt8(level)) }
  }
}

extension Unmanaged<Operation> {
  @inline(__always) var turn: UInt64 { _withUnsafeGuaranteedRef { $0.links.turn } }
  @inline(__always) fileprivate func link(previous: Unmanaged<Operation>?, next: Unmanaged<Operation>?) {
    _withUnsafeGuaranteedRef { ($0.links.previousReady, $0.links.nextReady) = (previous, next) }
  }
}
