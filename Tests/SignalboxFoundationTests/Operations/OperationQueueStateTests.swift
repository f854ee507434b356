// OperationQueueStateTests.swift: a queue's numbers, without threads: every order of adding, starting and leaving of a few.
import Testing

@testable import SignalboxClasses

@Suite("The counts of an operation queue keep their invariants") struct OperationQueueStateTests {
  /// A queue with its operations as a model: what is where, and by which steps it may go on.
  private struct World: Hashable {
    enum Place { case pending, held, ready, started }
    struct Item: Hashable {
      var epoch: UInt32
      var isBarrier: Bool
      var place: Place
    }
    var items: [Item] = []
    var runners = 0
    var limit = 2
    var isSuspended = false
    var left = 3
  }

  private static func key(_ world: World, _ state: OperationQueueState) -> String { "\(world) \(state)" }

  private static func ask(_ world: inout World, _ state: inout OperationQueueState) { world.runners += state.runnersToAsk() }

  private static func listDueBarrier(_ world: inout World, _ state: inout OperationQueueState) {
    guard state.barrierIsDue, let first = world.items.first, first.isBarrier, first.place == .held else { return }
    world.items[0].place = .ready
    state.listed()
  }

  private static func steps(_ world: World, _ state: OperationQueueState) -> [(World, OperationQueueState)] {
    var result: [(World, OperationQueueState)] = []
    func step(_ body: (inout World, inout OperationQueueState) -> Bool) {
      var (world, state) = (world, state)
      if body(&world, &state) {
        ask(&world, &state)
        result.append((world, state))
      }
    }
    step { world, state in
      guard world.left > 0 else { return false }
      world.left -= 1
      let epoch = state.add()
      let isCurrent = state.isCurrent(epoch)
      if isCurrent { state.listed() }
      world.items.append(.init(epoch: epoch, isBarrier: false, place: isCurrent ? .ready : .held))
      return true
    }
    step { world, state in
      guard world.left > 0, !world.items.contains(where: \.isBarrier) || world.left > 1 else { return false }
      world.left -= 1
      world.items.append(.init(epoch: state.addBarrier(), isBarrier: true, place: .held))
      listDueBarrier(&world, &state)
      return true
    }
    step { world, state in
      guard world.runners > 0 else { return false }
      world.runners -= 1
      state.runnerCame()
      guard state.start() else { return true }
      let index = world.items.firstIndex { $0.place == .ready }
      guard let index else { return false }
      world.items[index].place = .started
      return true
    }
    // A runner that has found nothing stays, and will come again.
    step { world, state in
      guard world.left == 0, !world.items.isEmpty, state.runnerStays() else { return false }
      world.runners += 1
      return true
    }
    for index in world.items.indices {
      step { world, state in
        let item = world.items[index]
        guard item.place == .started else { return false }
        world.items.remove(at: index)
        if item.isBarrier {
          state.leaveBarrier(wasStarted: true)
          let end = world.items.firstIndex(where: \.isBarrier) ?? world.items.count
          for index in 0..<end where world.items[index].place == .held {
            world.items[index].place = .ready
            state.listed()
          }
        } else {
          state.leave(epoch: item.epoch, wasStarted: true)
        }
        listDueBarrier(&world, &state)
        return true
      }
    }
    for (limit, isSuspended) in [(0, false), (1, false), (2, true)]
    where world.left == 1 && (limit, isSuspended) != (world.limit, world.isSuspended) {
      step { world, state in
        (world.limit, world.isSuspended, world.left) = (limit, isSuspended, 0)
        (state.limit, state.isSuspended) = (limit, isSuspended)
        return true
      }
    }
    return result
  }

  @Test("Operations start when they may, barriers run alone, and all leave the queue", arguments: [true, false])
  func everyOrder(isBatching: Bool) {
    var seen: Set<String> = []
    var open = [(World(), OperationQueueState(limit: 2, isBatching: isBatching))]
    while let (world, state) = open.popLast() {
      guard seen.insert(Self.key(world, state)).inserted else { continue }
      let ready = world.items.count { $0.place == .ready }
      let running = world.items.count { $0.place == .started }
      #expect(state.ready == ready && state.running == running && state.asked == world.runners)
      #expect(state.count == world.items.count { !$0.isBarrier })
      #expect(state.isEmpty == world.items.isEmpty)
      #expect(running <= 2)
      if world.items.contains(where: { $0.isBarrier && $0.place == .started }) { #expect(running == 1 && ready == 0) }
      if ready > 0, !world.isSuspended, running < world.limit { #expect(world.runners > 0, "nobody comes: \(world)") }
      let next = Self.steps(world, state)
      if next.isEmpty, !world.isSuspended, world.limit > 0 { #expect(world.items.isEmpty, "stuck: \(world)") }
      open += next
    }
    #expect(seen.count > 100)
  }
}
