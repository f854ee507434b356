// ModelSearch.swift: visiting every state that threads can bring a small protocol into, one atomic step at a time.

/// A protocol in miniature: all threads and the word in one value.
protocol Model: Hashable {
  /// Every state one step further, whichever thread makes it.
  var successors: [Self] { get }
  /// What is wrong with this state, if anything is.
  var complaint: String? { get }
}

/// Every state that can be reached from `start`; the first complaint with the shortest way to it.
func search<M: Model>(from start: M) -> (states: Int, complaint: String?) {
  var cameFrom: [M: M] = [:]
  var (seen, frontier): (Set<M>, [M]) = ([start], [start])
  while !frontier.isEmpty {
    var next: [M] = []
    for state in frontier {
      if let complaint = state.complaint {
        var (way, here) = ("\(state)", state)
        while let before = cameFrom[here] {
          way = "\(before)\n" + way
          here = before
        }
        return (seen.count, "\(complaint):\n\(way)")
      }
      for successor in state.successors where seen.insert(successor).inserted {
        cameFrom[successor] = state
        next.append(successor)
      }
    }
    frontier = next
  }
  return (seen.count, nil)
}
