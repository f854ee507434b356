// DataNode+Read.swift: finding, visiting and copying the regions of a piece, and the copy that has all of them in a
// row; C's walk.
import SignalboxSystem

extension DataNode {
  /// Bytes in a row inside of a node, lent by it, and where they begin.
  package typealias Place = (region: DataPiece, offset: Int)

  /// A child of a branch.
  func child(_ index: Int) -> DataPiece {
    let entry = entries[index]
    return DataPiece(node: Lent(entry.node), start: entry.start, count: entry.end - begin(index))
  }
  /// Where a child of a branch begins.
  func begin(_ index: Int) -> Int { index == 0 ? 0 : entries[index - 1].end }

  /// Which child holds the byte at `position`, which lies inside.
  func index(of position: Int) -> Int {
    // No branch depends on what is found: positions come in no order.
    var index = 0, rest = Int(used)
    while rest > 1 {
      let half = rest / 2
      index += entries[index + half - 1].end <= position ? half : 0
      rest -= half
    }
    return index
  }

  /// The region that holds byte `position`, which lies inside, and where that region begins.
  ///
  /// - Complexity: O(log regions).
  package func region(at position: Int) -> Place {
    if height == 0 { return (whole, 0) }
    var branch = Lent(self), begin = 0
    while true {
      let (child, offset, isRegion) = branch.use { node in
        let index = node.index(of: position - begin)
        return (node.child(index), node.begin(index), node.height == 1)
      }
      begin += offset
      if isRegion { return (child, begin) }
      branch = child.node
    }
  }

  /// Calls `visit` with each region and where it begins, in order; stops when it says false. Whether it never did.
  @discardableResult @inline(__always)
  package func forEachRegion(_ visit: (DataPiece, Int) -> Bool) -> Bool {
    height == 0 ? visit(whole, 0) : forEachChildRegion(from: 0, visit)
  }

  private func forEachChildRegion(from begin: Int, _ visit: (DataPiece, Int) -> Bool) -> Bool {
    let entries = entries, isLowest = height == 1
    var offset = 0
    for index in 0..<Int(used) {
      let entry = entries[index]
      let goesOn =
        if isLowest {
          visit(DataPiece(node: Lent(entry.node), start: entry.start, count: entry.end - offset), begin + offset)
        } else {
          Lent(entry.node).use { $0.forEachChildRegion(from: begin + offset, visit) }
        }
      guard goesOn else { return false }
      offset = entry.end
    }
    return true
  }

  /// Calls `visit` with the regions from byte `lower` up to `upper`, which lie inside and are not none, the first and the last
  /// cut, in order; stops when it says false. Whether it never did.
  func forEachRegion(_ lower: Int, _ upper: Int, _ visit: (DataPiece) -> Bool) -> Bool {
    if height == 0 { return visit(whole.part(lower, upper)) }
    var index = index(of: lower), begin = begin(index)
    while begin < upper {
      let entry = entries[index]
      let (from, to) = (max(lower, begin) - begin, min(upper, entry.end) - begin)
      let goesOn =
        if height == 1 {
          visit(DataPiece(node: Lent(entry.node), start: entry.start + from, count: to - from))
        } else {
          Lent(entry.node).use { $0.forEachRegion(from, to, visit) }
        }
      guard goesOn else { return false }
      begin = entry.end
      index += 1
    }
    return true
  }

  /// Copies the bytes from `lower` up to `upper`, which lie inside.
  package func copy(_ lower: Int, _ upper: Int, to target: UnsafeMutableRawPointer) {
    guard lower < upper else { return }
    var target = target
    _ = forEachRegion(lower, upper) { piece in
      target.copyMemory(from: piece.start, byteCount: piece.count)
      target += piece.count
      return true
    }
  }

  /// All bytes in one region: the node itself if it is one, else a copy, made at the first call and kept with the node.
  package var flat: DataNode { flatReference.kept }

  /// Like `flat`, lent by the node.
  package var flatReference: Lent<DataNode> {
    if height == 0 { return Lent(self) }
    // acquire F1: the region behind the bits is whole; pairs with F2. Without it a reader could see its bytes before they are
    // written.
    if let found = Lent<DataNode>.inWord(flatBits.loadAcquire()) { return found }
    let new = Unmanaged.passRetained(DataNode.allocate(total) { copy(0, total, to: $0) })
    // release F2: publishes the copied bytes to F1.
    let swap = flatBits.casAcqRel(0, UInt64(UInt(bitPattern: new.toOpaque())))
    if swap.exchanged { return Lent(new) }
    new.release()
    return Lent(at: swap.original)
  }
}

// MARK: C's walk

// A function is called with each region as an object.

/// What C gives to visit regions with: a context, a region, where it begins, its bytes and how many. False ends the walk.
package typealias DataVisitor =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer, Int, UnsafeRawPointer, Int) -> Bool

extension DataNode {
  /// Calls `visitor` with each region in order; ends when it says false. Whether it never did. The region is lent.
  package func forEachRegion(_ visitor: DataVisitor, _ context: UnsafeMutableRawPointer?) -> Bool {
    forEachRegion { piece, offset in
      if piece.isWhole { return visitor(context, piece.node.reference.toOpaque(), offset, piece.start, piece.count) }
      let slice = piece.slice
      defer { slice.release() }
      return visitor(context, slice.toOpaque(), offset, piece.start, piece.count)
    }
  }
}
