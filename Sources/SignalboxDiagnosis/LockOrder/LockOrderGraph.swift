// LockOrderGraph.swift: in which orders classes of locks were taken, and whether a new order closes a cycle. Pure: no threads, no
// atomics. Which cycles can block is LockOrderGraph+Cycles.swift; the code that asks is LockOrderCheck.swift.
//
// Edges that agree with one another lie in a topological order, which is mended when an edge is added: only what lies between
// the edge's ends moves. An edge that closes a cycle stays outside that order (`back`): the cycle may be harmless today and
// become dangerous when its evidence widens. As long as no edge is `back` there is no cycle, and nothing needs to be searched.
//
//   INV-1  every edge that is not back goes from a lower to a higher place
//   INV-2  places are unique
//   INV-3  successors and predecessors mirror each other

/// How a lock is held or wanted: beside others, or alone.
enum LockMode: UInt8, Sendable, CaseIterable {
  case exclusive = 0
  case shared = 1
}

/// Which threads were seen doing something. Each item of a pool counts as a thread: two of one worker may run beside each other next time.
enum ThreadSet: Equatable, Sendable {
  case one(UInt64)
  case many

  func union(_ other: ThreadSet) -> ThreadSet { self == other ? self : .many }
}

/// What was seen of one order: `from` held, `to` wanted.
struct LockOrderEdge<Place> {
  /// What makes it this edge.
  struct Key: Hashable {
    var from: UInt32
    var to: UInt32
    var held: LockMode
    var wanted: LockMode
    /// Of two locks of one class: whether the higher address was taken last. True for other edges.
    var isAscending = true

    /// All edges that there can be from one class to another.
    static func all(_ from: UInt32, _ to: UInt32) -> [Key] {
      var keys: [Key] = []
      for held in LockMode.allCases {
        for wanted in LockMode.allCases {
          keys.append(Key(from: from, to: to, held: held, wanted: wanted))
          if from == to { keys.append(Key(from: from, to: to, held: held, wanted: wanted, isAscending: false)) }
        }
      }
      return keys
    }
  }

  let key: Key
  var threads: ThreadSet
  /// The locks that were held alone, besides the first of the two, at every sight of it.
  var guards: Set<UInt64>
  /// Where it was seen first.
  let place: Place
}

/// Orders of lock classes, and what they are known to lead to.
struct LockOrderGraph<Place> {
  typealias Edge = LockOrderEdge<Place>
  typealias Key = LockOrderEdge<Place>.Key

  struct Node {
    var place: Int
    var successors: Set<UInt32> = []
    var predecessors: Set<UInt32> = []
    /// Whether any thread ever wanted it alone: then readers can block readers.
    var hasWriter = false

    /// That of a class of which nothing was seen: behind all others, with no neighbours.
    static var unplaced: Node { Node(place: .max) }
  }

  private(set) var nodes: [UInt32: Node] = [:]
  private(set) var edges: [Key: Edge] = [:]
  /// Pairs whose direction contradicts the order, `from` in the high half.
  private(set) var back: Set<UInt64> = []
  private var nextPlace = 0

  /// What an observation led to.
  enum Outcome {
    /// Nothing new.
    case known
    /// New, and no cycle that can block.
    case extended
    /// A cycle that can block; the first edge is the one observed.
    case cycle([Edge])
  }

  /// Adds what was seen: the lock `key.to` was asked for while `key.from` was held.
  mutating func observe(_ key: Key, thread: UInt64, guards: Set<UInt64>, place: @autoclosure () -> Place) -> Outcome {
    guard let old = edges[key] else {
      edges[key] = Edge(key: key, threads: .one(thread), guards: guards, place: place())
      if key.from != key.to { connect(key.from, key.to) }
      let held = key.held == .exclusive ? observeWriter(of: key.from) : nil
      let wanted = key.wanted == .exclusive ? observeWriter(of: key.to) : nil
      return (dangerousCycle(through: key) ?? wanted ?? held).map { .cycle($0) } ?? .extended
    }
    let threads = old.threads.union(.one(thread))
    let common = old.guards.intersection(guards)
    if threads == old.threads, common.count == old.guards.count { return .known }
    var edge = old
    (edge.threads, edge.guards) = (threads, common)
    edges[key] = edge
    return dangerousCycle(through: key).map { .cycle($0) } ?? .extended
  }

  /// A thread wants the class alone. A cycle of readers that this makes dangerous, if there is one.
  mutating func observeWriter(of lock: UInt32) -> [Edge]? {
    guard nodes[lock]?.hasWriter != true else { return nil }
    place(lock)
    nodes[lock, default: .unplaced].hasWriter = true
    for next in nodes[lock, default: .unplaced].successors.union([lock]) {
      for key in Key.all(lock, next) where edges[key] != nil {
        if let cycle = dangerousCycle(through: key) { return cycle }
      }
    }
    return nil
  }

  /// Whether more sights of the edge can change nothing but its threads.
  func isUnguarded(_ key: Key) -> Bool { edges[key]?.guards.isEmpty == true }

  /// Whether more than one thread, or more than one item of a pool, was seen doing it.
  func isOfMany(_ key: Key) -> Bool { edges[key]?.threads == .many }

  /// The class is no more.
  mutating func remove(_ lock: UInt32) {
    guard let gone = nodes.removeValue(forKey: lock) else { return }
    for next in gone.successors { nodes[next]?.predecessors.remove(lock) }
    for previous in gone.predecessors { nodes[previous]?.successors.remove(lock) }
    let touched = gone.successors.union(gone.predecessors).union([lock])
    for other in touched { forgetEdges(lock, other) }
  }

  private mutating func forgetEdges(_ one: UInt32, _ other: UInt32) {
    for key in Key.all(one, other) + Key.all(other, one) { edges[key] = nil }
    back.remove(Self.pair(one, other))
    back.remove(Self.pair(other, one))
  }

  // MARK: the order

  static func pair(_ from: UInt32, _ to: UInt32) -> UInt64 { UInt64(from) << 32 | UInt64(to) }

  private func place(of lock: UInt32) -> Int { nodes[lock, default: .unplaced].place }

  private mutating func place(_ lock: UInt32) {
    guard nodes[lock] == nil else { return }
    nodes[lock] = Node(place: nextPlace)
    nextPlace += 1
  }

  private mutating func connect(_ from: UInt32, _ to: UInt32) {
    place(from)
    place(to)
    guard nodes[from, default: .unplaced].successors.insert(to).inserted else { return }
    nodes[to, default: .unplaced].predecessors.insert(from)
    let (low, high) = (place(of: to), place(of: from))
    guard low < high else { return }
    guard let after = reach(to, \.successors, { $0 <= high }, unless: from) else {
      back.insert(Self.pair(from, to))
      return
    }
    reorder(before: reach(from, \.predecessors, { $0 >= low }, unless: nil) ?? [], after: after)
  }

  /// Everything that ordered edges lead to from `start` within the places that `isInside` takes; nil if `end` is among it.
  private func reach(
    _ start: UInt32, _ direction: KeyPath<Node, Set<UInt32>>, _ isInside: (Int) -> Bool, unless end: UInt32?
  ) -> [UInt32]? {
    var found = [start]
    var seen: Set<UInt32> = [start]
    var index = 0
    while index < found.count {
      let here = found[index]
      index += 1
      for next in nodes[here, default: .unplaced][keyPath: direction]
      where isInside(place(of: next)) && !isBack(here, next, direction) {
        if next == end { return nil }
        if seen.insert(next).inserted { found.append(next) }
      }
    }
    return found
  }

  private func isBack(_ here: UInt32, _ next: UInt32, _ direction: KeyPath<Node, Set<UInt32>>) -> Bool {
    if back.isEmpty { return false }
    return back.contains(direction == \.successors ? Self.pair(here, next) : Self.pair(next, here))
  }

  /// Gives the two groups the places they have together, the first group first, each in its present order.
  private mutating func reorder(before: [UInt32], after: [UInt32]) {
    let byPlace = { (left: UInt32, right: UInt32) in self.place(of: left) < self.place(of: right) }
    let order = before.sorted(by: byPlace) + after.sorted(by: byPlace)
    let places = order.map(place(of:)).sorted()
    for (lock, place) in zip(order, places) { nodes[lock, default: .unplaced].place = place }
  }

  /// The invariants, for tests.
  var brokenInvariant: String? {
    for key in edges.keys where key.from != key.to && !back.contains(Self.pair(key.from, key.to)) {
      if place(of: key.from) >= place(of: key.to) { return "INV-1" }
    }
    if Set(nodes.values.map(\.place)).count != nodes.count { return "INV-2" }
    for (lock, node) in nodes {
      for next in node.successors where nodes[next]?.predecessors.contains(lock) != true { return "INV-3" }
      for previous in node.predecessors where nodes[previous]?.successors.contains(lock) != true { return "INV-3" }
    }
    return nil
  }
}
