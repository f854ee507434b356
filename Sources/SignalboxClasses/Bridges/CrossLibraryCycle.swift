// CrossLibraryCycle.swift: operations of both kinds that wait for one another in a cycle. Cycles of Signalbox's
// operations alone are Operations/OperationCycle.swift.
//
// A dependency across the kinds is a stand-in; stand-ins know what they stand for, so what is waited for can be followed from one
// kind into the other. It is followed whenever such a dependency is added, from the operation that gets it. Whether an
// operation of Foundation's is in a queue no code can ask: unlike a cycle of Signalbox's alone, this one is noted
// whether its operations are in queues or not. When it is reported is Operations/StandingCycles.swift.
import Foundation
import SignalboxDiagnosis

/// In the dependencies of an operation of Signalbox's, in place of one of Foundation's.
// SAFETY of @unchecked: the reference is written in `init` alone, and weak references may be read by any thread.
final class OurStandIn: Operation, @unchecked Sendable {
  fileprivate private(set) weak var beyond: Foundation.Operation?

  init(for operation: Foundation.Operation) {
    beyond = operation
    super.init()
  }
}

/// In the dependencies of an operation of Foundation's, in place of one of Signalbox's.
// SAFETY of @unchecked: as above.
final class TheirStandIn: Foundation.Operation, @unchecked Sendable {
  fileprivate private(set) weak var beyond: Operation?

  init(for operation: Operation) {
    beyond = operation
    super.init()
  }
}

enum CrossLibraryCycle {
  /// Of either kind.
  enum Node {
    case ours(Operation)
    case theirs(Foundation.Operation)
  }
  private static let limit = 10_000

  /// Notes a cycle through `start`.
  static func check(from start: Node) {
    guard Deadlock.policy != .ignore, let cycle = cycle(through: start) else { return }
    let weakly = cycle.map(WeakNode.init)
    StandingCycles.note(
      .init(
        identity: cycle.map(\.address),
        hint: "take one of the dependencies away, or cancel one of them: until then none of these operations starts",
        asksProgram: true
      ) { members(weakly) })
  }

  /// In words; nil if it was opened.
  private static func members(_ cycle: [WeakNode]) -> [DeadlockReport.Object]? {
    let nodes = cycle.compactMap(\.node)
    guard nodes.count == cycle.count else { return nil }
    for (index, node) in nodes.enumerated() {
      let next = nodes[(index + 1) % nodes.count]
      guard !node.isOver, node.dependencies.contains(where: { $0.id == next.id }) else { return nil }
    }
    return nodes.filter { !$0.isStandIn }.map(\.object)
  }

  /// A node that is not kept.
  private struct WeakNode: Sendable {
    private weak let ours: Operation?
    private weak let theirs: Foundation.Operation?

    init(_ node: Node) {
      switch node {
      case .ours(let operation): (ours, theirs) = (operation, nil)
      case .theirs(let operation): (ours, theirs) = (nil, operation)
      }
    }
    var node: Node? { ours.map { .ours($0) } ?? theirs.map { .theirs($0) } }
  }

  /// Each depends on the next, the last on the first. Depth first, each operation once, at most `limit` of them.
  private static func cycle(through start: Node) -> [Node]? {
    var path = [(node: start, left: start.dependencies)]
    var seen: Set<ObjectIdentifier> = []
    while let next = path.last?.left.last {
      path[path.count - 1].left.removeLast()
      if next.id == start.id { return path.map(\.node) }
      if !next.isOver, seen.insert(next.id).inserted { path.append((next, next.dependencies)) }
      if seen.count > limit { return nil }
      retreat(&path)
    }
    return nil
  }

  /// Back to the last one that has dependencies left to be followed.
  private static func retreat(_ path: inout [(node: Node, left: [Node])]) {
    while let last = path.last, last.left.isEmpty { path.removeLast() }
  }
}

extension CrossLibraryCycle.Node {
  fileprivate var id: ObjectIdentifier {
    switch self {
    case .ours(let operation): ObjectIdentifier(operation)
    case .theirs(let operation): ObjectIdentifier(operation)
    }
  }
  /// Finished, or waiting for nothing since it is cancelled.
  fileprivate var isOver: Bool {
    switch self {
    case .ours(let operation): operation.isFinished || operation.isCancelled
    case .theirs(let operation): operation.isFinished || operation.isCancelled
    }
  }
  fileprivate var isStandIn: Bool {
    switch self {
    case .ours(let operation): operation is OurStandIn
    case .theirs(let operation): operation is TheirStandIn
    }
  }
  /// What it waits for.
  fileprivate var dependencies: [CrossLibraryCycle.Node] {
    switch self {
    case .ours(let operation as OurStandIn): operation.beyond.map { [.theirs($0)] } ?? []
    case .ours(let operation): operation.dependencies.map { .ours($0) }
    case .theirs(let operation as TheirStandIn): operation.beyond.map { [.ours($0)] } ?? []
    case .theirs(let operation): operation.dependencies.map { .theirs($0) }
    }
  }
  /// As a report has it.
  fileprivate var object: DeadlockReport.Object {
    switch self {
    case .ours(let operation): .init(kind: .operation, address: address, name: operation.title)
    case .theirs(let operation): .init(kind: .operation, address: address, name: Self.title(of: operation, address))
    }
  }
  private static func title(of operation: Foundation.Operation, _ address: UInt) -> String {
    let name = operation.name.map { " \"\($0)\"" } ?? ""
    return "operation\(name) (Foundation's \(type(of: operation)) 0x\(String(address, radix: 16)))"
  }
  fileprivate var address: UInt {
    switch self {
    case .ours(let operation): UInt(bitPattern: Unmanaged.passUnretained(operation).toOpaque())
    case .theirs(let operation): UInt(bitPattern: Unmanaged.passUnretained(operation).toOpaque())
    }
  }
}
