// ReadyListsTests.swift: whatever order operations become ready in, they are taken by priority, then by turn; without threads.
import SignalboxSystem
import Testing

@testable import SignalboxClasses

/// Pseudo-random, the same each time.
private struct Dice {
  var state: UInt64
  mutating func roll(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
}

@Suite("Ready operations are taken by priority and then in order") struct ReadyListsTests {
  private static func made(_ count: Int, levels: Int, _ dice: inout Dice) -> [Operation] {
    (0..<count).map { index in
      let operation = Operation()
      operation.links.turn = UInt64(index)
      operation.links.level = UInt8(dice.roll(levels))
      return operation
    }
  }
  private static func comesBefore(_ one: Operation, _ other: Operation) -> Bool {
    (4 - one.links.level, one.links.turn) < (4 - other.links.level, other.links.turn)
  }
  private static func drained(_ lists: inout ReadyLists) -> [Operation] {
    var taken: [Operation] = []
    while let operation = lists.takeFirst() { taken.append(operation.kept) }
    return taken
  }

  @Test("Ready operations are taken in order, in whatever order six of them were listed")
  func orders() {
    var dice = Dice(state: 7)
    let operations = Self.made(6, levels: 1, &dice)
    func permute(_ chosen: [Operation], _ rest: [Operation]) {
      if rest.isEmpty {
        var lists = ReadyLists()
        for operation in chosen { lists.insert(Lent(operation)) }
        #expect(Self.drained(&lists) == operations)
      }
      for index in rest.indices { permute(chosen + [rest[index]], Array(rest[..<index] + rest[(index + 1)...])) }
    }
    permute([], operations)
  }

  @Test(
    "Of ready operations listed, taken and removed at random, the first that is in comes next",
    arguments: [1 as UInt64, 2, 3, 4])
  func random(seed: UInt64) {
    var dice = Dice(state: seed)
    let operations = Self.made(400, levels: seed == 1 ? 1 : 5, &dice)
    defer { withExtendedLifetime(operations) {} }
    var (lists, inside) = (ReadyLists(), Set<Operation>())
    for _ in 0..<8_000 {
      let operation = operations[dice.roll(400)]
      if inside.contains(operation) {
        lists.remove(Lent(operation))
        inside.remove(operation)
      } else if dice.roll(4) == 0 {
        let first = lists.takeFirst()?.kept
        #expect(first == inside.min(by: Self.comesBefore))
        if let first { inside.remove(first) }
      } else {
        lists.insert(Lent(operation))
        inside.insert(operation)
      }
    }
    #expect(Self.drained(&lists) == inside.sorted(by: Self.comesBefore))
    for links in operations.map(\.links) {
      #expect([links.nextReady, links.previousReady, links.child].compactMap { $0 }.isEmpty && !links.isInHeap)
    }
  }
}
