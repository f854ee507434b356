// LockRow.swift: how a row about a lock is made: one loop, one floor for each load. Which rows there are is LockRows.swift.
import BenchSupport

/// A lock, and what stands beside it.
struct LockSubject: Sendable {
  /// The beginning of its rows' names.
  let name: String
  /// What readers call it.
  let lock: String
  /// What stands in the toolchain's column.
  let opponent: String
  let workload: @Sendable (_ threads: Int, _ section: Section) -> Workload

  /// A lock that the toolchain has, too, unless `beside` names the nearest to it.
  init<Lock: BenchLock>(
    _ name: String, _ lock: String, beside opponent: String? = nil, _ make: @escaping @Sendable () -> Lock
  ) {
    self.name = "lock-" + name
    self.lock = lock
    self.opponent = opponent ?? "the toolchain's"
    workload = { lockWorkload(make(), threads: $0, $1) }
  }

  /// A loop of its own, with no other thread in the way.
  init(
    _ name: String, _ lock: String, beside opponent: String?, uncontended loop: @escaping @Sendable () -> Workload
  ) {
    self.name = "lock-" + name
    self.lock = lock
    self.opponent = opponent ?? "the toolchain's"
    workload = { _, _ in loop() }
  }

  /// No other thread in the way.
  func uncontended(_ bar: Bar) -> Row {
    row(name, "take and give back \(lock)\(besideText)", .locks, bar, .swapPair, threads: 1, .short, milliseconds: 15)
  }

  /// This many threads, a short section.
  func contended(_ threads: Int, _ bar: Bar) -> Row {
    row(
      "\(name)-\(threads)-threads", "\(lock)\(besideText), wanted by \(threads) threads at once", .contendedLocks, bar,
      .contendedSwapPairs(threads: threads, handful: Section.short.handful), threads: threads, .short,
      milliseconds: Self.milliseconds(threads))
  }

  /// This many threads, a long section.
  func long(_ threads: Int, _ bar: Bar) -> Row {
    row(
      "\(name)-\(threads)-threads-long", "\(lock)\(besideText), wanted by \(threads) threads at once", .longLocks, bar,
      .longBody, threads: threads, .long, milliseconds: Self.milliseconds(threads))
  }

  /// With more threads than processors a sample spans several time slices, so that holders are interrupted, too.
  private static func milliseconds(_ threads: Int) -> Double { threads <= 2 ? 15 : threads <= 4 ? 30 : 80 }

  private var besideText: String { opponent == "the toolchain's" ? "" : " (beside it: \(opponent))" }

  private func row(
    _ name: String, _ operation: String, _ group: RowGroup, _ bar: Bar, _ floor: Floor, threads: Int, _ section: Section,
    milliseconds: Double
  ) -> Row {
    // Enough that every thread gets its share.
    let batch = Batch.elastic(minimum: threads == 1 ? 100 : threads * section.handful)
    var row = Row(name, group, operation, bar: bar, floor: floor, batch: batch, sampleMilliseconds: milliseconds) {
      workload(threads, section)
    }
    row.contest = LockContest(lock: lock, opponent: opponent, threads: threads, section: section)
    return row
  }
}

extension Row {
  /// The same row with the locks that every program could use instead beside it.
  func besidePeers() -> Row {
    guard let contest else { return self }
    var row = self
    row.peers = Peer.locks(threads: contest.threads, contest.section)
    return row
  }

  /// The same row, left out by `--quick`.
  var completing: Row {
    var row = self
    row.weight = .completing
    return row
  }
}
