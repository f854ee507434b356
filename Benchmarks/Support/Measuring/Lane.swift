// Lane.swift: one workload made ready for sampling: warmed up, its count fitted to the wanted time of a sample.

/// Counts calls of the malloc family while switched on; the program that owns the allocator provides it.
public struct AllocationCounter: Sendable {
  /// Starts counting at zero, on all threads.
  public let start: @Sendable () -> Void
  /// Stops counting and returns the count.
  public let stop: @Sendable () -> Int

  /// A counter made of two functions.
  public init(start: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Int) {
    self.start = start
    self.stop = stop
  }
}

/// One workload of a row, with the number of calls and operations that make a sample. Every sample gets queues and threads of
/// its own, so that the luck of one memory layout shows in the interval and not as a difference between libraries.
struct Lane {
  private let prepare: () -> Workload
  private let batch: Batch
  private let pace: Pace
  private let wantedNanoseconds: Double
  private var operationsPerCall: Int
  private var calls = 1
  private var samples: [Double] = []

  private var operationsPerSample: Int { operationsPerCall * calls }

  /// Runs the workload a few times, until a sample takes about `milliseconds`.
  init(batch: Batch, milliseconds: Double, pace: Pace, prepare: @escaping () -> Workload) {
    self.prepare = prepare
    self.batch = batch
    self.pace = pace
    wantedNanoseconds = milliseconds * 1e6
    operationsPerCall = batch.smallest
    let workload = prepare()
    _ = workload.run(operationsPerCall)
    guard pace == .full else { return }
    switch batch {
    case .fixed(let count):
      operationsPerCall = count
      calls = max(1, Int((wantedNanoseconds / max(workload.run(count), 1)).rounded()))
    case .elastic: fitOperations(of: workload)
    }
  }

  /// Doubles the count until a call takes a quarter of the wanted time, then aims at it.
  private mutating func fitOperations(of workload: Workload) {
    var spent = workload.run(operationsPerCall)
    while spent < wantedNanoseconds / 4, operationsPerCall < Self.mostOperations {
      operationsPerCall *= 2
      spent = workload.run(operationsPerCall)
    }
    aim(nanosecondsPerOperation: spent / Double(operationsPerCall))
  }

  private mutating func aim(nanosecondsPerOperation cost: Double) {
    let fitting = min(Double(Self.mostOperations), wantedNanoseconds / max(cost, 0.01))
    operationsPerCall = max(batch.smallest, Int(fitting))
  }

  private static let mostOperations = 1 << 30

  /// Takes one more sample.
  mutating func sample() {
    let workload = prepare()
    _ = workload.run(batch.smallest)
    var sum = 0.0
    for _ in 0..<calls { sum += workload.run(operationsPerCall) }
    let cost = sum / Double(operationsPerSample)
    samples.append(cost)
    // Costs that jump between runs (contention) must not make the next sample take seconds.
    if pace == .full, case .elastic = batch, !(0.5...2).contains(sum / wantedNanoseconds) {
      aim(nanosecondsPerOperation: cost)
    }
  }

  /// The samples; with a counter also the allocations per operation.
  func result(counter: AllocationCounter? = nil) -> LaneResult {
    LaneResult(
      samples: samples, operationsPerSample: operationsPerSample, allocationsPerOperation: counter.map(allocationsPerOperation))
  }

  /// What the row's lock sees in a sample that no time is taken of: made again, so that its whole life is counted. nil if threads do
  /// not compete, or if the lock that was counted cannot be the row's.
  func contention(of row: Row, _ counter: LockCounter) -> LockContention? {
    guard let threads = row.contest?.threads, threads > 1 else { return nil }
    counter.start()
    _ = prepare().run(operationsPerCall)
    guard let seen = counter.stop(), seen.acquisitions >= operationsPerCall / 2 else { return nil }
    return seen
  }

  /// Counts the allocations of one call, once it has run and stocks are filled; the middle one of three counts, so that a
  /// chance neighbour does not matter.
  private func allocationsPerOperation(_ counter: AllocationCounter) -> Double {
    let workload = prepare()
    let operations = batch == .fixed(operationsPerCall) ? operationsPerCall : min(operationsPerCall, Self.countedOperations)
    _ = workload.run(operations)
    return median(
      of: (0..<3).map { _ in
        counter.start()
        _ = workload.run(operations)
        return Double(counter.stop()) / Double(operations)
      })
  }

  /// Few enough that no workload is broken off while it is being counted.
  private static let countedOperations = 5_000
}
