// ReadyLists.swift: the ready operations of one queue: five lists, one for each priority, each in the order of becoming ready.

/// Links operations through their own words. Guarded by the queue's lock; the operations are kept alive by the queue.
struct ReadyLists {
  private struct List {
    var first: Unmanaged<Operation>?
    var last: Unmanaged<Operation>?
  }
  private var lists = InlineArray<5, List>(repeating: List())
  /// One bit for each list that is not empty.
  private var present: UInt8 = 0

  /// Behind all others of its priority.
  mutating func append(_ operation: Unmanaged<Operation>, level: UInt8) {
    let last = lists[Int(level)].last
    operation._withUnsafeGuaranteedRef {
      $0.links.level = level
      $0.links.previousReady = last
      $0.links.nextReady = nil
    }
    if let last {
      last._withUnsafeGuaranteedRef { $0.links.nextReady = operation }
    } else {
      lists[Int(level)].first = operation
    }
    lists[Int(level)].last = operation
    present |= 1 << level
  }

  /// The first of the highest priority.
  mutating func takeFirst() -> Unmanaged<Operation>? {
    guard present != 0 else { return nil }
    let level = 7 - present.leadingZeroBitCount
    let operation = lists[level].first!
    remove(operation)
    return operation
  }

  mutating func remove(_ operation: Unmanaged<Operation>) {
    let (level, next, previous) = operation._withUnsafeGuaranteedRef { operation in
      let links = operation.links
      (operation.links.nextReady, operation.links.previousReady) = (nil, nil)
      return (Int(links.level), links.nextReady, links.previousReady)
    }
    if let next { next._withUnsafeGuaranteedRef { $0.links.previousReady = previous } } else { lists[level].last = previous }
    if let previous { previous._withUnsafeGuaranteedRef { $0.links.nextReady = next } } else { lists[level].first = next }
    if lists[level].first == nil { present &= ~(1 << UInt8(level)) }
  }
}
