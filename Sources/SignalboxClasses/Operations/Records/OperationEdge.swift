// OperationEdge.swift: one dependency, as a record in two lists: of what one operation needs, and of what needs the other. When
// it is registered, and by whom it is taken off, is Operation+Dependencies.swift.
import SignalboxSystem
import SignalboxWords

typealias Edge = UnsafeMutablePointer<OperationEdge>

/// Made by `addDependency`; freed by whoever takes it from the list of needs: `removeDependency`, or the end of the dependent.
///
/// SAFETY: it does not keep the dependent. Whoever holds the dependency's lock and finds the record in the list of what needs it
/// may use the dependent's word, because the dependent's deinit takes the record off first; README.md says when a reference to
/// the dependent may be taken.
struct OperationEdge {
  /// In whose list: guarded by the lock of the operation that has the list.
  enum Side { case needs, needing }
  /// Guarded by the dependency's lock.
  enum Stage {
    /// Among the needs only.
    case fresh
    /// `removeDependency` came before it was registered: whoever was to register it frees it.
    case dropped
    /// In both lists, and counted.
    case registered
    /// Among the needs only: the dependency has finished.
    case over
  }
  struct Links {
    var next: Edge
    var previous: Edge
  }
  /// +1
  let dependency: Unmanaged<Operation>
  let dependent: Lent<Operation>
  /// The dependent's state. Used without a reference to the dependent: each would be one to let go of.
  let word: UnsafePointer<AtomicState<OperationState>>
  var stage = Stage.fresh
  /// In a list alone, or in none: itself.
  var needsLinks: Links, needingLinks: Links

  static func make(from dependent: Operation, to dependency: Operation) -> Edge {
    // Not `Edge.allocate`, which asks for an alignment and takes three times as long.
    let edge = Memory.allocate(MemoryLayout<OperationEdge>.size).bindMemory(to: OperationEdge.self, capacity: 1)
    let word = withUnsafePointer(to: dependent.word) { $0 }
    let alone = Links(next: edge, previous: edge)
    edge.initialize(
      to: OperationEdge(
        dependency: .passRetained(dependency), dependent: Lent(dependent), word: word, needsLinks: alone, needingLinks: alone))
    return edge
  }

  /// Frees the record; returns the reference that it had.
  static func free(_ edge: Edge) -> Unmanaged<Operation> {
    defer { Memory.free(edge) }
    return edge.pointee.dependency
  }

  func leads(to operation: Operation) -> Bool { Lent(dependency) == Lent(operation) }
}

extension UnsafeMutablePointer where Pointee == OperationEdge {
  /// The edge's neighbours in the list of one side.
  subscript(side: OperationEdge.Side) -> OperationEdge.Links {
    @inline(__always) get { side == .needs ? pointee.needsLinks : pointee.needingLinks }
    @inline(__always) nonmutating set {
      if side == .needs { pointee.needsLinks = newValue } else { pointee.needingLinks = newValue }
    }
  }
}

/// Edges in the order in which they were appended: a ring, of which the first knows the last.
struct EdgeList {
  private(set) var first: Edge?

  @inline(__always) mutating func append(_ edge: Edge, _ side: OperationEdge.Side) {
    guard let first else {
      edge[side] = .init(next: edge, previous: edge)
      first = edge
      return
    }
    let last = first[side].previous
    edge[side] = .init(next: first, previous: last)
    last[side].next = edge
    first[side].previous = edge
  }

  @inline(__always) mutating func remove(_ edge: Edge, _ side: OperationEdge.Side) {
    let links = edge[side]
    if links.next == edge {
      first = nil
      return
    }
    links.next[side].previous = links.previous
    links.previous[side].next = links.next
    if first == edge { first = links.next }
  }

  /// The first edge that `isWanted`; all are tried in their order until then.
  @inline(__always) func first(_ side: OperationEdge.Side, where isWanted: (Edge) -> Bool) -> Edge? {
    var next = first
    while let edge = next {
      if isWanted(edge) { return edge }
      next = edge[side].next
      if next == first { return nil }
    }
    return nil
  }
}
