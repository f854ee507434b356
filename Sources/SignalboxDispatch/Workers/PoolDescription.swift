// PoolDescription.swift: pools, their lists and workers in the table that describes the process to all that read its
// memory (ProcessDescription.swift). What a reader makes of it is PoolView.swift and SharedItems.swift (SignalboxView).
import SignalboxSystem
import SignalboxWords

enum PoolDescription {
  /// The process has these pools from now on, which share these lists. Called once.
  static func write(_ pools: Pools, _ lists: PoolLists) {
    let all = Band.used.map { pools.serving($0.classes.mostUrgent) }
    let table = words(all.flatMap { $0.use { words(of: $0) } })
    let shared = words(ServiceClass.all.flatMap { lists.addresses(.items, of: $0) })
    ProcessDescription.write(.sharedShards, UInt(lists.shards))
    ProcessDescription.write(.sharedLists, shared)
    ProcessDescription.write(.poolCount, UInt(all.count))
    // Last: who finds it finds the others.
    ProcessDescription.write(.pools, table)
  }

  /// The first worker of a pool has begun, and says where in workers the words lie, before its thread's record leads a
  /// reader to it.
  static func learn(from worker: Worker) {
    if worker.isPrivate || ProcessDescription.isWritten(.threadWorker) { return }  // two that learn write the same
    let address = UInt(bitPattern: Unmanaged.passUnretained(worker).toOpaque())
    func place<Word: ~Copyable>(_ word: borrowing Word) -> UInt {
      withUnsafePointer(to: word) { UInt(bitPattern: $0) } - address
    }
    let pool = offset(of: worker.pool.address, at: address, before: place(worker.glancedAt))
    ProcessDescription.write(.workerStatus, place(worker.status))
    ProcessDescription.write(.workerThread, place(worker.threadID))
    ProcessDescription.write(.workerProgress, place(worker.progress))
    ProcessDescription.write(.workerPool, pool)
    learn(from: worker.ring)
    // Last, as above.
    ProcessDescription.write(.threadWorker, UInt(MemoryLayout<ThreadRecord>.offset(of: \.worker) ?? 0))
  }

  private static func learn(from ring: OwnRing) {
    let address = UInt(bitPattern: Unmanaged.passUnretained(ring).toOpaque()), form = ring.form
    // The words are the only thing that a ring has.
    let words = offset(of: UInt64(form.words), at: address, before: UInt(OwnRing.objectSize))
    ProcessDescription.write(.ringTail, form.tail)
    ProcessDescription.write(.ringClass, form.place)
    ProcessDescription.write(.ringSlots, form.slots)
    ProcessDescription.write(.ringCapacity, OwnRing.capacity)
    // Last, as above.
    ProcessDescription.write(.ringWords, words)
  }

  /// How far behind the address of an object a word lies that never changes and has no address that Swift would give:
  /// the only one with that value, before a place that is the object's as well. 0: there is no such word.
  private static func offset(of value: UInt64, at address: UInt, before end: UInt) -> UInt {
    // Without an array: the first of a type has the runtime make it, which the first worker of a process would pay for.
    let size = UInt(MemoryLayout<UInt64>.size)
    var place = 2 * size, found: UInt = 0
    while place < end {
      if SafeMemory.word64(address + place, isAlive: true) == value {
        if found != 0 { return 0 }
        found = place
      }
      place += size
    }
    return found
  }

  private static func words(of pool: Pool) -> [UInt64] {
    let rings = pool.rings.form
    return PoolWord.allCases.map { word in
      switch word {
      case .address: Lent(pool).address
      case .state: pool.stateAddress
      case .bound: pool.bound
      case .band: UInt64(pool.band.rawValue)
      case .rings: rings.places
      case .ringCount: rings.count
      }
    }
  }

  /// The words in memory of process life.
  private static func words(_ all: [UInt64]) -> UInt {
    let kept = UnsafeMutablePointer<UInt64>.allocate(capacity: all.count)
    kept.initialize(from: all, count: all.count)
    return UInt(bitPattern: kept)
  }
}
