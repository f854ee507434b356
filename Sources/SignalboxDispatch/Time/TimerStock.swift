// TimerStock.swift: memory for the entries of delays: in blocks, so that a crowd of delays costs an allocation for each 64 of them, and lies
// together. What an entry is, is TimerEntry.swift.
//
//   a block is  full of armed entries, and in no list;  partly free, and in the stock's list;  spare, all of it free, and in that list
//   take         partly free or spare -> partly free or full
//   give back    full or partly free -> partly free or spare; one spare block too many leaves the list, and is its taker's to free

/// A block of entries: this head, and behind it the entries.
struct TimerBlock {
  static let count = 64

  /// In the stock's list, which has the blocks with free entries. Of one that has left it: the next that is to be freed.
  fileprivate(set) var next: TimerBlockPointer?
  fileprivate var previous: TimerBlockPointer?
  /// The free entries, each linked to the next one.
  fileprivate var free: TimerEntryPointer?
  fileprivate(set) var freeCount = 0

  /// A block of free entries. It is the caller's, until a stock gets it.
  static func make() -> TimerBlockPointer {
    let raw = UnsafeMutableRawPointer.allocate(byteCount: offset + count * MemoryLayout<TimerEntry>.stride, alignment: 64)
    let block = raw.initializeMemory(as: TimerBlock.self, to: TimerBlock())
    let entries = (raw + offset).bindMemory(to: TimerEntry.self, capacity: count)
    for number in (0..<count).reversed() {
      (entries + number).initialize(to: TimerEntry())
      (entries + number).pointee.block = block
      block.add(entries + number)
    }
    return block
  }

  /// Where the entries begin: on a cache line of their own.
  private static var offset: Int { (MemoryLayout<TimerBlock>.size + 63) & ~63 }
}

// SAFETY: a block lives until it has left its stock with all its entries free; the lock of the stock's clock guards it.
typealias TimerBlockPointer = UnsafeMutablePointer<TimerBlock>

extension TimerBlockPointer {
  fileprivate func add(_ entry: TimerEntryPointer) {
    entry.pointee.nextFree = pointee.free
    pointee.free = entry
    pointee.freeCount += 1
  }

  fileprivate func takeFirst() -> TimerEntryPointer? {
    guard let entry = pointee.free else { return nil }
    pointee.free = entry.pointee.nextFree
    entry.pointee.nextFree = nil
    pointee.freeCount -= 1
    return entry
  }

  /// Frees this block, which nobody else knows of any more, and those behind it.
  func freeAll() {
    var block: TimerBlockPointer? = self
    while let here = block {
      block = here.pointee.next
      UnsafeMutableRawPointer(here).deallocate()
    }
  }
}

/// Guarded by the lock of its clock.
struct TimerStock: ~Copyable {
  /// More spare blocks than that go back to the allocator: what a crowd of timers took is returned when it has fired.
  static let spareLimit = 16

  private var first: TimerBlockPointer?
  private(set) var spareCount = 0

  /// Nothing is armed any more.
  deinit { first?.freeAll() }

  /// A free entry; nil if there is none: then the stock is to be given another block.
  mutating func take() -> TimerEntryPointer? {
    guard let block = first, let entry = block.takeFirst() else { return nil }
    if block.pointee.freeCount == TimerBlock.count - 1 { spareCount -= 1 }
    if block.pointee.freeCount == 0 { remove(block) }
    return entry
  }

  /// Takes over a new block.
  mutating func add(_ block: TimerBlockPointer) {
    insert(block)
    spareCount += 1
  }

  /// Takes back entries that have come due. Blocks that are too many then are added to `gone`, for the caller to free outside of the lock.
  mutating func give(_ spent: [TimerEntryPointer], gone: inout TimerBlockPointer?) {
    for entry in spent {
      guard let block = entry.pointee.block else { continue }
      block.add(entry)
      if block.pointee.freeCount == 1 { insert(block) }
      guard block.pointee.freeCount == TimerBlock.count else { continue }
      if spareCount < Self.spareLimit {
        spareCount += 1
      } else {
        remove(block)
        block.pointee.next = gone
        gone = block
      }
    }
  }

  private mutating func insert(_ block: TimerBlockPointer) {
    block.pointee.next = first
    first?.pointee.previous = block
    first = block
  }

  private mutating func remove(_ block: TimerBlockPointer) {
    let (before, after) = (block.pointee.previous, block.pointee.next)
    if let before { before.pointee.next = after } else { first = after }
    after?.pointee.previous = before
    (block.pointee.next, block.pointee.previous) = (nil, nil)
  }
}
