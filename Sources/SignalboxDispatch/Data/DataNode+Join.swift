// DataNode+Join.swift: two pieces as one, and a part of one, as new trees that share what they can: no byte is copied.
//
// The tree is a B-tree over regions: all regions are equally deep, a branch has at most 32 children, and at least 16 unless it is
// the root. So n regions lie at most log16(n) + 1 deep: walking, cutting and freeing may recurse.
import SignalboxSystem

extension DataNode {
  /// A node of a tree, +1: what comes out.
  package typealias Reference = Unmanaged<DataNode>
  /// A node of a tree, lent: what comes in.
  package typealias Tree = Lent<DataNode>

  /// One tree, or two of the same height in a row; +1 each.
  private struct Parts {
    let first: Reference
    var second: Reference?

    /// As one tree; takes the references over.
    func joined() -> Reference {
      guard let second else { return first }
      defer { release() }
      return branch(Tree(first).whole, Tree(second).whole)
    }

    func release() {
      first.release()
      second?.release()
    }
  }

  /// The bytes of `left`, then those of `right`.
  ///
  /// - Complexity: O(difference of heights) branches are made.
  package static func join(_ left: Tree, _ right: Tree) -> Reference {
    let (leftHeight, rightHeight) = (left.height, right.height)
    if leftHeight > rightHeight { return hang(right, on: left, .end).joined() }
    if leftHeight < rightHeight { return hang(left, on: right, .start).joined() }
    if leftHeight == 0 { return branch(left.whole, right.whole) }
    return unite(left, right).joined()
  }

  /// Two of the same height, neither with too few children, or one.
  private static func unite(_ left: Tree, _ right: Tree) -> Parts {
    let (leftCount, rightCount) = (left.used, right.used)
    let isEnough = min(leftCount, rightCount) >= most / 2
    if left.height == 0 || (isEnough && leftCount + rightCount > most) {
      return Parts(first: left.reference.retain(), second: right.reference.retain())
    }
    return withChildren { list in
      list.add(childrenOf: left)
      list.add(childrenOf: right)
      return list.made()
    }
  }

  private enum Edge { case start, end }

  /// Makes a lower tree a part of a higher one, at an edge.
  private static func hang(_ small: Tree, on tree: Tree, _ edge: Edge) -> Parts {
    if small.height == 0 && tree.height == 1 { return hang(region: small, on: tree, edge) }
    let used = tree.used
    let neighbour = tree.child(edge == .end ? used - 1 : 0).node
    let parts =
      if small.height < neighbour.height {
        hang(small, on: neighbour, edge)
      } else {
        edge == .end ? unite(neighbour, small) : unite(small, neighbour)
      }
    defer { parts.release() }
    return withChildren { list in
      if edge == .end { list.add(childrenOf: tree, 0..<used - 1) }
      list.add(Tree(parts.first).whole)
      if let second = parts.second { list.add(Tree(second).whole) }
      if edge == .start { list.add(childrenOf: tree, 1..<used) }
      return list.made()
    }
  }

  private static func hang(region: Tree, on tree: Tree, _ edge: Edge) -> Parts {
    withChildren { list in
      if edge == .start { list.add(region.whole) }
      list.add(childrenOf: tree)
      if edge == .end { list.add(region.whole) }
      return list.made()
    }
  }

  /// Children of branches that are to be made; lent.
  private struct ChildList {
    private let buffer: UnsafeMutableBufferPointer<DataPiece>
    private var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<DataPiece>) { self.buffer = buffer }

    mutating func add(_ piece: DataPiece) {
      buffer.initializeElement(at: count, to: piece)
      count += 1
    }
    mutating func add(childrenOf branch: Tree, _ range: Range<Int>? = nil) {
      for index in range ?? 0..<branch.used { add(branch.child(index)) }
    }

    mutating func add(_ piece: DataPiece, atMost most: Int) -> Bool {
      guard count < most else { return false }
      add(piece)
      return true
    }

    /// One branch.
    func one() -> Reference { made(0, count) }
    /// One branch, or two of about the same width.
    func made() -> Parts {
      count <= most ? Parts(first: one()) : Parts(first: made(0, count / 2), second: made(count / 2, count))
    }
    private func made(_ from: Int, _ to: Int) -> Reference {
      branch(UnsafeBufferPointer(rebasing: buffer[from..<to]))
    }
  }

  private static func withChildren<R>(_ body: (inout ChildList) -> R) -> R {
    withUnsafeTemporaryAllocation(of: DataPiece.self, capacity: 2 * most) { buffer in
      var list = ChildList(buffer)
      return body(&list)
    }
  }

  // MARK: cutting

  /// At most `length` bytes from `offset` on, +1; nil for none.
  package static func part(_ node: Tree, offset: UInt, length: UInt) -> Reference? {
    let count = UInt(node.use { $0.total })
    guard offset < count, length > 0 else { return nil }
    return part(node, Int(offset), Int(offset + min(length, count - offset)))
  }

  /// The bytes from `lower` up to `upper`, which lie inside and are not none. Keeps only the regions that it touches.
  ///
  /// - Complexity: O(log regions).
  private static func part(_ node: Tree, _ lower: Int, _ upper: Int) -> Reference {
    let (count, height) = node.use { ($0.total, $0.height) }
    if lower == 0 && upper == count { return node.reference.retain() }
    if height == 0 { return node.whole.part(lower, upper).object }
    let (first, last) = node.use { $0.indices(of: lower, upper) }
    let begin = node.begin(first)
    if height == 1 {
      if first == last { return node.child(first).part(lower - begin, upper - begin).object }
      return row(node, first..<last + 1, lower - begin, upper - node.begin(last))
    }
    if first == last { return part(node.child(first).node, lower - begin, upper - begin) }
    if let narrow = narrow(node, lower, upper) { return narrow }
    let left = part(node.child(first).node, lower - begin, node.begin(first + 1) - begin)
    let right = part(node.child(last).node, 0, upper - node.begin(last))
    defer { Parts(first: left, second: right).release() }
    return chain(Tree(left), node, first + 1..<last, Tree(right))
  }

  /// Which children hold the first and the last of those bytes.
  private func indices(of lower: Int, _ upper: Int) -> (first: Int, last: Int) {
    let first = index(of: lower)
    var last = first
    while entries[last].end < upper { last += 1 }
    return (first, last)
  }

  /// Regions in a row as one branch: the first from `lower` on, the last up to `upper`.
  private static func row(_ node: Tree, _ children: Range<Int>, _ lower: Int, _ upper: Int) -> Reference {
    let branch = DataNode(height: 1, width: children.count)
    node.use { node in
      let first = node.child(children.lowerBound)
      branch.add(first.part(lower, first.count))
      for index in children.dropFirst().dropLast() { branch.add(node.child(index)) }
      branch.add(node.child(children.upperBound - 1).part(0, upper))
    }
    return .passRetained(branch)
  }

  /// The part as one branch of regions, if it has few of them.
  private static func narrow(_ node: Tree, _ lower: Int, _ upper: Int) -> Reference? {
    withChildren { list in
      let isWhole = node.use { $0.forEachRegion(lower, upper) { list.add($0, atMost: most) } }
      return isWhole ? list.one() : nil
    }
  }

  /// Trees of any height in a row.
  private static func chain(_ left: Tree, _ node: Tree, _ middle: Range<Int>, _ right: Tree) -> Reference {
    if middle.isEmpty { return join(left, right) }
    let inner =
      middle.count == 1
      ? node.child(middle.lowerBound).node.reference.retain()
      : withChildren { list in
        list.add(childrenOf: node, middle)
        return list.one()
      }
    let beginning = join(left, Tree(inner))
    inner.release()
    defer { beginning.release() }
    return join(Tree(beginning), right)
  }
}

extension DataPiece {
  /// A part of a region's bytes.
  func part(_ lower: Int, _ upper: Int) -> DataPiece {
    DataPiece(node: node, start: start + lower, count: upper - lower)
  }

  /// The piece as an object, +1: the region itself if all of it is meant.
  package var object: Unmanaged<DataNode> { isWhole ? node.reference.retain() : slice }

  var isWhole: Bool { node.use { $0.total == count } }
  var slice: Unmanaged<DataNode> {
    node.use { .passRetained($0.slice(start - UnsafeRawPointer($0.first), count)) }
  }
}

extension Lent<DataNode> {
  var height: Int32 { use { $0.height } }
  fileprivate var whole: DataPiece { use { $0.whole } }
  fileprivate var used: Int { use { Int($0.used) } }
  fileprivate func child(_ index: Int) -> DataPiece { use { $0.child(index) } }
  /// Where a child begins in its parent.
  fileprivate func begin(_ index: Int) -> Int { use { $0.begin(index) } }
}
