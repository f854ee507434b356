// ReductionTests.swift: what can never move, against the definition, over all small graphs and many random ones; no threads.
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

private let keys: [WaitNode.Key] = [.thread(1), .thread(2), .object(16)]

/// The largest set of nodes of which none has what it needs among the others.
private func stuckByDefinition(_ nodes: [WaitNode], _ trust: Reduction.Trust) -> Set<WaitNode.Key> {
  var largest: Set<WaitNode.Key> = []
  for bits in 0..<(1 << nodes.count) {
    let inside = nodes.indices.filter { bits >> $0 & 1 == 1 }
    let moving = nodes.indices.filter { bits >> $0 & 1 == 0 }.map { nodes[$0] }
    if inside.allSatisfy({ !hasWhatItNeeds(nodes[$0], moving, nodes, trust) }) {
      largest.formUnion(inside.map { nodes[$0].key })
    }
  }
  return largest
}

private func hasWhatItNeeds(_ node: WaitNode, _ moving: [WaitNode], _ all: [WaitNode], _ trust: Reduction.Trust) -> Bool {
  let need: WaitNode.Need
  switch node.state {
  case .free: return true
  case .needs(let what): need = what
  case .asleep(let what):
    if trust == .mayWake || trust == .nobodyChanges || (trust == .staysAsleep && node.key == .events) { return true }
    need = what
  }
  return isMet(need, moving, all, trust)
}

private func isMet(_ need: WaitNode.Need, _ moving: [WaitNode], _ all: [WaitNode], _ trust: Reduction.Trust) -> Bool {
  let moves = { (key: WaitNode.Key) in moving.contains { $0.key == key } || !all.contains { $0.key == key } }
  switch need {
  case .anyone: return moving.contains { $0.acts }
  case .all(let keys): return keys.allSatisfy(moves)
  case .any(let keys): return keys.contains(where: moves)
  case .changeable(let inner):
    return isMet(inner, moving, all, trust) || trust != .nobodyChanges && moving.contains { $0.acts }
  }
}

private let subsets: [[WaitNode.Key]] = (0..<8).map { bits in keys.indices.filter { bits >> $0 & 1 == 1 }.map { keys[$0] } }
private let plainNeeds: [WaitNode.Need] = [.anyone] + subsets.map { .all($0) } + subsets.map { .any($0) }
private let needs = plainNeeds + [.changeable(.all([keys[1]])), .changeable(.any([keys[0], keys[2]]))]

/// A sequence of numbers that is always the same.
private struct Numbers {
  var word: UInt64
  mutating func next(below limit: Int) -> Int {
    word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(word >> 33) % limit
  }
}

private func randomNode(_ key: WaitNode.Key, among all: [WaitNode.Key], _ numbers: inout Numbers) -> WaitNode {
  func some() -> [WaitNode.Key] { (0..<numbers.next(below: 4)).map { _ in all[numbers.next(below: all.count)] } }
  var need: WaitNode.Need =
    switch numbers.next(below: 3) {
    case 0: .anyone
    case 1: .all(some())
    default: .any(some())
    }
  if numbers.next(below: 4) == 0 { need = .changeable(need) }
  let state: WaitNode.State =
    switch numbers.next(below: 8) {
    case 0: .free
    case 1: .asleep(need)
    default: .needs(need)
    }
  return WaitNode(key, state, acts: numbers.next(below: 4) > 0)
}

@Suite("The reduction of a snapshot") struct ReductionTests {
  @Test("In all graphs of three nodes the stuck ones are the largest set that waits for itself alone")
  func exhaustive() {
    let states: [WaitNode.State] = [.free] + needs.map { .needs($0) }
    for first in states {
      for second in states {
        for third in states {
          for acts in 0..<8 {
            let nodes = zip(keys, [first, second, third]).enumerated().map {
              WaitNode($0.element.0, $0.element.1, acts: acts >> $0.offset & 1 == 1)
            }
            let found = Reduction.stuck(WaitSnapshot(nodes), .mayWake)
            if found != stuckByDefinition(nodes, .mayWake) { Issue.record("\(nodes): \(found)") }
          }
        }
      }
    }
  }

  @Test("In random graphs of seven nodes the stuck ones are as defined, and the certain are among the suspected")
  func random() {
    var numbers = Numbers(word: 2026)
    let names = (1...6).map { WaitNode.Key.thread($0) } + [.events]
    let mentioned = names + [.pool]  // the pool is no node: it counts as free
    for _ in 0..<600 {
      var nodes = names.map { randomNode($0, among: mentioned, &numbers) }
      let certain = Reduction.stuck(WaitSnapshot(nodes), .mayWake)
      let suspected = Reduction.stuck(WaitSnapshot(nodes), .staysAsleep)
      #expect(certain == stuckByDefinition(nodes, .mayWake) && suspected == stuckByDefinition(nodes, .staysAsleep))
      let distrusting = Reduction.stuck(WaitSnapshot(nodes), .nothingComes)
      #expect(distrusting == stuckByDefinition(nodes, .nothingComes))
      #expect(certain.isSubset(of: suspected) && suspected.isSubset(of: distrusting))
      let unchanged = Reduction.stuck(WaitSnapshot(nodes), .nobodyChanges)
      #expect(unchanged == stuckByDefinition(nodes, .nobodyChanges) && certain.isSubset(of: unchanged))
      let place = numbers.next(below: nodes.count)
      nodes[place].state = .free
      #expect(Reduction.stuck(WaitSnapshot(nodes), .mayWake).isSubset(of: certain.subtracting([nodes[place].key])))
    }
  }

  @Test("A chain of a hundred thousand dependencies in the worst order is reduced in linear time")
  func large() {
    let count = 100_000
    var nodes = (1..<count).map { WaitNode(.object(UInt($0)), .needs(.all([.object(UInt($0 - 1))]))) }
    nodes.append(WaitNode(.object(0), .needs(.any([]))))
    nodes.append(WaitNode(.pool, .needs(.all((0..<count).map { .object(UInt($0)) }))))
    #expect(Reduction.stuck(WaitSnapshot(nodes), .mayWake).count == count + 1)
    nodes[count - 1].state = .free
    #expect(Reduction.stuck(WaitSnapshot(nodes), .mayWake).isEmpty)
  }

  @Test("Only what two snapshots have the same stands still; what moved, came or went may act")
  func standing() {
    func node(_ number: Int32, _ stamp: UInt64, _ state: WaitNode.State = .needs(.anyone)) -> WaitNode {
      WaitNode(.thread(number), stamp: stamp, state)
    }
    let first = WaitSnapshot([node(1, 5), node(2, 7)])
    func stuck(_ second: [WaitNode]) -> Int { Reduction.stuck(WaitSnapshot(second).standing(since: first), .mayWake).count }
    #expect(stuck([node(1, 5), node(2, 7)]) == 2)
    #expect(stuck([node(1, 5), node(2, 8)]) == 0, "another wait")
    #expect(stuck([node(1, 5)]) == 0, "gone")
    #expect(stuck([node(1, 5), node(2, 7), node(3, 1)]) == 0, "come")
    let freeBefore = WaitSnapshot([node(1, 5), node(2, 7, .free)])
    #expect(Reduction.stuck(WaitSnapshot([node(1, 5), node(2, 7)]).standing(since: freeBefore), .mayWake).isEmpty)
  }
}
