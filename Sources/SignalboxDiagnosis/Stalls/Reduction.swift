// Reduction.swift: which nodes of a snapshot can never move again: AND over dependencies, OR over the nodes that could
// act. Pure: no clock, no threads. What is reported of them is StallFinding.swift.
//
// A node moves if it is free, or if what it needs moves. The nodes that move are the least set closed under this; the others
// wait for each other only, so none of them ever moves. No node is forgotten: what a need names and the snapshot has
// not, counts as free.

/// The reduction of a snapshot.
import SignalboxWaits
package enum Reduction {
  /// How nodes are taken whose sleep Signalbox cannot see into.
  package enum Trust: Sendable {
    /// They may wake by themselves: what is stuck nevertheless is so for certain.
    case mayWake
    /// The same, but no node changes what can be changed: a node that acts does something else.
    case nobodyChanges
    /// They sleep until another node moves; what is armed or monitored comes.
    case staysAsleep
    /// They sleep, and what is armed or monitored brings nothing that helps.
    case nothingComes
  }

  /// The nodes that can never move.
  ///
  /// - Complexity: linear in the nodes and the keys of their needs.
  package static func stuck(_ snapshot: WaitSnapshot, _ trust: Trust) -> Set<WaitNode.Key> {
    var run = Run(Array(snapshot.nodes.values), trust)
    run.spread()
    return run.stuck
  }
}

private struct Run {
  private let nodes: [WaitNode]
  private let trust: Reduction.Trust
  private var index: [WaitNode.Key: Int] = [:]
  /// The nodes that wait for the node, each once for each time that its need names it.
  private var dependents: [[Int]]
  /// How many of a node's need are still to move.
  private var missing: [Int]
  private var needAnyone: [Int] = []
  private var moves: [Bool]
  private var fresh: [Int] = []
  private var somebodyActs = false

  init(_ nodes: [WaitNode], _ trust: Reduction.Trust) {
    (self.nodes, self.trust) = (nodes, trust)
    dependents = Array(repeating: [], count: nodes.count)
    missing = Array(repeating: 0, count: nodes.count)
    moves = Array(repeating: false, count: nodes.count)
    for place in nodes.indices { index[nodes[place].key] = place }
    for place in nodes.indices { enter(place) }
  }

  private func need(_ node: WaitNode) -> WaitNode.Need? {
    switch node.state {
    case .free: nil
    case .needs(let need): need
    case .asleep(let need):
      switch trust {
      case .mayWake, .nobodyChanges: nil
      case .staysAsleep: node.key == .events ? nil : need
      case .nothingComes: need
      }
    }
  }

  private mutating func enter(_ place: Int) { enter(place, need(nodes[place])) }

  private mutating func enter(_ place: Int, _ need: WaitNode.Need?) {
    switch need {
    case nil: move(place)
    case .changeable(let inner):
      if trust != .nobodyChanges { needAnyone.append(place) }
      enter(place, inner)
    case .anyone: needAnyone.append(place)
    case .all(let keys):
      let known = keys.compactMap { index[$0] }
      missing[place] = known.count
      for other in known { dependents[other].append(place) }
      if known.isEmpty { move(place) }
    case .any(let keys):
      let known = keys.compactMap { index[$0] }
      missing[place] = 1
      for other in known { dependents[other].append(place) }
      if known.count < keys.count { move(place) }
    }
  }

  private mutating func move(_ place: Int) {
    guard !moves[place] else { return }
    moves[place] = true
    fresh.append(place)
  }

  mutating func spread() {
    while let place = fresh.popLast() {
      if nodes[place].acts, !somebodyActs {
        somebodyActs = true
        for other in needAnyone { move(other) }
      }
      for other in dependents[place] where !moves[other] {
        missing[other] -= 1
        if missing[other] == 0 { move(other) }
      }
    }
  }

  var stuck: Set<WaitNode.Key> { Set(nodes.indices.filter { !moves[$0] }.map { nodes[$0].key }) }
}
