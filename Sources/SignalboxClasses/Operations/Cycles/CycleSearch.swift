// CycleSearch.swift: a walk over operations that wait for one another, one edge at a time. What waits for what is
// Operation+Predecessors.swift; what starts the walk OperationCycle.swift.
import SignalboxSystem

/// Searches for the operation that it began with, along what that one waits for (up) or along what waits for it (down).
struct CycleSearch {
  enum Step {
    case goOn, end
    case found([Operation])
  }
  enum Direction { case up, down }

  private let start: Operation
  private let direction: Direction
  private let overBarriers: Bool
  private var waiting: [Operation]
  private var here: Operation
  private var edges: [Operation] = []
  private var index = 0
  /// How each was reached.
  private var from: [ObjectIdentifier: Operation] = [:]
  /// Queues with barriers that were met, and those of them that have more to show.
  private var walks: [ObjectIdentifier: BarrierWalk] = [:]
  private var active: [BarrierWalk] = []

  init(from start: Operation, _ direction: Direction, overBarriers: Bool) {
    (self.start, self.direction, self.overBarriers) = (start, direction, overBarriers)
    (here, waiting) = (start, [start])
  }

  mutating func step() -> Step {
    guard index < edges.count else { return nextEdges() }
    let other = edges[index]
    index += 1
    if other === start { return .found(path()) }
    guard from[ObjectIdentifier(other)] == nil else { return .goOn }
    from[ObjectIdentifier(other)] = here
    waiting.append(other)
    return .goOn
  }

  private mutating func nextEdges() -> Step {
    index = 0
    if let walk = active.last {
      (here, edges) = (walk.cause, walk.next(seeking: start))
      if walk.isDone { active.removeLast() }
      return .goOn
    }
    guard let next = waiting.popLast() else { return .end }
    (here, edges) = (next, direction == .up ? next.openNeeds.filter { $0.isHeldUp(overBarriers) } : next.stuckDependents())
    if overBarriers { walkBarriers(of: next) }
    return .goOn
  }

  /// `operation` is behind a barrier, or before one: the other side must be searched.
  private mutating func walkBarriers(of operation: Operation) {
    guard let (queue, epoch) = direction == .up ? operation.behindBarrier : operation.beforeBarrier else { return }
    if let walk = walks[ObjectIdentifier(queue)] {
      guard walk.extend(epoch, operation) else { return }
      if !active.contains(where: { $0 === walk }) { active.append(walk) }
    } else {
      let walk = BarrierWalk(queue, direction, epoch, operation)
      walks[ObjectIdentifier(queue)] = walk
      active.append(walk)
    }
  }

  /// From the start to `here`.
  private func path() -> [Operation] {
    var path: [Operation] = []
    var next = here
    while next !== start, let before = from[ObjectIdentifier(next)] {
      path.append(next)
      next = before
    }
    return [start] + path.reversed()
  }
}
