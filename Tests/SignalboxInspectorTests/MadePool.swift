// MadePool.swift: the pool of the made process: its table, the workers of its threads, the lists of its global queues,
// and a ring. Damage tests change its words as all others.
import SignalboxView
import SignalboxWords

extension MadeProcess {
  /// Where what of the pool lies, behind all else.
  enum PoolPlace {
    static let base = MadeMemory.base + 0x6000, pools = base, state = base + 0x40, rings = base + 0x80, shared = base + 0x100
    static let workers = base + 0x200, lists = base + 0x400, ring = base + 0x800, page = base + 0xC00, end = base + 0x1000
    /// The global queue of class `standard`.
    static let queue = Place.queue(3)
    static let list = queue + 64
  }

  /// Of a thread's record, a worker, the pool, lists and rings.
  static let poolWords: [DescribedWord: UInt64] = [
    .threadWorker: 16, .workerStatus: 16, .workerThread: 24, .workerProgress: 32, .workerPool: 40, .pools: PoolPlace.pools,
    .poolCount: 1, .sharedLists: PoolPlace.shared, .sharedShards: 2, .listStart: 64, .listSlots: 96, .ringWords: 16,
    .ringTail: 8, .ringClass: 16, .ringSlots: 64, .ringCapacity: 8,
  ]

  static func addPool(_ memory: inout MadeMemory) {
    for (word, value) in [
      (.address, PoolPlace.base), (.state, PoolPlace.state), (.bound, 4), (.band, 0), (.rings, PoolPlace.rings),
      (.ringCount, PoolPlace.rings + 64),
    ] as [(PoolWord, UInt64)] {
      memory.set(value, at: PoolPlace.pools + word.offset)
    }
    let state = PoolState(rawValue: 0).adding(PoolState.total, 3).adding(PoolState.running, 1)
    memory.set(state.rawValue, at: PoolPlace.state)
    addWorkers(&memory)
    addLists(&memory)
  }

  /// The second thread's waits, the third's runs.
  private static func addWorkers(_ memory: inout MadeMemory) {
    for number in 2...3 {
      let worker = PoolPlace.workers + UInt64(number) * 0x40
      memory.set(worker, at: Place.record + UInt64(number) * 32 + 16)
      memory.set(UInt64(number == 2 ? WorkerStatus.blocked : WorkerStatus.running), at: worker + 16)
      memory.set(UInt64(threads[number - 1]), at: worker + 24)
      memory.set(7, at: worker + 32)
      memory.set(PoolPlace.base, at: worker + 40)
    }
  }

  /// Two items in the global queue, three on a page of its second shard, one in a ring.
  private static func addLists(_ memory: inout MadeMemory) {
    for number in UInt64(0)..<10 {
      memory.set(number == 4 ? PoolPlace.list : PoolPlace.lists + number * 0x60, at: PoolPlace.shared + number * 8)
    }
    let shard = PoolPlace.lists + 5 * 0x60, page = PoolPlace.page, item = (Place.base + 0x240) | SlotKind.cFunction
    memory.set(3, at: PoolPlace.list)
    memory.set(1, at: PoolPlace.list + 16)
    for slot in UInt64(1)..<3 { memory.set(item, at: PoolPlace.list + 32 + slot * 16) }
    memory.set(page << 16 | 3, at: shard)
    memory.set(page, at: shard + 8)
    memory.set(4, at: shard + 16)
    for slot in UInt64(0)..<3 { memory.set(item, at: page + 16 + slot * 16) }
    memory.set(PoolPlace.ring, at: PoolPlace.rings)
    memory.set(1, at: PoolPlace.rings + 64)
    let words = PoolPlace.ring + 0x40
    memory.set(words, at: PoolPlace.ring + 16)
    for (place, value) in [(0, 5), (8, 6), (16, 2), (64 + 5 * 16, item)] as [(UInt64, UInt64)] {
      memory.set(value, at: words + place)
    }
  }
}
