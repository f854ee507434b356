// DataNode+Read.swift: finding, visiting and copying the regions of a piece, and the copy that has all of them in a row.
import SignalboxSystem

extension DataNode {
  /// A region inside a piece, lent by it.
  package typealias Place = (region: Unmanaged<DataNode>, offset: Int)

  /// The region that holds byte `position`, which lies inside, and where that region begins.
  ///
  /// - Complexity: O(log regions).
  package func region(at position: Int) -> Place {
    var node = Unmanaged.passUnretained(self), begin = 0
    while true {
      let next: Unmanaged<DataNode>? = node._withUnsafeGuaranteedRef { node in
        guard let left = node.left, let right = node.right else { return nil }
        let middle = begin + left._withUnsafeGuaranteedRef { $0.count }
        if position < middle { return left }
        begin = middle
        return right
      }
      guard let next else { return (node, begin) }
      node = next
    }
  }

  /// Calls `visit` with each region and where it begins, in order; stops when it says false. Whether it never did.
  @discardableResult
  package func forEachRegion(from begin: Int = 0, _ visit: (DataNode, Int) -> Bool) -> Bool {
    guard let left, let right else { return visit(self, begin) }
    let middle = left._withUnsafeGuaranteedRef { $0.forEachRegion(from: begin, visit) ? begin + $0.count : nil }
    guard let middle else { return false }
    return right._withUnsafeGuaranteedRef { $0.forEachRegion(from: middle, visit) }
  }

  /// Copies the bytes from `lower` up to `upper`, which lie inside.
  package func copy(_ lower: Int, _ upper: Int, to target: UnsafeMutableRawPointer) {
    guard lower < upper else { return }
    guard let left, let right else { return target.copyMemory(from: bytes! + lower, byteCount: upper - lower) }
    let middle = left._withUnsafeGuaranteedRef { $0.count }
    if lower < middle { left._withUnsafeGuaranteedRef { $0.copy(lower, min(upper, middle), to: target) } }
    if upper > middle {
      let begin = max(lower, middle)
      right._withUnsafeGuaranteedRef { $0.copy(begin - middle, upper - middle, to: target + (begin - lower)) }
    }
  }

  /// All bytes in one region: the piece itself if it is one, else a copy, made at the first call and kept with the piece.
  package var flat: DataNode {
    if height == 0 { return self }
    // acquire F1: the region behind the bits is whole; pairs with F2. Without it a reader could see its bytes before they are
    // written.
    if let found = Self.reference(flatBits.loadAcquire()) { return found.takeUnretainedValue() }
    let new = Unmanaged.passRetained(DataNode.allocate(count) { copy(0, count, to: $0) })
    // release F2: publishes the copied bytes to F1.
    let swap = flatBits.casAcqRel(0, UInt64(UInt(bitPattern: new.toOpaque())))
    if swap.exchanged { return new.takeUnretainedValue() }
    new.release()
    return Self.reference(swap.original)!.takeUnretainedValue()
  }

  private static func reference(_ bits: UInt64) -> Unmanaged<DataNode>? {
    UnsafeRawPointer(bitPattern: UInt(bits)).map { .fromOpaque($0) }
  }
}
