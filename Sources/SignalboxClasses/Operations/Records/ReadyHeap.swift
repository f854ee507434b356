// ReadyHeap.swift: ready operations that have come out of turn: a pairing heap through their words. In turn: ReadyLists.swift.

/// The children of an operation are a list: `child` is the first, `nextReady` the next one, `previousReady` the one before, or
/// the parent. Insertion takes one comparison; removal, on average over many, the logarithm of their number.
struct ReadyHeap {
  private(set) var least: Unmanaged<Operation>?

  mutating func insert(_ operation: Unmanaged<Operation>) {
    operation._withUnsafeGuaranteedRef { $0.links.isInHeap = true }
    least = Self.merged(least, operation)
  }

  mutating func remove(_ operation: Unmanaged<Operation>) {
    let rest = Self.merged(childrenOf: operation)
    let isLeast = least!.toOpaque() == operation.toOpaque()
    if !isLeast { Self.cut(operation) }
    operation._withUnsafeGuaranteedRef {
      $0.links.isInHeap = false
      ($0.links.child, $0.links.nextReady, $0.links.previousReady) = (nil, nil, nil)
    }
    least = isLeast ? rest : Self.merged(least, rest)
  }

  /// Takes a subtree off its parent's list.
  private static func cut(_ operation: Unmanaged<Operation>) {
    let (next, previous) = operation._withUnsafeGuaranteedRef { ($0.links.nextReady, $0.links.previousReady!) }
    next?._withUnsafeGuaranteedRef { $0.links.previousReady = previous }
    previous._withUnsafeGuaranteedRef {
      if $0.links.child?.toOpaque() == operation.toOpaque() { $0.links.child = next } else { $0.links.nextReady = next }
    }
  }

  /// Of two roots the later one becomes the first child of the other.
  private static func merged(_ one: Unmanaged<Operation>?, _ other: Unmanaged<Operation>?) -> Unmanaged<Operation>? {
    guard let one, let other else { return one ?? other }
    let (parent, child) = one.turn < other.turn ? (one, other) : (other, one)
    parent._withUnsafeGuaranteedRef { parentOperation in
      let sibling = parentOperation.links.child
      child._withUnsafeGuaranteedRef { ($0.links.nextReady, $0.links.previousReady) = (sibling, parent) }
      sibling?._withUnsafeGuaranteedRef { $0.links.previousReady = child }
      parentOperation.links.child = child
    }
    return parent
  }

  /// Pairs of neighbours first, then the pairs from behind: so the lists stay short.
  private static func merged(childrenOf operation: Unmanaged<Operation>) -> Unmanaged<Operation>? {
    var next = operation._withUnsafeGuaranteedRef { $0.links.child }
    var pairs: Unmanaged<Operation>?  // linked by nextReady, the last first
    while let one = next {
      let other = one.takeSibling()
      next = other?.takeSibling()
      let pair = merged(one, other)!
      pair._withUnsafeGuaranteedRef { $0.links.nextReady = pairs }
      pairs = pair
    }
    var whole: Unmanaged<Operation>?
    while let pair = pairs {
      pairs = pair.takeSibling()
      whole = merged(whole, pair)
    }
    return whole
  }
}

extension Unmanaged<Operation> {
  fileprivate func takeSibling() -> Unmanaged<Operation>? {
    _withUnsafeGuaranteedRef { operation in
      defer { (operation.links.nextReady, operation.links.previousReady) = (nil, nil) }
      return operation.links.nextReady
    }
  }
}
