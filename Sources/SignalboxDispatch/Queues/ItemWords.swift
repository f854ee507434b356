// ItemWords.swift: what a report says of the item that a thread runs, from the two words that its drain keeps in its frame.
//
// They are the slot's (ItemSlot.swift). A node is given back before its item runs, so its item's own words take their place, and
// marks above the address say what else the node said.
import SignalboxDiagnosis
import SignalboxSystem

extension DrainFrame {
  /// The item of these words begins.
  @inline(__always) mutating func runs(_ first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }
}

extension UnsafeMutablePointer where Pointee == ThreadRecord {
  /// The calling thread's innermost frame is this drain's. SAFETY: as for other frames; a drain's begins with one.
  @inline(__always) var innermostDrain: UnsafeMutablePointer<DrainFrame>? {
    get { pointee.frames?.assumingMemoryBound(to: DrainFrame.self) }
    nonmutating set { pointee.frames = UnsafeMutableRawPointer(newValue) }
  }
}

/// Reading and writing the words.
enum ItemWords {
  /// Somebody waits for the item. Addresses leave the upper bits free; the highest is SlotKind.cFunction.
  private static let isAwaited: UInt64 = 1 << 62

  /// The calling thread is about to run an item out of a node: under a drain, whose frame is the innermost.
  @inline(__always) static func note(_ item: ItemNode) {
    guard let frame = ThreadSlot.current.innermostDrain else { return }
    let awaited = item.completion == nil ? 0 : isAwaited
    frame.pointee.runs(item.work.function | awaited, item.work.context)
  }

  static func install() {
    let known: () -> Void = {}
    let sample = DispatchWorkItem(block: known)
    // SAFETY: a closure is two words, of which the first is its function; the object is as large as its class says.
    let function = withUnsafeBytes(of: Work(known)) { $0.load(as: UInt.self) }  // as it is: not as a generic argument
    let object = UInt(bitPattern: Unmanaged.passUnretained(sample).toOpaque())
    blockOffset = (2..<8).first { SafeMemory.word64(object + $0 * 8) == UInt64(function) }.map { $0 * 8 } ?? 0
    RunningItem.install { frame, first, second, result in
      result.assumingMemoryBound(to: RunningItem.self).pointee = ItemWords.item(frame, first, second)
    }
  }

  // How far behind a work item's address its closure lies; 0: not found. SAFETY: written once, before anybody reads it.
  nonisolated(unsafe) private static var blockOffset: UInt = 0

  private static func item(_ frame: UInt, _ first: UInt64, _ second: UInt64) -> RunningItem {
    var item = RunningItem()
    let words = first & ~isAwaited
    (item.kind, item.function) = (first & isAwaited == 0 ? "async" : "async and wait", UInt(words & ~SlotKind.cFunction))
    switch words {
    case SlotKind.workItem:
      let function = blockOffset == 0 ? nil : SafeMemory.word64(UInt(second) + blockOffset)
      (item.kind, item.function) = ("work item", function.map { isOwn(UInt($0)) ? 0 : UInt($0) } ?? 0)
    case SlotKind.helper: (item.kind, item.function) = ("iterations of a parallel loop", 0)
    case ..<SlotKind.specialLimit: return RunningItem()
    case UInt64(CCall.blockCaller) | SlotKind.cFunction:  // a block's function stands behind its flags
      item.function = UInt(SafeMemory.word64(UInt(second) + 16) ?? 0)
    default: break
    }
    if isBarrier(frame) { item.kind = "barrier " + item.kind }
    return item
  }

  /// What can be kept of an item that is about to run, from the words of its slot: its kind, and its function if that is known.
  /// Nothing of the item's is referred to.
  static func essence(_ first: UInt64, _ second: UInt64) -> (kind: UInt64, function: UInt64) {
    guard first == SlotKind.node, let node = ItemNodePointer(bitPattern: UInt(second)) else {
      return essence(ofPlain: first, second)
    }
    if let item = node.pointee.workItem {
      return essence(ofPlain: SlotKind.workItem, UInt64(UInt(bitPattern: item.toOpaque())))
    }
    return essence(ofPlain: node.pointee.work.function, node.pointee.work.context)
  }

  private static func essence(ofPlain first: UInt64, _ second: UInt64) -> (kind: UInt64, function: UInt64) {
    switch first {
    case SlotKind.workItem: return (first, blockOffset == 0 ? 0 : SafeMemory.word64(UInt(second) + blockOffset) ?? 0)
    case ..<SlotKind.specialLimit: return (first, 0)
    default: return (SlotKind.specialLimit, UInt64(item(0, first, second).function))
    }
  }

  /// The item of which these were kept.
  static func item(_ kind: UInt64, _ function: UInt64) -> RunningItem {
    var item = RunningItem(kind: "another item")
    item.function = UInt(function)
    switch kind {
    case SlotKind.workItem: (item.kind, item.function) = ("work item", isOwn(UInt(function)) ? 0 : UInt(function))
    case SlotKind.helper: item.kind = "iterations of a parallel loop"
    case SlotKind.specialLimit: item.kind = "async"
    default: break
    }
    return item
  }

  /// An item that has not run: the words of its slot, or of its node.
  static func pending(_ first: UInt64, _ second: UInt64) -> RunningItem {
    // A frame of no kind: it runs nowhere yet.
    let item = item(0, first, second)
    return item.kind.isEmpty ? RunningItem(kind: "another item") : item
  }

  /// Whether the function is the C face's own: it stands before a block that was made a work item, of which nothing is known.
  private static func isOwn(_ function: UInt) -> Bool {
    guard CCall.blockCaller != 0 else { return false }
    let images = MappedImages()
    return images.place(of: function)?.image == images.place(of: CCall.blockCaller)?.image
  }

  private static func isBarrier(_ frame: UInt) -> Bool {
    guard ThreadFrame.Kind(rawValue: frame & 7) == .drainAlone else { return false }
    // SAFETY: the thread is inside the queue, and stands still.
    let queue = Unmanaged<DispatchQueue>.fromOpaque(UnsafeRawPointer(bitPattern: frame & ~7)!)
    return queue._withUnsafeGuaranteedRef { $0.kind == .concurrent }
  }
}
