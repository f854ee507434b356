// OperationEdge.swift: one dependency, as a record in two lists: of what one operation needs, and of what needs the
// other; and how the record is found among many. When it is registered, and which code takes it off, is
// Operation+Dependencies.swift.
import SignalboxSystem
import SignalboxWords

typealias Edge = UnsafeMutablePointer<OperationEdge>

/// Made by `addDependency`; freed by the code that takes it from the list of needs: `removeDependency`, or the end of
/// the dependent.
///
/// SAFETY: it does not keep the dependent. A thread that holds the dependency's lock and finds the record in the list
/// of what needs it may use the dependent's word, because the dependent's deinit takes the record off first; README.md
/// says when a reference to the dependent may be taken.
struct OperationEdge {
  /// In whose list: guarded by the lock of the operation that has the list.
  enum Side { case needs, needing }
  /// Guarded by the dependency's lock.
  enum Stage {
    /// Among the needs only.
    case fresh
    /// `removeDependency` came before it was registered: the thread that was to register it frees it.
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

// MARK: the edge to a dependency where there are many

// A few are searched: Operation+Dependencies.swift.

/// A hash table with linear probing, at most half of it full. Guarded by the dependent's lock.
struct EdgeTable {
  private var places: [Edge?]
  private(set) var count = 0

  init(_ edges: EdgeList) {
    places = Array(repeating: nil, count: 32)
    _ = edges.first(.needs) { edge in
      insert(edge)
      return false
    }
  }

  private static func key(_ edge: Edge) -> UInt { UInt(Lent(edge.pointee.dependency).address) }

  // The product's high bits depend on all bits of the address.
  private func home(_ key: UInt) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> UInt(64 - places.count.trailingZeroBitCount))
  }
  private func next(_ index: Int) -> Int { (index + 1) & (places.count - 1) }

  func find(_ operation: Operation) -> Edge? {
    var index = home(UInt(Lent(operation).address))
    while let edge = places[index] {
      if edge.pointee.leads(to: operation) { return edge }
      index = next(index)
    }
    return nil
  }

  /// An edge to an operation that is not in it.
  mutating func insert(_ edge: Edge) {
    if (count + 1) * 2 > places.count { grow() }
    put(edge)
    count += 1
  }

  private mutating func put(_ edge: Edge) {
    var index = home(Self.key(edge))
    while places[index] != nil { index = next(index) }
    places[index] = edge
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: nil, count: old.count * 2)
    for case .some(let edge) in old { put(edge) }
  }

  /// An edge that is in it. What stands behind it without a gap moves up unless that would be before its home.
  mutating func remove(_ edge: Edge) {
    var hole = home(Self.key(edge))
    while places[hole] != edge { hole = next(hole) }
    places[hole] = nil
    count -= 1
    let mask = places.count - 1
    var index = next(hole)
    while let other = places[index] {
      if (index - home(Self.key(other))) & mask >= (index - hole) & mask {
        places.swapAt(hole, index)
        hole = index
      }
      index = next(index)
    }
  }
}
