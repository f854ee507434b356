// DataVisitor.swift: C's walk through the regions of data: a function, called with each region as an object.

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
