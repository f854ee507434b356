// DataNode.swift: the object behind a piece of data: one region of memory, or two pieces in a row. Joining and cutting is
// DataNode+Join.swift, reading is DataNode+Read.swift; DispatchData is the value that Swift callers see.
import SignalboxSystem

/// A dispatch_data_t: never empty; the empty data has no object.
///
/// What can be seen of a node never changes once a second reference may exist: any thread may read it.
package final class DataNode: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: `count`, `height`, `left` and `right` are written at birth, and by an opener that holds the only
  // reference (`open`); `flatBits` is atomic; the place guards itself; regions are memory that nobody may write any more.

  /// Bytes in all.
  package private(set) final var count: Int
  /// 0 for a region; else one more than the higher of the two parts. The two differ by one at most.
  final var height: Int
  /// Of a region: its first byte.
  package final let bytes: UnsafeRawPointer?
  /// Of a region: whom the memory belongs to.
  private final let owner: DataOwner
  /// Of two pieces: both, +1 each.
  final var left: Unmanaged<DataNode>?
  final var right: Unmanaged<DataNode>?
  /// Of two pieces: a region that holds a copy of all bytes, +1; 0 until somebody wants them in a row.
  final let flatBits = Atomic64(0)
  private final let place = CContextPlace()

  private init(_ bytes: UnsafeRawPointer, _ count: Int, _ owner: DataOwner) {
    self.bytes = bytes
    self.count = count
    self.owner = owner
    height = 0
    super.init()
  }

  /// Takes both references.
  private init(_ left: consuming DataNode, _ right: consuming DataNode) {
    bytes = nil
    owner = .nobody
    count = left.count + right.count
    height = max(left.height, right.height) + 1
    self.left = .passRetained(left)
    self.right = .passRetained(right)
    super.init()
  }

  deinit {
    if let bytes {
      // The destructor before the finalizer: they may share a queue.
      owner.give(back: bytes, count, on: place.chosenTarget)
      return place.objectIsGone(orElse: owner.queue)
    }
    left?.release()
    right?.release()
    dropFlat()
    place.objectIsGone()
  }

  // MARK: making one

  /// A region of memory that stays where it is; nil for no bytes, whose memory is then given back at once.
  package static func region(_ bytes: UnsafeRawPointer?, _ count: Int, _ owner: DataOwner) -> DataNode? {
    guard let bytes, count > 0 else {
      owner.give(back: bytes, 0)
      return nil
    }
    return DataNode(bytes, count, owner)
  }

  /// A region that holds a copy; nil for no bytes.
  package static func copy(_ bytes: UnsafeRawPointer?, _ count: Int) -> DataNode? {
    guard let bytes, count > 0 else { return nil }
    return allocate(count) { $0.copyMemory(from: bytes, byteCount: count) }
  }

  /// A region of the heap that `fill` writes before anybody else sees it. `count` is not 0.
  package static func allocate(_ count: Int, _ fill: (UnsafeMutableRawPointer) -> Void) -> DataNode {
    let memory = Memory.allocate(count)
    fill(memory)
    return DataNode(memory, count, .heap)
  }

  /// A region of the heap of which `fill` writes a beginning, and says how long that is; nil if it says nil. The rest
  /// goes back to the heap.
  static func allocate(upTo capacity: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int?) -> DispatchData? {
    let memory = Memory.allocate(capacity)
    guard let count = fill(memory.assumingMemoryBound(to: UInt8.self)) else {
      Memory.free(memory)
      return nil
    }
    return DispatchData(region(Memory.shrink(memory, to: count), count, .heap))
  }

  /// A part of this region.
  func slice(_ lower: Int, _ upper: Int) -> DataNode {
    let whole: DataNode = if case .slice(let whole) = owner { whole } else { self }
    return DataNode(bytes! + lower, upper - lower, .slice(whole))
  }

  /// Two pieces of about the same height in a row; `shell` is a node that was opened and has no parts.
  static func pair(_ left: consuming DataNode, _ right: consuming DataNode, _ shell: consuming DataNode?) -> DataNode {
    guard let shell else { return DataNode(left, right) }
    shell.count = left.count + right.count
    shell.height = max(left.height, right.height) + 1
    shell.left = .passRetained(left)
    shell.right = .passRetained(right)
    return shell
  }

  /// The two parts; and the node itself as a shell for others if `node` was the only reference to it.
  static func open(_ node: consuming DataNode) -> (left: DataNode, right: DataNode, shell: DataNode?) {
    var node = node
    // A context or a finalizer belongs to the object that C knew: that one ends.
    guard isKnownUniquelyReferenced(&node), !node.place.isUsed else {
      return (node.left!.takeUnretainedValue(), node.right!.takeUnretainedValue(), nil)
    }
    let parts = (node.left!.takeRetainedValue(), node.right!.takeRetainedValue())
    node.left = nil
    node.right = nil
    node.dropFlat()
    return (parts.0, parts.1, node)
  }

  /// The only reference is held: nobody reads the copy.
  private func dropFlat() {
    let bits = flatBits.loadAcquire()
    guard bits != 0 else { return }
    Unmanaged<DataNode>.fromOpaque(UnsafeRawPointer(bitPattern: UInt(bits))!).release()
    flatBits.storeRelaxed(0)  // relaxed: whoever gets the node next gets it from this thread
  }

  // MARK: what C does to any object

  /// What C keeps with the object.
  package var context: CContext { place.made }
  /// Decides where the finalizer runs, and the destructor of a region that was not copied.
  package override func setTarget(queue: DispatchQueue?) { context.setTarget(queue) }
}
