// PoolView.swift: the pools of a process as their words had them: how many threads each has, and what each worker does.
// A worker is found by its thread's record, which has its address for as long as the thread runs: no list of workers is
// walked. What lies in the pools' lists is SharedItems.swift.
import SignalboxSystem
import SignalboxWords

/// A thread of a process, as the table of threads has it.
package struct ThreadPlace: Sendable, Equatable {
  /// What words of locks and queues name it by.
  package var owner: UInt64
  /// The kernel's number.
  package var thread: Int32
  /// Where its record is.
  package var record: UInt64

  package init(owner: UInt64, thread: Int32, record: UInt64) {
    (self.owner, self.thread, self.record) = (owner, thread, record)
  }

  package init(_ holder: SlotHolder, record: UInt64) {
    self.init(owner: holder.owner, thread: holder.kernel, record: record)
  }
}

/// A worker: each of its words is as it was at some moment between two readings that found the worker on its thread.
package struct WorkerView: Sendable, Equatable {
  /// The kernel's number of its thread.
  package var thread: Int32
  /// Its `WorkerStatus`.
  package var status: UInt32
  /// Another number for each job, and for each item of a concurrent queue.
  package var progress: UInt64
  /// The address of its pool.
  package var pool: UInt64

  /// What it does, in words.
  package var word: String { WorkerStatus.word(status) ?? "" }
}

/// One band's threads: `state` is one word, and so of one moment.
package struct PoolView: Sendable {
  package var address: UInt64
  /// The classes that it serves.
  package var name: String
  package var state: PoolState
  /// How many threads there may be.
  package var limit: UInt64
  package var workers: [WorkerView] = []
  /// How many threads are counted that have not begun; nil where threads came or went meanwhile.
  package var beginning: UInt64?
}

/// Reads pools and workers.
package struct PoolReader: Sendable {
  /// There are as many bands, and a pool for each.
  private static let mostPools: UInt64 = 3
  private let memory: ReadMemory

  package init(_ memory: ReadMemory) { self.memory = memory }

  /// Whether the process has described its pools; and its workers, which it does when the first begins.
  package var knowsPools: Bool { memory.described(.pools) != 0 }
  package var knowsWorkers: Bool { memory.described(.threadWorker) != 0 && memory.described(.workerPool) != 0 }
  /// Whether workers have begun, and none can be read: the process has not found where in a worker its pool lies.
  package var lacksWorkers: Bool { memory.described(.threadWorker) != 0 && memory.described(.workerPool) == 0 }

  // MARK: pools

  /// The pools with their workers among these threads; nil in place of one whose memory is not there, or is none of a
  /// pool.
  package func pools(_ threads: [ThreadPlace]) -> [PoolView?] {
    let before = tables.map { pool(at: $0) }
    let workers = Dictionary(grouping: threads.compactMap { worker(of: $0) }, by: \.pool)
    return zip(before, tables).map { before, table in
      guard let before, var pool = pool(at: table), pool.address == before.address else { return nil }
      pool.workers = workers[pool.address] ?? []
      let total = pool.state[PoolState.total], seen = UInt64(pool.workers.count)
      if total == before.state[PoolState.total], !lacksWorkers { pool.beginning = total - min(total, seen) }
      return pool
    }
  }

  /// Where the tables of the pools lie.
  private var tables: [UInt64] {
    guard knowsPools else { return [] }
    let count = min(memory.described(.poolCount), Self.mostPools)
    return (0..<count).map { memory.described(.pools) &+ $0 &* PoolWord.size }
  }

  private func pool(at table: UInt64) -> PoolView? {
    func word(_ word: PoolWord) -> UInt64? { memory.word64(table &+ word.offset) }
    guard let address = word(.address), let limit = word(.bound), let band = word(.band),
      let state = word(.state).flatMap({ memory.word64($0) }), let name = PoolBand.name(band)
    else { return nil }
    return PoolView(address: address, name: name, state: PoolState(rawValue: state), limit: limit)
  }

  /// Where the addresses of the pools' rings are written, and how many these are.
  var rings: [(places: UInt64, count: UInt64)] {
    tables.compactMap { table in
      guard let places = memory.word64(table &+ PoolWord.rings.offset),
        let count = memory.word64(table &+ PoolWord.ringCount.offset).flatMap({ memory.word64($0) })
      else { return nil }
      return (places, count)
    }
  }

  // MARK: workers

  /// The worker on a thread; nil if the thread has none, or has ended.
  ///
  /// A worker is freed when its thread ends, and a thread has the same from its beginning to its end: so it was there
  /// if the thread has it still, and is still the one that the table of threads had.
  package func worker(of thread: ThreadPlace) -> WorkerView? {
    let place = thread.record &+ memory.described(.threadWorker)
    guard knowsWorkers, let worker = memory.word64(place), worker != 0,
      let status = memory.word32(worker &+ memory.described(.workerStatus)), WorkerStatus.word(status) != nil,
      let number = memory.word64(worker &+ memory.described(.workerThread)),
      number == UInt64(UInt32(bitPattern: thread.thread)),
      let progress = memory.word64(worker &+ memory.described(.workerProgress)),
      let pool = memory.word64(worker &+ memory.described(.workerPool)), memory.word64(place) == worker, isThere(thread)
    else { return nil }
    return WorkerView(thread: thread.thread, status: status, progress: progress, pool: pool)
  }

  /// Whether the table of threads still has the thread.
  private func isThere(_ thread: ThreadPlace) -> Bool {
    let number = OwnerValue.slot(of: thread.owner)
    let holder = SlotHolder(owner: thread.owner, kernel: UInt32(bitPattern: thread.thread))
    return memory.word64(memory.described(.slots) &+ number &* memory.described(.slotSize)) == holder.rawValue
  }
}

// MARK: all pools of a process, and what lies in its global queues

/// What is read of a process's pools.
package struct PoolsView {
  /// Whether the process has described them; and whether it has workers, and could not describe these.
  package let isDescribed: Bool, lacksWorkers: Bool
  package let pools: [PoolView]
  /// How many pools could not be read.
  package let unread: Int
  /// The global queues, by their addresses.
  private let items: [ReadNumber: SharedItems]
  /// Of how many of them a list or ring is like none that there is.
  package var brokenLists: Int { items.values.filter(\.isBroken).count }

  /// As many items of a queue are shown.
  private static let shownItems = 3

  package init(_ copy: DescribedCopy) {
    let reader = PoolReader(copy.reading)
    // The table of threads is read anew: workers come and go.
    let found = reader.knowsPools ? reader.pools(copy.slots) : []
    (isDescribed, lacksWorkers) = (reader.knowsPools, reader.lacksWorkers)
    pools = found.compactMap { $0 }
    unread = found.count - pools.count
    let shared = SharedItemsReader(copy.reading, copy.items)?.all(first: Self.shownItems) ?? []
    items = Dictionary(shared.map { (ReadNumber($0.queue), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The queues, with what lies in the global ones.
  package func filled(_ queues: [ReadNumber: QueueView]) -> [ReadNumber: QueueView] {
    var queues = queues
    for (address, items) in items where queues[address]?.kind == .global {
      queues[address]?.pending = items.pending.map { ReadNumber($0) }
      queues[address]?.done = items.done.map { ReadNumber($0) }
      queues[address]?.next = items.next
    }
    return queues
  }
}
