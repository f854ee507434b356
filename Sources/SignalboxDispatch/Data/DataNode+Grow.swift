// DataNode+Grow.swift: appending a region to data that nobody else holds, without making a new tree. All else is joined
// (DataNode+Join.swift).
import SignalboxSystem

extension DataNode {
  /// Appends `other`'s bytes to the data in `place`, in place if that holds the only reference all the way down its last edge.
  ///
  /// - Complexity: O(log regions); O(1) allocations, none in most calls.
  static func append(_ other: Lent<DataNode>, to place: inout DataNode?) {
    guard var root = take(&place) else {
      place = other.kept
      return
    }
    if other.use({ $0.height == 0 }) && grow(&root, other) {
      place = root.takeRetainedValue()
    } else {
      place = join(Lent(root), other).takeRetainedValue()
      root.release()
    }
  }

  /// The caller's reference, +1, as it is handed to C.
  package static func handOver(_ node: consuming DataNode?) -> Unmanaged<DataNode>? {
    take(&node)
  }

  /// Moves the reference out, uncounted.
  private static func take(_ place: inout DataNode?) -> Unmanaged<DataNode>? {
    // SAFETY: a reference and an unmanaged one are the same word; the nil that is left behind needs no release.
    withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: Unmanaged<DataNode>?.self, capacity: 1) { word in
        defer { word.pointee = nil }
        return word.pointee
      }
    }
  }

  /// Adds a region to the branch in `place`; false, and nothing changed, if another reference exists or the last edge is full.
  private static func grow(_ place: inout Unmanaged<DataNode>, _ region: Lent<DataNode>) -> Bool {
    guard isOnlyReference(&place) else { return false }
    return Lent(place).use { node in
      // A context or a finalizer belongs to the object that C knew: that one ends.
      guard node.height > 0, !node.hasContext else { return false }
      if node.height == 1 {
        guard node.used < Int16(most) else { return false }
        node.makeRoom()
        node.add(region.use { $0.whole })
      } else {
        guard grow(&node.entries[Int(node.used) - 1].node, region) else { return false }
        node.total += region.use { $0.total }
        node.entries[Int(node.used) - 1].end = node.total
      }
      node.dropFlat()
      return true
    }
  }

  private func makeRoom() {
    guard used == capacity else { return }
    let room = max(8, 2 * capacity)
    let larger = DataNode.allocateEntries(room)
    larger.moveInitialize(from: entries, count: Int(used))
    if capacity > DataNode.inlineCapacity { entries.deallocate() }
    first = UnsafeMutableRawPointer(larger)
    capacity = room
  }

  private static func isOnlyReference(_ place: inout Unmanaged<DataNode>) -> Bool {
    // SAFETY: a reference and an unmanaged one are the same word; the question changes nothing.
    withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: DataNode.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }
}
