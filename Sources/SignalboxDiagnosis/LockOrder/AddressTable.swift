// AddressTable.swift: from the address of a lock to what is known of it, found without a lock. What it leads to is LockRegistry.
//
// Buckets of eight entries; an address lies in the one bucket that its hash names. A full bucket makes the table double: the
// old one stays for threads that still read it, together at most as much again. A lock that is being used is not
// destroyed at that moment, so the entry found for it is its own, and does not change while it is read.
import SignalboxSystem

/// One entry: words of a table.
struct LockEntry {
  // SAFETY: points into a table, which is never freed; every access is atomic.
  private let base: UnsafeMutablePointer<Atomic64>
  static let words = 4
  init(_ base: UnsafeMutablePointer<Atomic64>) { self.base = base }

  // acquire T1: pairs with T2; the entry's other words are those of this key.
  var key: UInt { UInt(base[0].loadAcquire()) }
  // relaxed: read after the key, see T1.
  var lockClass: LockClassPointer { LockClassPointer(bits: UInt(base[1].loadRelaxed())) }
  var instance: UInt64 { base[2].loadRelaxed() }  // relaxed: read after the key, see T1

  func fill(_ address: UInt, _ lockClass: LockClassPointer, _ instance: UInt64) {
    // relaxed, both: T2 publishes them
    base[1].storeRelaxed(UInt64(lockClass.bits))
    base[2].storeRelaxed(instance)
    base[0].storeRelease(UInt64(address))  // release T2: see T1
  }
  // relaxed: a class is found whole by T4 or the lock; a thread that reads the old one has read a moment before
  func rename(_ lockClass: LockClassPointer) { base[1].storeRelaxed(UInt64(lockClass.bits)) }
  // relaxed: a thread that still reads the key finds a class and a number that were its own
  func clear() { base[0].storeRelaxed(0) }
}

/// The table. Finding is for any thread; changing is for the holder of the registry's lock.
struct AddressTable: ~Copyable, Sendable {
  // The present table: two words (mask of buckets, epoch), then the buckets. 0: none yet.
  private let current = Atomic64(0)
  private static let bucketSize = 8
  private static let header = 2
  private static let firstBuckets = 64

  private static func words(_ bits: UInt64) -> UnsafeMutablePointer<Atomic64>? {
    UnsafeMutableRawPointer(bitPattern: UInt(bits))?.assumingMemoryBound(to: Atomic64.self)
  }

  private static func bucket(_ table: UnsafeMutablePointer<Atomic64>, _ address: UInt) -> UnsafeMutablePointer<Atomic64> {
    let mixed = UInt64(address >> 2) &* 0x9E37_79B9_7F4A_7C15
    let index = Int((mixed >> 32) & table[0].loadRelaxed())  // relaxed: set before the table was published
    return table + header + index * bucketSize * LockEntry.words
  }

  /// The entry of `address`, if it was made under `epoch`.
  // acquire T3: pairs with T4; the table is whole.
  @inline(__always)
  borrowing func find(_ address: UInt, epoch: UInt64) -> LockEntry? {
    guard let table = Self.words(current.loadAcquire()), table[1].loadRelaxed() == epoch else { return nil }
    return Self.find(table, address)
  }

  @inline(__always)
  private static func find(_ table: UnsafeMutablePointer<Atomic64>, _ address: UInt) -> LockEntry? {
    let start = bucket(table, address)
    for index in 0..<bucketSize {
      let entry = LockEntry(start + index * LockEntry.words)
      if entry.key == address { return entry }
    }
    return nil
  }

  // MARK: with the registry's lock held

  /// Forgets everything: what follows is of `epoch`.
  borrowing func restartAssumingLocked(epoch: UInt64) {
    // relaxed: the registry's lock orders the threads that change the table
    guard let old = Self.words(current.loadRelaxed()) else {
      return publish(Self.make(buckets: Self.firstBuckets, epoch: epoch))
    }
    // relaxed: as above, under the lock
    let buckets = Int(old[0].loadRelaxed()) + 1
    // A thread that reads with the old epoch meets a table that has another, or entries that are being cleared: either
    // way nothing.
    old[1].storeRelaxed(epoch)  // relaxed: see above
    for index in 0..<(buckets * Self.bucketSize) { LockEntry(old + Self.header + index * LockEntry.words).clear() }
  }

  /// Adds the entry of a lock, in a table of `epoch`.
  borrowing func insertAssumingLocked(
    _ address: UInt, _ lockClass: LockClassPointer, _ instance: UInt64, epoch: UInt64
  ) -> LockEntry {
    while true {
      // relaxed: under the registry's lock
      guard let table = Self.words(current.loadRelaxed()) else {
        restartAssumingLocked(epoch: epoch)
        continue
      }
      let start = Self.bucket(table, address)
      for index in 0..<Self.bucketSize {
        let entry = LockEntry(start + index * LockEntry.words)
        if entry.key == 0 {
          entry.fill(address, lockClass, instance)
          return entry
        }
      }
      growAssumingLocked(table)
    }
  }

  private borrowing func growAssumingLocked(_ old: UnsafeMutablePointer<Atomic64>) {
    // relaxed, all: under the registry's lock
    var buckets = (Int(old[0].loadRelaxed()) + 1) * 2
    while true {
      let table = Self.make(buckets: buckets, epoch: old[1].loadRelaxed())  // relaxed: under the registry's lock
      if Self.copy(old, to: table) { return publish(table) }
      UnsafeMutableRawPointer(table).deallocate()
      buckets *= 2
    }
  }

  private static func copy(_ old: UnsafeMutablePointer<Atomic64>, to table: UnsafeMutablePointer<Atomic64>) -> Bool {
    // relaxed: under the registry's lock
    let count = (Int(old[0].loadRelaxed()) + 1) * bucketSize
    for index in 0..<count {
      let entry = LockEntry(old + header + index * LockEntry.words)
      let key = entry.key
      if key == 0 { continue }
      let start = bucket(table, key)
      guard let free = (0..<bucketSize).map({ LockEntry(start + $0 * LockEntry.words) }).first(where: { $0.key == 0 }) else {
        return false
      }
      free.fill(key, entry.lockClass, entry.instance)
    }
    return true
  }

  private static func make(buckets: Int, epoch: UInt64) -> UnsafeMutablePointer<Atomic64> {
    let count = header + buckets * bucketSize * LockEntry.words
    let raw = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: 64)
    raw.initializeMemory(as: UInt64.self, repeating: 0, count: count)
    // SAFETY: an atomic word has the layout of its integer.
    let table = raw.assumingMemoryBound(to: Atomic64.self)
    // relaxed, both: T4 publishes the table
    table[0].storeRelaxed(UInt64(buckets - 1))
    table[1].storeRelaxed(epoch)
    return table
  }

  private borrowing func publish(_ table: UnsafeMutablePointer<Atomic64>) {
    current.storeRelease(UInt64(UInt(bitPattern: UnsafeRawPointer(table))))  // release T4: see T3
  }
}
