// BenchLock.swift: the one loop that every lock of the bench runs, whichever library the lock is from. The competitors
// from outside both libraries are LockPeers.swift.

/// A lock in the bench's dress: a value around one lock object.
public protocol BenchLock: Sendable {
  /// Runs `body` while holding the lock. To be inlined, so that nothing but the lock is measured.
  func around(_ body: () -> Void)
}

/// How long the lock is held.
public enum Section: Sendable, Equatable {
  /// One opaque call.
  case short
  /// About one and a half microseconds.
  case long

  /// How many operations a thread takes at a time: ten to twenty microseconds' worth, so that the taking hardly counts.
  public var handful: Int { self == .short ? 1_024 : 8 }
}

/// What a row about locks shows, for the chart.
public struct LockContest: Sendable, Equatable {
  /// The lock.
  public let lock: String
  /// What stands in the toolchain's column.
  public let opponent: String
  /// How many threads want it at once.
  public let threads: Int
  /// How long they hold it.
  public let section: Section

  /// Describes a contest.
  public init(lock: String, opponent: String, threads: Int, section: Section) {
    self.lock = lock
    self.opponent = opponent
    self.threads = threads
    self.section = section
  }
}

/// Takes the lock and gives it back, again and again, on this many threads at once.
@inlinable
public func lockWorkload<Lock: BenchLock>(_ lock: Lock, threads: Int, _ section: Section) -> Workload {
  guard threads > 1 else { return .timed { count in takeTurns(lock, count, section) } }
  let crew = Crew(threads: threads, handful: section.handful) { _, share in takeTurns(lock, share, section) }
  return .selfTimed { count in crew.run(count) }
}

@inlinable @inline(__always)
func takeTurns<Lock: BenchLock>(_ lock: Lock, _ count: Int, _ section: Section) {
  switch section {
  case .short: for _ in 0..<count { lock.around { opaqueBody() } }
  case .long: for _ in 0..<count { lock.around { opaqueWork() } }
  }
}
