// LockOrderGraphTests.swift: every sequence of orders among few classes against a plain search; then each rule by itself.
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

private typealias Graph = LockOrderGraph<Int>
private typealias Key = Graph.Key

extension Graph.Outcome {
  fileprivate var cycle: [LockOrderEdge<Int>]? { if case .cycle(let edges) = self { edges } else { nil } }
}

extension LockOrderGraph where Place == Int {
  /// Notes "`from` held, `to` wanted", both alone unless said otherwise.
  @discardableResult
  fileprivate mutating func note(
    _ from: UInt32, _ to: UInt32, held: LockMode = .exclusive, wanted: LockMode = .exclusive, ascending: Bool = true,
    thread: UInt64, guards: Set<UInt64> = []
  ) -> [LockOrderEdge<Int>]? {
    let key = Key(from: from, to: to, held: held, wanted: wanted, isAscending: ascending)
    return observe(key, thread: thread, guards: guards, place: Int(thread)).cycle
  }
}

/// How many of the edges given lead from `to` back to `from` at least; nil if none do. Tries all of them, unlike the graph.
private func wayBack(_ edges: [(UInt32, UInt32)], _ from: UInt32, _ to: UInt32) -> Int? {
  var reached: Set<UInt32> = [to]
  var length = 0
  while !reached.contains(from) {
    let further = Set(edges.filter { reached.contains($0.0) }.map(\.1)).subtracting(reached)
    if further.isEmpty { return nil }
    reached.formUnion(further)
    length += 1
  }
  return length
}

private func closesCycle(_ edges: [(UInt32, UInt32)], _ from: UInt32, _ to: UInt32) -> Bool { wayBack(edges, from, to) != nil }

@Suite("The graph of lock orders agrees with a plain search") struct LockOrderGraphTests {
  @Test("In whatever order the twelve edges of four classes begin, a cycle is found when it closes, not before")
  func exhaustive() {
    var pairs: [(UInt32, UInt32)] = []
    for from: UInt32 in 1...4 { for to: UInt32 in 1...4 where to != from { pairs.append((from, to)) } }
    var sequences = 0
    func go(_ graph: Graph, _ chosen: [(UInt32, UInt32)]) {
      if chosen.count == 5 { return }
      for (from, to) in pairs where !chosen.contains(where: { $0 == (from, to) }) {
        var next = graph
        let found = next.note(from, to, thread: UInt64(chosen.count + 1))
        let expected = closesCycle(chosen, from, to)
        sequences += 1
        if (found != nil) != expected || next.brokenInvariant != nil {
          Issue.record("after \(chosen): \(from) -> \(to) found \(found != nil), broken \(next.brokenInvariant ?? "nothing")")
          return
        }
        if let found {
          #expect(found.first!.key.from == from && found.first!.key.to == to)
          for (edge, following) in zip(found, found.dropFirst() + found.prefix(1)) {
            if edge.key.to != following.key.from { Issue.record("not a cycle: \(found.map(\.key))") }
          }
        }
        go(next, chosen + [(from, to)])
      }
    }
    go(Graph(), [])
    #expect(sequences == 12 + 12 * 11 + 12 * 11 * 10 + 12 * 11 * 10 * 9 + 12 * 11 * 10 * 9 * 8)
  }

  @Test("For random orders among forty classes, some of which go, the graph answers as a plain search does")
  func random() {
    var cycles = 0
    for seed: UInt64 in 1...20 {
      var state = seed
      func next(_ bound: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % bound
      }
      var graph = Graph()
      var chosen: [(UInt32, UInt32)] = []
      for step in 0..<300 {
        let (from, to) = (UInt32(next(40)) + 1, UInt32(next(40)) + 1)
        if from == to { continue }
        if next(20) == 0 {
          graph.remove(from)
          chosen.removeAll { $0.0 == from || $0.1 == from }
        } else if chosen.contains(where: { $0 == (from, to) }) {
          #expect(graph.note(from, to, thread: 1) == nil || closesCycle(chosen, from, to))
        } else if closesCycle(chosen, from, to) == (next(10) > 0) {
          continue  // mostly orders that agree, now and then one that does not
        } else {
          let found = graph.note(from, to, thread: UInt64(step) + 2)
          // Of very long cycles nothing is promised.
          if let length = wayBack(chosen, from, to) {
            #expect(found != nil || length > 10)
            cycles += 1
          } else {
            #expect(found == nil)
          }
          chosen.append((from, to))
        }
        #expect(graph.brokenInvariant == nil)
      }
    }
    #expect(cycles > 50)
  }

  @Test("One thread alone never closes a cycle; a second thread on either edge does, also long after")
  func oneThread() {
    for second in [(1, 2), (2, 1)] as [(UInt32, UInt32)] {
      var graph = Graph()
      #expect(graph.note(1, 2, thread: 7) == nil)
      #expect(graph.note(2, 1, thread: 7) == nil)
      #expect(graph.note(2, 3, thread: 7) == nil)
      #expect(graph.note(second.0, second.1, thread: 8) != nil)
    }
  }

  @Test("A lock held around both orders hides the cycle until it is missing once")
  func gate() {
    var graph = Graph()
    #expect(graph.note(1, 2, thread: 1, guards: [90, 91]) == nil)
    #expect(graph.note(2, 1, thread: 2, guards: [90]) == nil)
    #expect(graph.note(1, 2, thread: 3, guards: [90]) == nil)
    #expect(graph.note(2, 1, thread: 4, guards: [91]) != nil)
    var other = Graph()
    #expect(other.note(1, 2, thread: 1, guards: [90]) == nil)
    #expect(other.note(2, 1, thread: 2, guards: [91]) != nil, "two different locks keep nobody apart")
  }

  @Test("In a cycle of three, two edges under one lock and the third without can still meet")
  func gateOnSomeEdges() {
    var graph = Graph()
    #expect(graph.note(1, 2, thread: 1, guards: [90]) == nil)
    #expect(graph.note(2, 3, thread: 2, guards: [90]) == nil)
    #expect(graph.note(3, 1, thread: 3)?.count == 3)
  }

  @Test("Readers that nest both ways are harmless until somebody writes")
  func readers() {
    var graph = Graph()
    #expect(graph.note(1, 2, held: .shared, wanted: .shared, thread: 1) == nil)
    #expect(graph.note(2, 1, held: .shared, wanted: .shared, thread: 2) == nil)
    #expect(graph.observeWriter(of: 1) == nil, "readers of the other still pass")
    #expect(graph.observeWriter(of: 2) != nil)
    #expect(graph.observeWriter(of: 2) == nil, "only the first writer is news")
  }

  @Test("A writer on one side of each lock blocks")
  func writers() {
    for (held, wanted) in [(LockMode.exclusive, LockMode.shared), (.shared, .exclusive), (.exclusive, .exclusive)] {
      var graph = Graph()
      #expect(graph.note(1, 2, held: held, wanted: wanted, thread: 1) == nil)
      #expect(graph.note(2, 1, held: held, wanted: wanted, thread: 2) != nil, "\(held) \(wanted)")
    }
  }

  @Test("Two locks of one class may be taken by rising addresses, and by falling ones on one thread or guarded only")
  func nesting() {
    var rising = Graph()
    #expect(rising.note(1, 1, thread: 1) == nil)
    #expect(rising.note(1, 1, thread: 2) == nil)
    #expect(rising.note(1, 1, ascending: false, thread: 2) != nil)
    var alone = Graph()
    #expect(alone.note(1, 1, ascending: false, thread: 1) == nil)
    #expect(alone.note(1, 1, thread: 1) == nil)
    #expect(alone.note(1, 1, thread: 2) != nil)
    var guarded = Graph()
    #expect(guarded.note(1, 1, ascending: false, thread: 1, guards: [9]) == nil)
    #expect(guarded.note(1, 1, ascending: false, thread: 2, guards: [9]) == nil)
    #expect(guarded.note(1, 1, ascending: false, thread: 2) != nil)
    var readers = Graph()
    #expect(readers.note(1, 1, held: .shared, wanted: .shared, ascending: false, thread: 1) == nil)
    #expect(readers.note(1, 1, held: .shared, wanted: .shared, ascending: false, thread: 2) == nil)
    #expect(readers.observeWriter(of: 1) != nil)
  }

  @Test("A class that is gone takes its orders with it")
  func removal() {
    var graph = Graph()
    #expect(graph.note(1, 2, thread: 1) == nil)
    #expect(graph.note(2, 1, thread: 1) == nil)
    graph.remove(1)
    #expect(graph.edges.isEmpty && graph.back.isEmpty && graph.brokenInvariant == nil)
    #expect(graph.note(2, 1, thread: 2) == nil)
    #expect(graph.note(1, 2, thread: 3) != nil)
  }

  @Test("The places that were seen first stay the evidence")
  func evidence() {
    var graph = Graph()
    graph.note(1, 2, thread: 5)
    graph.note(1, 2, thread: 6)
    let cycle = graph.note(2, 1, thread: 7)
    #expect(cycle?.map(\.place) == [7, 5])
  }
}
