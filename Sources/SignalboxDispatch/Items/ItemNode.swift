// ItemNode.swift: an item that is more than a closure, 32 bytes, and the per-thread caches it comes from. Its group and its work item are
// Item.swift (Queues/).
//
// A node is taken by the submitting thread and given back by the running one, so caches fill on one side and empty on the
// other: whole magazines of 64 go through the depot, and the allocator is asked for 64 at a time. Nothing is returned to the
// allocator; the most nodes ever pending at once is what stays. A thread that is ending keeps none: nobody would fetch them.
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

struct ItemNode {
  /// The closure; with `SlotKind.workItem` as its function, the work item of its context, +1.
  var work = RawWork()
  /// Told when the item is destroyed: a group to leave, which its members keep alive, or, with bit 0 set, a thread's record. While free: the next node.
  var audience: UInt64 = 0
  /// Bit 0: barrier. Bit 1: enforced. From bit 2 on: `home`, plus 1.
  private var flags: UInt8 = 0
  /// `raises`, plus 1; 0: none.
  private var raisesNumber: UInt8 = 0
  /// Of an item that was given a class of its own: the class's number (DispatchQoS.QoSClass), 0 for none, and the rank inside it.
  private var serviceClass: UInt8 = 0
  private var serviceRank: Int8 = 0
  /// Of an item whose waiting time is measured: when it was submitted (FigureSampling.Moment); else 0.
  var submitted: UInt32 = 0

  var isBarrier: Bool {
    get { flags & 1 != 0 }
    set { flags = flags & ~1 | (newValue ? 1 : 0) }
  }
  /// Whether its class takes precedence over the queue's; of a closure, a work item has its flags.
  var isEnforced: Bool {
    get { flags & 2 != 0 }
    set { flags = flags & ~2 | (newValue ? 2 : 0) }
  }

  /// Of an item of a global queue that lies in another one, for its class: that one's own class.
  var home: ServiceClass? {
    get { flags < 4 ? nil : ServiceClass(known: Int(flags >> 2) - 1) }
    set { flags = flags & 3 | (newValue.map { UInt8($0.rawValue + 1) << 2 } ?? 0) }
  }
  /// The class to which it has raised its queue; nil: it has not.
  var raises: ServiceClass? {
    get { hasRaised ? ServiceClass(known: Int(raisesNumber) - 1) : nil }
    set { raisesNumber = newValue.map { UInt8($0.rawValue + 1) } ?? 0 }
  }
  var hasRaised: Bool { raisesNumber != 0 }

  /// How far behind a node's address the byte of its class lies.
  static var classPlace: UInt { UInt(MemoryLayout<ItemNode>.offset(of: \.serviceClass)!) }

  /// The class and rank that stand here; a work item has its own.
  var givenQoS: DispatchQoS {
    get {
      let known = DispatchQoS.QoSClass(rawValue: UInt32(serviceClass)) ?? .unspecified
      return DispatchQoS(qosClass: known, relativePriority: Int(serviceRank))
    }
    set {
      serviceClass = UInt8(truncatingIfNeeded: newValue.qosClass.rawValue)
      serviceRank = Int8(clamping: newValue.relativePriority)
    }
  }

  var completion: UnsafePointer<CompletionWaiter>? {
    get { audience & 1 == 1 ? UnsafePointer(bitPattern: UInt(audience & ~1)) : nil }
    set { audience = newValue.map { UInt64(UInt(bitPattern: $0)) | 1 } ?? 0 }
  }
  var next: UnsafeMutablePointer<ItemNode>? {
    get { UnsafeMutablePointer(bitPattern: UInt(audience)) }
    set { audience = UInt64(UInt(bitPattern: newValue)) }
  }
}

typealias ItemNodePointer = UnsafeMutablePointer<ItemNode>

enum NodeCache {
  static let magazine = 64
  private static let perThreadLimit = UInt64(2 * magazine)
  private static let depot = Depot(count: magazine)

  /// An initialised node.
  static func take() -> ItemNodePointer {
    let thread = ThreadSlot.current
    guard let free = thread.pointee.nodes else { return refill(thread) }
    let node = free.assumingMemoryBound(to: ItemNode.self)
    thread.pointee.nodes = UnsafeMutableRawPointer(node.pointee.next)
    thread.pointee.node_count -= 1
    node.pointee = ItemNode()
    return node
  }

  /// The node's contents have been moved out.
  static func give(_ node: ItemNodePointer) {
    let thread = ThreadSlot.current
    node.pointee.next = thread.pointee.nodes?.assumingMemoryBound(to: ItemNode.self)
    thread.pointee.nodes = UnsafeMutableRawPointer(node)
    thread.pointee.node_count += 1
    if thread.pointee.node_count >= perThreadLimit { spill(thread, magazine) }
  }

  @inline(never) private static func refill(_ thread: ThreadPointer) -> ItemNodePointer {
    thread.pointee.nodes = depot.take() ?? UnsafeMutableRawPointer(makeMagazine())
    thread.pointee.node_count = UInt64(magazine)
    _ = ThreadSlot.owner()  // the cache must be given back when this thread ends
    let node = take()
    if thread.pointee.is_ending == 1 { threadEnds() }
    return node
  }

  private static func makeMagazine() -> ItemNodePointer {
    let slab = ItemNodePointer.allocate(capacity: magazine)
    for index in 0..<magazine {
      (slab + index).initialize(to: ItemNode())
      slab[index].next = index + 1 < magazine ? slab + index + 1 : nil
    }
    return slab
  }

  @inline(never) private static func spill(_ thread: ThreadPointer, _ count: Int) {
    if thread.pointee.is_ending == 1 { return emptyAtEnd(thread) }
    guard let head = thread.pointee.nodes?.assumingMemoryBound(to: ItemNode.self) else { return }
    var last = head
    for _ in 1..<count { last = last.pointee.next! }
    thread.pointee.nodes = UnsafeMutableRawPointer(last.pointee.next)
    thread.pointee.node_count -= UInt64(count)
    last.pointee.next = nil
    depot.give(UnsafeMutableRawPointer(head))
  }

  /// The calling thread ends: whole magazines go to the depot, the rest makes a magazine with what other threads leave.
  static func threadEnds() {
    emptyAtEnd(ThreadSlot.current)
  }

  /// Also the next node that is given comes here at once: the count says that the cache is full.
  private static func emptyAtEnd(_ thread: ThreadPointer) {
    depot.giveRest(thread.pointee.nodes)
    thread.pointee.nodes = nil
    thread.pointee.node_count = perThreadLimit
  }
}

/// Magazines that no thread holds. Each is a list of `count` free nodes linked through their `next`.
final class Depot: Sendable {
  private struct State {
    var magazines: [UnsafeMutableRawPointer] = []
    var loose: UnsafeMutableRawPointer?
    var looseCount = 0
  }
  private let count: Int
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private var state = State()

  init(count: Int) { self.count = count }

  func take() -> UnsafeMutableRawPointer? { lock.withLock { state.magazines.popLast() } }

  func give(_ magazine: UnsafeMutableRawPointer) { lock.withLock { state.magazines.append(magazine) } }

  /// Takes any number; magazines are made of them when enough have come together.
  func giveRest(_ list: UnsafeMutableRawPointer?) {
    guard list != nil else { return }
    lock.withLock {
      var rest = list?.assumingMemoryBound(to: ItemNode.self)
      while let node = rest {
        rest = node.pointee.next
        node.pointee.next = state.loose?.assumingMemoryBound(to: ItemNode.self)
        let first = UnsafeMutableRawPointer(node)
        state.loose = first
        state.looseCount += 1
        if state.looseCount == count {
          state.magazines.append(first)
          state.loose = nil
          state.looseCount = 0
        }
      }
    }
  }
}
