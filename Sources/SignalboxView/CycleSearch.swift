// CycleSearch.swift: cycles among threads that wait for others. Pure: what a thread waits for, and whether a cycle
// stands, the caller says.

/// The search for cycles among threads, each of which may wait for several others.
package struct CycleSearch<Edge> {
  /// Longer chains are not followed.
  package static var limit: Int { 256 }

  private let edges: (Int32) -> [Edge]
  private let next: (Edge) -> Int32
  private var finished: Set<Int32> = []
  private var path: [(thread: Int32, edge: Edge)] = []
  private var found: [[Edge]] = []

  /// `edges`: a thread's waits; `next`: the thread that one of them leads to.
  private init(_ edges: @escaping (Int32) -> [Edge], _ next: @escaping (Edge) -> Int32) {
    (self.edges, self.next) = (edges, next)
  }

  /// The cycles that are reached from `threads`, each as it was first come to.
  package static func cycles(
    from threads: [Int32], _ edges: @escaping (Int32) -> [Edge], next: @escaping (Edge) -> Int32
  ) -> [[Edge]] {
    var search = Self(edges, next)
    for thread in threads { search.visit(thread) }
    return search.found
  }

  private mutating func visit(_ thread: Int32) {
    if let start = path.firstIndex(where: { $0.thread == thread }) { return found.append(path[start...].map(\.edge)) }
    guard path.count < Self.limit, !finished.contains(thread) else { return }
    for edge in edges(thread) {
      path.append((thread, edge))
      visit(next(edge))
      path.removeLast()
    }
    finished.insert(thread)
  }
}

/// One thread's wait for another, by the kernel's numbers.
package struct ThreadWait: Hashable, Sendable {
  package var waiter: Int32, holder: Int32
}

extension CycleSearch where Edge == ThreadWait {
  /// The cycles among `threads`, by the threads that each waits for: each once, beginning with its lowest number.
  package static func cycles(among threads: [Int32], waits: @escaping (Int32) -> [Int32]) -> [[Int32]] {
    let found = cycles(
      from: threads.sorted(), { thread in waits(thread).map { ThreadWait(waiter: thread, holder: $0) } }, next: \.holder)
    var seen: Set<[Int32]> = []
    return found.map { turned($0.map(\.waiter)) }.filter { seen.insert($0).inserted }
  }

  private static func turned(_ cycle: [Int32]) -> [Int32] {
    let lowest = cycle.indices.min { cycle[$0] < cycle[$1] } ?? 0
    return Array(cycle[lowest...] + cycle[..<lowest])
  }
}
