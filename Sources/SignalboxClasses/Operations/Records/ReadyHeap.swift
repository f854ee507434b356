// ReadyHeap.swift: ready operations that have come out of turn: a pairing heap through their words. In turn: ReadyLists.swift.
import SignalboxSystem

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
