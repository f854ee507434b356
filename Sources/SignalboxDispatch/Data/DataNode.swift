// DataNode.swift: the object behind a piece of data: one region of memory, or up to 32 nodes in a row. Joining and cutting is
// DataNode+Join.swift, growing in place DataNode+Grow.swift, reading DataNode+Read.swift; DispatchData is the value that Swift
// callers see.
import SignalboxWaits
import SignalboxSystem

/// Bytes of a node: all of a branch's, or some of a region's, in a row.
package struct DataPiece {
  package let node: Lent<DataNode>
  /// The first byte; of a branch's bytes, which lie in many places, it means nothing.
  let start: UnsafeRawPointer
  package let count: Int
}

/// A child of a branch, +1, and where it ends in the branch's bytes. Of a region, a child of the lowest branches, some bytes may be
/// meant: where they start.
struct DataEntry {
  var end: Int
  var node: Unmanaged<DataNode>
  let start: UnsafeRawPointer
}

/// A dispatch_data_t: never empty; the empty data has no object.
///
/// What can be seen of a node never changes once a second reference may exist: any thread may read it.
package final class DataNode: DispatchObject, @unchecked Sendable {
  // SAFETY of @unchecked: `total`, `first` and `used` are written by whoever holds the only reference (at birth, and in
  // DataNode+Grow), and so is what lies inline; `flatBits` is atomic; the place guards itself; regions are memory that nobody
  // may write any more.

  /// Bytes in all.
  final var total: Int
  /// 0 for a region; else one more than that of each child.
  final let height: Int32
  /// Of a branch: how many children there are, and for how many there is room.
  final var used: Int16 = 0
  final var capacity: Int16 = 0
  /// Of a region: its first byte. Of a branch: its first child.
  // Until the object is whole, which its own memory needs, an address that nobody follows.
  final var first: UnsafeMutableRawPointer = .at(16)
  /// Of a region: whom the memory belongs to.
  final let owner: DataOwner
  /// Of a branch: a region that holds a copy of all bytes, +1; 0 until somebody wants them in a row.
  final let flatBits = Atomic64(0)
  private final let place = CContextPlace()
  private final let inline = InlineWords()

  /// Where the bytes of a small copy lie, or the children of a narrow branch.
  private struct InlineWords: ~Copyable, Sendable {
    let word0 = Atomic64(0), word1 = Atomic64(0), word2 = Atomic64(0), word3 = Atomic64(0), word4 = Atomic64(0)
    let word5 = Atomic64(0), word6 = Atomic64(0), word7 = Atomic64(0), word8 = Atomic64(0), word9 = Atomic64(0)
    let word10 = Atomic64(0), word11 = Atomic64(0)
  }
  private static let inlineBytes = 96
  static let inlineCapacity: Int16 = 4

  /// The most children of a branch; all but the root have at least half as many.
  static let most = 32

  /// A region; nil bytes are the ones inside of the node.
  private init(_ bytes: UnsafeRawPointer?, _ count: Int, _ owner: DataOwner) {
    total = count
    self.owner = owner
    height = 0
    super.init()
    first = bytes.map { UnsafeMutableRawPointer(mutating: $0) } ?? inlineAddress
  }

  /// A branch without children, which only its maker has.
  init(height: Int32, width: Int) {
    owner = .nobody
    total = 0
    self.height = height
    super.init()
    capacity = max(Self.inlineCapacity, Int16(width))
    first = capacity == Self.inlineCapacity ? inlineAddress : UnsafeMutableRawPointer(Self.allocateEntries(capacity))
  }

  /// SAFETY: atomic words do not move: they lie inside of the object as long as it lives.
  private var inlineAddress: UnsafeMutableRawPointer { withUnsafePointer(to: inline) { UnsafeMutableRawPointer(mutating: $0) } }

  static func allocateEntries(_ count: Int16) -> UnsafeMutablePointer<DataEntry> { .allocate(capacity: Int(count)) }

  /// Of a branch: its children.
  var entries: UnsafeMutablePointer<DataEntry> { first.assumingMemoryBound(to: DataEntry.self) }
  /// Of a region: its first byte; nil for a branch.
  package final var bytes: UnsafeRawPointer? { height == 0 ? UnsafeRawPointer(first) : nil }
  /// Bytes in all.
  package final var count: Int { total }

  /// What `print` shows.
  override func text(at address: UInt) -> String { ObjectText.plain("DispatchData", nil, address, ["\(total) bytes"]) }

  deinit {
    let hasContext = hasContext
    if _slowPath(SanitizedOrder.isWatched) { endSanitized() }
    if height > 0 {
      for index in 0..<Int(used) { entries[index].node.release() }
      if capacity > Self.inlineCapacity { entries.deallocate() }
      dropFlat()
      if _slowPath(hasContext) { place.objectIsGone(of: self) }
    } else if _fastPath(!hasContext) {
      owner.give(back: first, total, on: nil)
    } else {
      // The destructor before the finalizer: they may share a queue.
      owner.give(back: first, total, on: place.chosenTarget)
      place.objectIsGone(of: self, orElse: owner.queue)
    }
  }

  /// To the sanitizer: who read this has read its parts.
  @inline(never) private final func endSanitized() {
    SanitizedDeeds.ends(self)
    for index in 0..<Int(used) { SanitizedDeeds.letsGo(of: entries[index].node.takeUnretainedValue()) }
    if case .slice(let whole) = owner { SanitizedDeeds.letsGo(of: whole) }
  }

  // MARK: making regions

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
    guard count <= inlineBytes else { return allocate(count) { $0.copyMemory(from: bytes, byteCount: count) } }
    let node = DataNode(nil, count, .nobody)
    node.first.copyMemory(from: bytes, byteCount: count)
    return node
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
  func slice(_ offset: Int, _ count: Int) -> DataNode {
    let whole: DataNode = if case .slice(let whole) = owner { whole } else { self }
    return DataNode(first + offset, count, .slice(whole))
  }

  // MARK: making branches

  /// A branch over those children, which it counts references of; +1.
  static func branch(_ children: UnsafeBufferPointer<DataPiece>) -> Unmanaged<DataNode> {
    let branch = DataNode(height: children[0].node.height + 1, width: children.count)
    for child in children { branch.add(child) }
    return .passRetained(branch)
  }

  /// A branch over two of the same height; +1.
  static func branch(_ first: DataPiece, _ second: DataPiece) -> Unmanaged<DataNode> {
    let branch = DataNode(height: first.node.height + 1, width: 2)
    branch.add(first)
    branch.add(second)
    return .passRetained(branch)
  }

  /// Adds a child at the end and counts a reference of it; there is room, and the caller has the only reference.
  func add(_ child: DataPiece) {
    total += child.count
    (entries + Int(used)).initialize(to: DataEntry(end: total, node: child.node.reference.retain(), start: child.start))
    used += 1
  }

  /// All of its bytes.
  var whole: DataPiece { DataPiece(node: Lent(self), start: UnsafeRawPointer(first), count: total) }

  /// The caller has the only reference: nobody reads the copy.
  func dropFlat() {
    // Not a load: a reader that has made the copy and gone is known by its reference being gone, and that was only read. The
    // exchange cannot come before that read, since it writes, and finds what is newest. acquire: pairs with F2 (DataNode+Read.swift).
    let bits = flatBits.exchangeAcqRel(0)
    guard bits != 0 else { return }
    Unmanaged<DataNode>.at(UInt(bits)).release()
  }

  // MARK: what C does to any object

  /// What C keeps with the object.
  package var context: CContext { place.made }
  /// Whether it keeps anything; for an object that only the caller refers to.
  var hasContext: Bool { place.isUsed }
  /// Decides where the finalizer runs, and the destructor of a region that was not copied.
  package override func setTarget(queue: DispatchQueue?) { context.setTarget(queue) }
}
