// OperationCycle.swift: operations in queues that wait for one another in a circle: found when the last of them is queued, or the
// last dependency added. Waits of threads are OperationWaits.swift.
//
// The circle goes through the operation that was just queued. It is looked for along what that one depends on and along what
// depends on it, in turn, edge by edge, over operations that are in queues and not cancelled; when either search comes to its end
// there is none. So a chain of any length that is built from one end costs a step or two for each operation.
import Foundation
import SignalboxDiagnosis

enum OperationCycle {
  static func check(queued operation: Operation) {
    guard operation.isStuck, operation.state[OperationState.dependents] == 1 else { return }
    look(through: operation)
  }

  static func check(edgeFrom operation: Operation, to dependency: Operation) {
    guard operation.isStuck, dependency.isStuck || operation === dependency else { return }
    look(through: operation)
  }

  private static func look(through operation: Operation) {
    // Mostly one side has nothing in a queue yet: seen without building a search.
    guard operation.hasStuckNeighbours, Deadlock.policy != .ignore else { return }
    var up = Search(from: operation) { $0.dependencies }
    var down = Search(from: operation) { $0.liveDependents }
    while true {
      switch up.step() {
      case .goOn: break
      case .end: return
      case .found(let circle): return tell(circle)
      }
      switch down.step() {
      case .goOn: break
      case .end: return
      case .found(let circle): return tell(circle.reversed())
      }
    }
  }

  /// `circle`: each depends on the next, the last on the first.
  private static func tell(_ circle: [Operation]) {
    // From the same one whoever finds it, and alive until it is told.
    let start = circle.indices.min { ObjectIdentifier(circle[$0]) < ObjectIdentifier(circle[$1]) }!
    let ordered = circle[start...] + circle[..<start]
    Deadlock.tell(
      ring: ordered.map {
        .init(kind: .operation, address: UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()), name: $0.title)
      },
      hint: "take one of the dependencies away; none of these operations can ever start")
  }
}

/// A walk over operations, one edge at a time, that looks for the one it began with.
private struct Search {
  enum Step {
    case goOn, end
    case found([Operation])
  }
  private let start: Operation
  private let neighbours: (Operation) -> [Operation]
  private var waiting: [Operation] = []
  private var here: Operation
  private var edges: [Operation]
  private var index = 0
  /// How each was reached.
  private var from: [ObjectIdentifier: Operation] = [:]

  init(from start: Operation, _ neighbours: @escaping (Operation) -> [Operation]) {
    self.start = start
    self.neighbours = neighbours
    here = start
    edges = neighbours(start)
  }

  mutating func step() -> Step {
    guard index < edges.count else {
      guard let next = waiting.popLast() else { return .end }
      (here, edges, index) = (next, neighbours(next), 0)
      return .goOn
    }
    let other = edges[index]
    index += 1
    if other === start { return .found(path()) }
    guard other.isStuck, from[ObjectIdentifier(other)] == nil else { return .goOn }
    from[ObjectIdentifier(other)] = here
    waiting.append(other)
    return .goOn
  }

  /// From the start to `here`.
  private func path() -> [Operation] {
    var path: [Operation] = []
    var next = here
    while next !== start {
      path.append(next)
      next = from[ObjectIdentifier(next)]!
    }
    return [start] + path.reversed()
  }
}

extension Operation {
  /// In a queue and waiting for dependencies, as far as anybody can see for ever.
  fileprivate final var isStuck: Bool {
    let state = state
    return state.isQueued && state.isWaiting && !state.isReady
  }
  /// Whether there is one on either side. Asked without the lock: a reference that is let go of may be the last.
  fileprivate final var hasStuckNeighbours: Bool {
    guard let (up, down) = ifExtras({ ($0.dependencies, $0.dependents) }), up.contains(where: { $0.isStuck }) else {
      return false
    }
    if down.first?.operation?.isStuck ?? false { return true }
    return down.more.contains { $0.operation?.isStuck ?? false }
  }
  fileprivate final var liveDependents: [Operation] {
    guard let (first, more) = ifExtras({ $0.dependents }) else { return [] }
    return [first?.operation].compactMap { $0 } + more.compactMap(\.operation)
  }
}
