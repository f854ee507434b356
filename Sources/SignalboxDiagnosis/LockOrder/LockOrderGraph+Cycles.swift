// LockOrderGraph+Cycles.swift: which cycles of orders can block threads forever. The orders themselves are LockOrderGraph.swift.
//
// A cycle is left alone when
//   - one lock was held, alone, at every sight of every edge of it: the thread that holds that lock goes first;
//   - every edge of it was seen on the same one thread, of a worker in the same one item: it does not wait for itself;
//   - somewhere on it the thread that wants and the thread that holds are both readers, and no thread ever wants that
//     class alone. With a writer about, readers can block: a reader that comes after a waiting writer waits behind it.

extension LockOrderGraph {
  /// How many edges are followed in search of a dangerous cycle; a graph of harmless cycles must not cost more.
  private static var searchLimit: Int { 4_000 }
  /// The longest cycle that is searched for.
  private static var lengthLimit: Int { 12 }

  /// A cycle through the edge that can block, beginning with it.
  func dangerousCycle(through key: Key) -> [Edge]? {
    if key.from == key.to { return dangerousNesting(of: key.from) }
    guard !back.isEmpty, let edge = edges[key] else { return nil }
    var search = Search(goal: key.from, leading: leading(to: key.from))
    guard search.leading.contains(key.to) else { return nil }
    search.path = [edge]
    return extend(&search) ? search.path : nil
  }

  private struct Search {
    let goal: UInt32
    /// The classes from which some path leads to the goal.
    let leading: Set<UInt32>
    var path: [Edge] = []
    var steps = 0
  }

  /// All classes from which `goal` can be reached, itself included.
  private func leading(to goal: UInt32) -> Set<UInt32> {
    var seen: Set<UInt32> = [goal]
    var rest = [goal]
    while let here = rest.popLast() {
      for previous in nodes[here]?.predecessors ?? [] where seen.insert(previous).inserted { rest.append(previous) }
    }
    return seen
  }

  /// Lengthens the path, depth first, until it is a dangerous cycle; false if it cannot become one.
  private func extend(_ search: inout Search) -> Bool {
    guard let last = search.path.last else { return false }
    for next in nodes[last.key.to, default: .unplaced].successors.sorted() where search.leading.contains(next) {
      for (held, wanted) in Self.modes {
        guard let edge = edges[Key(from: last.key.to, to: next, held: held, wanted: wanted)] else { continue }
        search.steps += 1
        if search.steps > Self.searchLimit { return false }
        guard blocks(wanted: last.key.wanted, held: held, of: last.key.to) else { continue }
        if next == search.goal {
          let cycle = search.path + [edge]
          guard isDangerous(cycle) else { continue }
          search.path = cycle
          return true
        }
        guard search.path.count < Self.lengthLimit, !search.path.contains(where: { $0.key.from == next }) else { continue }
        search.path.append(edge)
        if extend(&search) { return true }
        search.path.removeLast()
      }
    }
    return false
  }

  private static var modes: [(LockMode, LockMode)] {
    [(.exclusive, .exclusive), (.exclusive, .shared), (.shared, .exclusive), (.shared, .shared)]
  }

  /// Whether a thread that wants the class waits for a thread that holds it.
  private func blocks(wanted: LockMode, held: LockMode, of lock: UInt32) -> Bool {
    wanted == .exclusive || held == .exclusive || nodes[lock]?.hasWriter == true
  }

  private func isDangerous(_ cycle: [Edge]) -> Bool {
    let (first, last) = (cycle[0], cycle[cycle.count - 1])
    guard blocks(wanted: last.key.wanted, held: first.key.held, of: first.key.from) else { return false }
    return isBetweenThreads(cycle)
  }

  private func isBetweenThreads(_ cycle: [Edge]) -> Bool {
    let threads = cycle.dropFirst().reduce(cycle[0].threads) { $0.union($1.threads) }
    guard threads == .many else { return false }
    return cycle.dropFirst().reduce(cycle[0].guards) { $0.intersection($1.guards) }.isEmpty
  }

  // MARK: two locks of one class

  /// Two locks of one class may be taken in the order of their addresses; once they were taken the other way, two threads that
  /// nest them at all can meet. The offending edge first.
  private func dangerousNesting(of lock: UInt32) -> [Edge]? {
    var falling: [Edge] = []
    var rising: [Edge] = []
    for (held, wanted) in Self.modes where blocks(wanted: wanted, held: held, of: lock) {
      let key = { Key(from: lock, to: lock, held: held, wanted: wanted, isAscending: $0) }
      if let edge = edges[key(false)] { falling.append(edge) }
      if let edge = edges[key(true)] { rising.append(edge) }
    }
    let all = falling + rising
    return !falling.isEmpty && isBetweenThreads(all) ? all : nil
  }
}
