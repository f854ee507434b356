// CycleSearch.swift: cycles among threads that wait for others. Pure: whether a cycle stands is RemoteInspection.swift's question.

/// The search for cycles among threads, each of which waits for others.
struct CycleSearch {
  let edges: [Int32: [Int32]]
  private var finished: Set<Int32> = []
  private var path: [Int32] = []
  private var found: [[Int32]] = []
  /// Longer chains are not followed.
  private static let most = 256

  init(edges: [Int32: [Int32]]) { self.edges = edges }

  /// Each cycle once, beginning with its lowest number.
  mutating func cycles() -> [[Int32]] {
    for thread in edges.keys.sorted() { visit(thread) }
    return found
  }

  private mutating func visit(_ thread: Int32) {
    if let start = path.firstIndex(of: thread) { return close(Array(path[start...])) }
    guard path.count < Self.most, !finished.contains(thread) else { return }
    path.append(thread)
    for next in edges[thread] ?? [] { visit(next) }
    path.removeLast()
    finished.insert(thread)
  }

  private mutating func close(_ cycle: [Int32]) {
    guard let lowest = cycle.indices.min(by: { cycle[$0] < cycle[$1] }) else { return }
    let turned = Array(cycle[lowest...] + cycle[..<lowest])
    if !found.contains(turned) { found.append(turned) }
  }
}
