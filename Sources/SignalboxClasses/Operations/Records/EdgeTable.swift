// EdgeTable.swift: finds the edge to a dependency where there are many. A few are searched: Operation+Dependencies.swift.
import SignalboxSystem

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
