// ReadyLists.swift: the ready operations of one queue: a line for each of five priorities, in the order of the
// operations' turns. Mostly they become ready in that order; those that do not wait in a heap beside the line.
import SignalboxSystem

/// Links operations through their own words. Guarded by the queue's lock; the operations are kept alive by the queue.
struct ReadyLists {
  private struct Line {
    /// nil: no operation is in it.
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

// MARK: out of turn: a pairing heap through the operations' words

/// The children of an operation are a list: `child` is the first, `nextReady` the next one, `previousReady` the one before, or
/// the parent. Insertion takes one comparison; removal, on average over many, the logarithm of their number.
struct ReadyHeap {
  private(set) var least: Lent<Operation>?

  mutating func insert(_ operation: Lent<Operation>) {
    operation.use { $0.links.isInHeap = true }
    least = Self.merged(least, operation)
  }

  mutating func remove(_ operation: Lent<Operation>) {
    let rest = Self.merged(childrenOf: operation)
    let isLeast = least == operation
    if !isLeast { Self.cut(operation) }
    operation.use {
      $0.links.isInHeap = false
      ($0.links.child, $0.links.nextReady, $0.links.previousReady) = (nil, nil, nil)
    }
    least = isLeast ? rest : Self.merged(least, rest)
  }

  /// Takes a subtree off its parent's list. The root is in none.
  private static func cut(_ operation: Lent<Operation>) {
    let (next, previous) = operation.use { ($0.links.nextReady, $0.links.previousReady) }
    next?.use { $0.links.previousReady = previous }
    previous?.use { if $0.links.child == operation { $0.links.child = next } else { $0.links.nextReady = next } }
  }

  private static func merged(_ one: Lent<Operation>?, _ other: Lent<Operation>?) -> Lent<Operation>? {
    guard let one, let other else { return one ?? other }
    return joined(one, other)
  }

  /// Of two roots the later one becomes the first child of the other.
  private static func joined(_ one: Lent<Operation>, _ other: Lent<Operation>) -> Lent<Operation> {
    let (parent, child) = one.turn < other.turn ? (one, other) : (other, one)
    parent.use { parentOperation in
      let sibling = parentOperation.links.child
      child.use { ($0.links.nextReady, $0.links.previousReady) = (sibling, parent) }
      sibling?.use { $0.links.previousReady = child }
      parentOperation.links.child = child
    }
    return parent
  }

  /// Pairs of neighbours first, then the pairs from behind: so the lists stay short.
  private static func merged(childrenOf operation: Lent<Operation>) -> Lent<Operation>? {
    var next = operation.use { $0.links.child }
    var pairs: Lent<Operation>?  // linked by nextReady, the last first
    while let one = next {
      let other = one.takeSibling()
      next = other?.takeSibling()
      let pair = other.map { joined(one, $0) } ?? one
      pair.use { $0.links.nextReady = pairs }
      pairs = pair
    }
    var whole: Lent<Operation>?
    while let pair = pairs {
      pairs = pair.takeSibling()
      whole = merged(whole, pair)
    }
    return whole
  }
}

extension Lent<Operation> {
  fileprivate func takeSibling() -> Lent<Operation>? {
    use { operation in
      defer { (operation.links.nextReady, operation.links.previousReady) = (nil, nil) }
      return operation.links.nextReady
    }
  }
}
