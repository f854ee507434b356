// SampledQueues.swift: how many items each queue has had, sampled once a second: what is noted of queues in the tables
// that readers from outside find (SampleTables.swift). By it they tell for how long the oldest pending item has waited
// at least (PendingHistory, SignalboxView). The layer that has queues counts the items.
import SignalboxSystem
import SignalboxView
import SignalboxWords

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
