// PoolList.swift: a list that workers share: any of them takes from it, one item at a time, under a lock that is held for a few
// instructions. Which lists there are, and in which order they are served, is PoolLists.swift and PoolTaking.swift.
import SignalboxSystem
import SignalboxWords

/// A list of what the pool holds: items of global queues, and turns of queues and its lock, wherever they lie.
struct PoolList: Sendable {
  // SAFETY: both lie in memory of process life.
  nonisolated(unsafe) private let items: UnsafePointer<ItemList>
  nonisolated(unsafe) private let lock: UnsafePointer<Atomic32>

  /// `lock` is 0 while nobody takes.
  init(_ items: UnsafePointer<ItemList>, lock: UnsafePointer<Atomic32>) { (self.items, self.lock) = (items, lock) }

  /// A list in memory of its own, of process life: what pushers write begins a cache line, and what takers write begins another.
  static func made() -> PoolList {
    let size = (MemoryLayout<ItemList>.size + 63) & ~63
    let raw = UnsafeMutableRawPointer.allocate(byteCount: size + 64, alignment: 64)
    let items = raw.bindMemory(to: ItemList.self, capacity: 1), lock = (raw + size).bindMemory(to: Atomic32.self, capacity: 1)
    items.initialize(to: ItemList())
    lock.initialize(to: Atomic32(0))
    return PoolList(items, lock: lock)
  }
  /// The lock of a list that lies elsewhere, of process life: alone on its cache line.
  static func madeLock() -> UnsafePointer<Atomic32> {
    let lock = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64).bindMemory(to: Atomic32.self, capacity: 1)
    lock.initialize(to: Atomic32(0))
    return UnsafePointer(lock)
  }

  /// Where the items lie.
  var address: UInt64 { UInt64(UInt(bitPattern: items)) }

  @inline(__always) var isEmpty: Bool { items.pointee.isEmpty }
  var hasFewPending: Bool { items.pointee.hasFewPending }
  /// Where the first item lies: another word once something was taken. relaxed: two readings are compared
  var headMark: UInt64 { items.pointee.head.loadRelaxed() }

  /// Adds one for whoever the pool tells.
  @inline(__always) func append(_ one: Slot) { items.pointee.append(one) }

  enum Taken {
    case nothing
    /// The first item. `cameMeanwhile`: items have come while the list turned back, and a searcher may have gone to sleep over it: the
    /// pool is to be notified.
    case one(Slot, cameMeanwhile: Bool)
  }

  /// Takes the first item, if `isServed`, which is asked when there is one: it is of a time after that item was submitted. `more`, if there is,
  /// says how many further ones are to be taken along, and is then called with each.
  @inline(__always) func take(where isServed: () -> Bool = { true }, more: More? = nil) -> Taken {
    if isEmpty { return .nothing }
    guard acquireUnlessEmpty() else { return .nothing }
    let owned = OwnedList(owned: items)
    let first = owned.first()
    guard first != 0, isServed() else {
      release()
      return .nothing
    }
    let one = owned.takeFirst(first)
    if let more { takeAlong(owned, more) }
    let cameMeanwhile = owned.turnBackUnderLock()
    release()
    return .one(one, cameMeanwhile: cameMeanwhile)
  }

  /// Items that are taken along with the first: where they go, and by how many workers what is pending here is to be shared.
  struct More {
    let ring: OwnRing
    let serviceClass: ServiceClass
    let workers: UInt64
    static let most: UInt64 = 15

    /// How many of `pending` items one of `workers` takes along: half of its part.
    static func count(of pending: UInt64, for workers: UInt64) -> UInt64 { min(most, pending / (2 * max(1, workers))) }

    /// How many of `running` workers come to one of `shards`, into which what is submitted is divided: each starts at another one.
    static func workers(of running: UInt64, shards: Int) -> UInt64 { (running + UInt64(shards) - 1) / UInt64(shards) }
  }
  private func takeAlong(_ owned: borrowing OwnedList, _ more: More) {
    let pending = items.pointee.pendingOnPage ?? ItemPage.slotCount
    for _ in 0..<More.count(of: pending, for: more.workers) {
      let first = owned.first()
      if first == 0 { return }
      // The ring is the caller's and empty, so there is room.
      _ = more.ring.put(owned.takeFirst(first), of: more.serviceClass)
    }
  }

  /// Calls `body` with the first `most` items. The lock is held meanwhile: for a few microseconds.
  func forEach(atMost most: Int, _ body: (Slot) -> Void) {
    guard acquireUnlessEmpty() else { return }
    OwnedList(owned: items).forEach(atMost: most, body)
    release()
  }

  @inline(__always) private func acquireUnlessEmpty() -> Bool {
    var spinner = Spinner()
    // acquire: pairs with the release below; the list's position travels with the lock.
    while !lock.pointee.casAcquire(0, 1).exchanged {
      if isEmpty { return false }
      spinner.wait()
    }
    return true
  }
  @inline(__always) private func release() { lock.pointee.storeRelease(0) }  // release: pairs with the acquire above
}
