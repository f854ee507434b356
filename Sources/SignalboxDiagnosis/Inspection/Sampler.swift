// Sampler.swift: what a process that may be inspected notes of itself once a second, for readers from outside: what its
// threads run, and how many items its queues have had; and the tables in which it notes that. What readers make of it
// is SignalboxView/SampleReader.swift.
import CSignalbox
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

/// Samples. Its thread alone calls it: no lock is taken that a thread of the program holds for long, and nothing of the
/// program's is called.
final class Sampler: @unchecked Sendable {
  // SAFETY of @unchecked: one thread calls it.
  private let tables: SampleTables
  private var threads = SampledThreads()
  private var queues: SampledQueues

  /// How long from one sample to the next.
  static let interval: UInt64 = 1_000_000_000

  /// For the life of the process: entries name what is kept here. nil: there is no memory for it.
  static let shared = Sampler()

  private init?() {
    guard let tables = SampleTables() else { return nil }
    (self.tables, queues) = (tables, SampledQueues(into: tables))
  }

  func sample() {
    threads.sample(into: tables)
    Layers.forEach { $0.sample { queues.note($0, taken: $1, pending: $2) } }
    queues.endRound()
    tables.end(at: Clock.uptime())
  }
}

// MARK: threads

// Since when each thread runs the item that it runs, as far as sampling tells. Nothing is noted when an item begins.

/// The threads that were seen with an item. For one thread.
struct SampledThreads {
  private struct Noted: Equatable {
    let owner: UInt64
    let stamp: ItemStamp
  }
  /// By their slots.
  private var noted: [UInt64: Noted] = [:]

  /// Samples all threads, as readers from outside read them.
  mutating func sample(into tables: SampleTables) {
    let reader = ItemStampReader(.own)
    var seen: [UInt64: Noted] = [:]
    _ = ThreadTable.first { entry in
      let slot = OwnerValue.slot(of: entry.owner)
      if let stamp = reader.stamp(ofRecord: UInt64(entry.record)), ThreadTable.entry(owner: entry.owner) == entry {
        seen[slot] = Noted(owner: entry.owner, stamp: stamp)
      } else if noted[slot]?.owner == entry.owner {
        // It runs nothing, or what it runs could not be read: then the same item may be seen again.
        seen[slot] = noted[slot]
      }
      return false
    }
    for slot in noted.keys where seen[slot] == nil { tables.write(thread: slot, [0, 0, 0, 0, 0]) }
    for (slot, new) in seen where noted[slot] != new {
      // The clock is read behind the stamp: the item began before that.
      tables.write(thread: slot, [new.owner, new.stamp.progress, new.stamp.frame, new.stamp.done, Clock.uptime()])
    }
    noted = seen
  }
}

// MARK: queues

// How many items each queue has had. By it readers tell for how long the oldest pending item has waited at least
// (PendingHistory, SignalboxView). The layer that has queues counts the items.

/// Queues with pending items. For one thread.
struct SampledQueues {
  private struct Noted {
    /// Kept so that its address names no other queue's figures as long as an entry has it.
    let figures: AnyObject
    let place: Int
    var history = PendingHistory()
    var round: UInt64
  }
  private let tables: SampleTables
  /// By the addresses of their figures.
  private var noted: [UInt64: Noted] = [:]
  /// Entries that have nothing; how many were ever used; which sample this is.
  private var free: [Int] = [], used = 0, round: UInt64 = 0

  init(into tables: SampleTables) { self.tables = tables }

  /// Notes a queue, by its figures, which name it: how many items were taken off, then how many were pending. Queues
  /// beyond the room that there is are not noted.
  mutating func note(_ figures: AnyObject, taken: UInt64, pending: UInt64) {
    let address = Lent(figures).address
    guard pending > 0, let place = noted[address]?.place ?? room() else { return }
    var queue = noted[address] ?? Noted(figures: figures, place: place, round: round)
    // The clock is read behind the counts: what they have was there before.
    queue.history.note(taken: taken, pending: pending, at: Clock.uptime())
    queue.round = round
    if queue.history != noted[address]?.history { write(address, queue) }
    noted[address] = queue
  }

  /// All queues were noted that have pending items: the others' entries go.
  mutating func endRound() {
    for (address, queue) in noted where queue.round != round {
      tables.write(queue: queue.place, [0])
      free.append(queue.place)
      noted[address] = nil
    }
    round &+= 1
  }

  private mutating func room() -> Int? {
    if let place = free.popLast() { return place }
    guard used < SampleLayout.mostQueues else { return nil }
    used += 1
    tables.use(queues: used)
    return used - 1
  }

  private func write(_ address: UInt64, _ queue: Noted) {
    let samples = queue.history.samples
    tables.write(queue: queue.place, [address, UInt64(samples.count)] + samples.flatMap { [$0.submitted, $0.at] })
  }
}

// MARK: the memory in which it is noted (SampleLayout, SignalboxWords)

/// The tables, made once, for the life of the process. Pages of them that nothing was noted in take up no memory.
///
/// Only the thread that samples writes. Readers from outside compare what they read twice.
struct SampleTables: @unchecked Sendable {
  // SAFETY of @unchecked: pointers to memory of process life, all of whose words are atomic.
  private typealias Words = UnsafeMutablePointer<UnseenWord>
  private let head: Words, threads: Words, queues: Words

  /// nil: the kernel has no room for them.
  init?() {
    let sizes = [
      SampleLayout.headWords, Int(SB_SLOT_COUNT) * SampleLayout.threadWords, SampleLayout.mostQueues * SampleLayout.queueWords,
    ]
    guard let start = Memory.mapZeros(sizes.reduce(0, +) * 8) else { return nil }
    // SAFETY: an atomic word has the layout of its integer, and zeros are one.
    head = start.assumingMemoryBound(to: UnseenWord.self)
    threads = head + sizes[0]
    queues = threads + sizes[1]
    set(.threads, UInt(bitPattern: threads))
    set(.threadCount, UInt(SB_SLOT_COUNT))
    set(.queues, UInt(bitPattern: queues))
    ProcessDescription.write(.samples, UInt(bitPattern: head))
  }

  private func set(_ word: SampleHead, _ value: UInt) { set(word, UInt64(value)) }
  private func set(_ word: SampleHead, _ value: UInt64) {
    head[word.rawValue].storeRelease(value)  // release: what it stands for was written before
  }

  /// A sample is whole that was taken at `now` of uptime.
  func end(at now: UInt64) { set(.last, now) }
  /// Only the first `count` queues' entries may have something.
  func use(queues count: Int) { set(.queuesUsed, UInt64(count)) }

  /// What is noted of the thread in a slot: from the owner value on.
  func write(thread slot: UInt64, _ words: [UInt64]) { write(threads + Int(slot) * SampleLayout.threadWords, words) }
  /// What is noted of a queue: from the address of its figures on.
  func write(queue place: Int, _ words: [UInt64]) { write(queues + place * SampleLayout.queueWords, words) }

  private func write(_ entry: Words, _ words: [UInt64]) {
    let sequence = entry[0].loadRelaxed()  // relaxed: only this thread writes it
    entry[0].storeRelease(sequence &+ 1)  // release: a reader of a word below finds this one odd afterwards, or another
    for (place, word) in words.enumerated() { entry[1 + place].storeRelease(word) }  // release: as above
    entry[0].storeRelease(sequence &+ 2)  // release: behind all of them
  }
}
