// RingTable.swift: the rings of a pool's workers, where thieves find them without a lock. A ring lives forever, and is lent to one worker
// after another: so who checks one whose worker has ended finds it empty, or another's.
import SignalboxLocks
import SignalboxSystem

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
