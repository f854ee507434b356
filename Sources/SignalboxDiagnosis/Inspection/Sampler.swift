// Sampler.swift: what a process that may be inspected notes of itself once a second, for readers from outside: what its
// threads run, and how many items its queues have had. Where it is noted is SampleTables.swift, what readers make of it
// SignalboxView/SampleReader.swift.
import SignalboxSystem
import SignalboxWaits

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
