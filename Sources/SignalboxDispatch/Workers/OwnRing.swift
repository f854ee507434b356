// OwnRing.swift: items of a global queue that a worker has made and keeps for itself, until another has nothing to do.
// A table shows thieves the rings. What lies there is taken in the order in which it came, by its worker and by thieves
// alike. When a worker may keep an item is PoolTaking.swift.
//
//   tail  how many items were put in: the worker alone writes it
//   head  how many were taken out: the worker and thieves, by swaps
//   both only grow, so that a swap which finds its head finds the slots behind it as they were read
//
//   worker W  W1 write the slot   W2 tail + 1                       W3 read head, before the slot is written again
//   thief T   T1 read head        T2 read tail, then the slots      T3 swap head
//
// T2 after W2 reads whole slots. W writes a slot again only once W3 has seen a T3 behind it, and then T's reading lies
// before the writing. A T whose slots were written meanwhile has read an older head: its swap fails.
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

final class OwnRing: Sendable {
  static let capacity: UInt64 = 256
  /// How many a thief takes at once, at most.
  static let most = 16

  // SAFETY: memory of this object, of atomic words: the head's cache line, the tail's, then the slots.
  nonisolated(unsafe) private let words: AtomicWords

  init() {
    let count = 16 + Int(Self.capacity) * 2
    let raw = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: 64)
    raw.initializeMemory(as: UInt64.self, repeating: 0, count: count)
    // SAFETY: Atomic64 is one UInt64 in memory; the words are only used as Atomic64 from here on.
    words = raw.assumingMemoryBound(to: Atomic64.self)
  }
  deinit { UnsafeMutableRawPointer(words).deallocate() }

  @inline(__always) private var head: AtomicWords { words }
  /// The class of all that lies there, by its number: changes while nothing does.
  @inline(__always) private var classWord: AtomicWords { words + 9 }
  @inline(__always) private var tail: AtomicWords { words + 8 }
  @inline(__always) private func slot(_ number: UInt64) -> AtomicWords { words + 16 + Int(number % Self.capacity) * 2 }

  /// Where the words lie, of which the head is the first, and how far behind it the others do; how long a ring itself
  /// is: for readers of the process's memory.
  var form: (words: UInt, tail: UInt, place: UInt, slots: UInt) {
    func distance(_ word: AtomicWords) -> UInt { UInt(bitPattern: word) - UInt(bitPattern: head) }
    return (UInt(bitPattern: head), distance(tail), distance(classWord), distance(slot(0)))
  }
  static let objectSize = 2 * MemoryLayout<UInt64>.size + MemoryLayout<AtomicWords>.size

  /// How many lie there; a moment's view, but for the worker as far as it takes none. seq_cst: after the caller's own swap or store, as with
  /// lists.
  @inline(__always) var count: UInt64 { tail.pointee.loadSeqCst() &- head.pointee.loadRelaxed() }  // relaxed: a moment's view
  @inline(__always) var isEmpty: Bool { count == 0 }
  /// The class of what lies there, or lay there last.
  // relaxed: the worker writes it; thieves read it between the head and their swap (T)
  @inline(__always) var serviceClass: ServiceClass { ServiceClass(known: Int(classWord.pointee.loadRelaxed())) }

  // MARK: the worker

  /// Puts an item in, for the worker itself; false if it is full or holds items of another class.
  @inline(__always) func put(_ one: Slot, of serviceClass: ServiceClass) -> Bool {
    let end = tail.pointee.loadRelaxed()  // relaxed: the worker's own
    // acquire W3: pairs with T3: who took the item that lay in the slot has read it
    let taken = head.pointee.loadAcquire()
    if end == taken {
      classWord.pointee.storeRelaxed(UInt64(serviceClass.rawValue))  // relaxed: published with the item
    } else if end &- taken >= Self.capacity || self.serviceClass != serviceClass {
      return false
    }
    let slot = slot(end)
    slot[0].storeRelaxed(one.first)  // relaxed W1: published by W2
    slot[1].storeRelaxed(one.second)  // relaxed W1: as above
    // seq_cst W2: publishes the item; and before the worker reads the pool's word: pairs with the swap of a worker that goes to sleep, and
    // its check of the rings after it
    tail.pointee.storeSeqCst(end &+ 1)
    return true
  }

  /// Whether there seems to be an item; thieves may take it meanwhile.
  // relaxed, both: a hint; the swap re-checks
  @inline(__always) var mayHold: Bool { tail.pointee.loadRelaxed() != head.pointee.loadRelaxed() }

  /// Takes the first item out.
  @inline(__always) func take() -> Slot? { mayHold ? takeFirst() : nil }

  /// One alone needs no room for others, and nobody else writes slots.
  @inline(never) private func takeFirst() -> Slot? {
    while true {
      let first = head.pointee.loadRelaxed()  // relaxed: the swap re-checks, and the slots are this thread's own stores
      if first == tail.pointee.loadRelaxed() { return nil }  // relaxed: the worker's own
      let slot = slot(first)
      let one = Slot(slot[0].loadRelaxed(), slot[1].loadRelaxed())  // relaxed, both: as above
      // acquire-release T3: the slot was read before; pairs with W3
      if head.pointee.casAcqRel(first, first &+ 1).exchanged { return one }
    }
  }

  // MARK: any thread

  /// Takes the older half out, `most` at most. Returns the first with its class; `rest` is called with the others in
  /// order.
  @inline(__always)
  func take(atMost most: Int, _ rest: (Slot, ServiceClass) -> Void) -> (one: Slot, serviceClass: ServiceClass)? {
    var taken = InlineArray<16, Slot>(repeating: Slot(0, 0))
    while true {
      let first = head.pointee.loadAcquire()  // acquire T1: before the tail
      let end = tail.pointee.loadAcquire()  // acquire T2: pairs with W2
      guard first != end else { return nil }
      let count = min((end &- first &+ 1) / 2, UInt64(most))
      // The tail was read later than the head, which may have moved on.
      guard end &- first <= Self.capacity else { continue }
      let serviceClass = serviceClass
      for number in 0..<count {
        let slot = slot(first &+ number)
        taken[Int(number)] = Slot(slot[0].loadRelaxed(), slot[1].loadRelaxed())  // relaxed, both: after T2
      }
      // acquire-release T3: the slots were read before; pairs with W3
      guard head.pointee.casAcqRel(first, first &+ count).exchanged else { continue }
      for number in 1..<max(1, count) { rest(taken[Int(number)], serviceClass) }
      return (taken[0], serviceClass)
    }
  }
}

// MARK: the rings of a pool's workers

// Thieves find them here without a lock. A ring lives forever, and is lent to one worker after another. So a thief that
// checks one whose worker has ended finds it empty, or another's.

final class RingTable: Sendable {
  private let capacity: Int
  // SAFETY: memory of this object, which lives as long as its pool, of atomic words: addresses of rings.
  nonisolated(unsafe) private let places: AtomicWords
  /// How many places are filled. They stay so.
  private let filled = Atomic64(0)
  private let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private var free: [OwnRing] = []

  /// For this many workers at once.
  init(_ workers: Int) {
    capacity = workers
    let raw = UnsafeMutableRawPointer.allocate(byteCount: workers * 8, alignment: 64)
    raw.initializeMemory(as: UInt64.self, repeating: 0, count: workers)
    // SAFETY: Atomic64 is one UInt64 in memory; the words are only used as Atomic64 from here on.
    places = raw.assumingMemoryBound(to: Atomic64.self)
  }
  deinit {
    for number in 0..<Int(filled.loadAlone()) { Unmanaged<OwnRing>.at(UInt(places[number].loadAlone())).release() }
    UnsafeMutableRawPointer(places).deallocate()
  }

  /// A ring for a worker that begins.
  func lend() -> OwnRing {
    lock.withLock {
      if let ring = free.popLast() { return ring }
      let ring = OwnRing(), number = Int(filled.loadRelaxed())  // relaxed: under the lock
      // More threads than the pool counts are those that end at this moment: such a ring is its worker's alone.
      guard number < capacity else { return ring }
      // relaxed: published by the count
      places[number].storeRelaxed(UInt64(UInt(bitPattern: Unmanaged.passRetained(ring).toOpaque())))
      filled.storeRelease(UInt64(number + 1))  // release: pairs with the acquire in `first`
      return ring
    }
  }

  /// Where the rings' addresses are written, and how many: for readers of the process's memory.
  var form: (places: UInt64, count: UInt64) {
    let count = withUnsafePointer(to: filled) { UInt64(UInt(bitPattern: $0)) }
    return (UInt64(UInt(bitPattern: places)), count)
  }

  /// Its worker has ended, and left it empty.
  func takeBack(_ ring: OwnRing) { lock.withLock { free.append(ring) } }

  /// The first ring, from the place of any number on, for which `isWanted` holds.
  @inline(__always) func first(from start: Int, where isWanted: (OwnRing) -> Bool) -> Bool {
    let count = Int(filled.loadAcquire())  // acquire: pairs with the release in `lend`
    for turn in 0..<count {
      // relaxed: after the acquire of the count
      let ring = Lent<OwnRing>(at: places[(start &+ turn) % count].loadRelaxed())
      if ring.use(isWanted) { return true }
    }
    return false
  }
}
