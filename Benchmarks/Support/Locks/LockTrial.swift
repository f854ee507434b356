// LockTrial.swift: how evenly a lock serves many threads that want it all the time: how often each got it, and the
// longest wait.

/// One turn of a trial.
public struct LockTurn: Sendable, Equatable {
  /// How often each thread got the lock.
  public let counts: [Int]
  /// The longest time that a thread waited for it once.
  public let longestWaitNanoseconds: Double

  /// A turn's outcome.
  public init(counts: [Int], longestWaitNanoseconds: Double) {
    self.counts = counts
    self.longestWaitNanoseconds = longestWaitNanoseconds
  }

  /// Fewest ÷ most: 1 if all got the lock equally often, 0 if one never did.
  public var evenness: Double { Double(counts.min() ?? 0) / Double(max(1, counts.max() ?? 0)) }
}

/// A competitor in a trial besides the two libraries.
public struct LockTrialPeer {
  /// What it is, in a word or two.
  public let name: String
  /// Runs one turn of this many milliseconds.
  public let turn: (_ milliseconds: Double) -> LockTurn

  /// Names a competitor.
  public init(name: String, turn: @escaping (_ milliseconds: Double) -> LockTurn) {
    self.name = name
    self.turn = turn
  }
}

/// A part of the bench that asks not how fast a lock is but how evenly it serves.
public struct LockTrial {
  /// Short and unique, in kebab-case.
  public let name: String
  /// What is tried, in words.
  public let operation: String
  /// How long one turn takes.
  public let milliseconds: Double
  /// The longest that a thread may wait.
  public let longestWaitMilliseconds: Double
  /// Runs one turn of this many milliseconds.
  public let turn: (_ milliseconds: Double) -> LockTurn
  /// Further competitors.
  public let peers: [LockTrialPeer]

  /// A trial of one lock, made again for each turn, by this many threads at once.
  @inlinable
  public init<Lock: BenchLock>(
    _ name: String, _ operation: String, threads: Int, milliseconds: Double = 300, longestWaitMilliseconds: Double,
    peers: [LockTrialPeer] = [], _ make: @escaping () -> Lock
  ) {
    self.init(
      name, operation, milliseconds: milliseconds, longestWaitMilliseconds: longestWaitMilliseconds, peers: peers
    ) { lockTurn(make(), threads: threads, milliseconds: $0) }
  }

  /// A trial by its turn.
  public init(
    _ name: String, _ operation: String, milliseconds: Double, longestWaitMilliseconds: Double, peers: [LockTrialPeer],
    turn: @escaping (_ milliseconds: Double) -> LockTurn
  ) {
    self.name = name
    self.operation = operation
    self.milliseconds = milliseconds
    self.longestWaitMilliseconds = longestWaitMilliseconds
    self.peers = peers
    self.turn = turn
  }

  static let smokeMilliseconds = 5.0

  /// A few characters for a table.
  public var barText: String { Self.barText(longestWaitMilliseconds) }

  static func barText(_ limit: Double) -> String { "longest wait ≤ \(fixedText(limit, digits: 0)) ms" }
}

/// All threads want the lock from their start until the time is over. Each reads the clock before it asks and once it has the
/// lock; a wait that outlasts the turn counts in full.
@inlinable
public func lockTurn<Lock: BenchLock>(_ lock: Lock, threads: Int, milliseconds: Double) -> LockTurn {
  let ledger = LockLedger(threads: threads)
  let crew = Crew(threads: threads, division: .equalParts) { member, _ in
    var count = 0, longest = 0.0, asked = monotonicNanoseconds()
    let end = asked + milliseconds * 1e6
    while asked < end {
      var granted = 0.0
      lock.around {
        granted = monotonicNanoseconds()
        opaqueBody()
      }
      longest = max(longest, granted - asked)
      count += 1
      asked = monotonicNanoseconds()
    }
    ledger.note(member, count, longest)
  }
  _ = crew.run(threads)
  return ledger.turn
}

// SAFETY: each thread writes its own element, before the semaphore that tells the reader that it has finished.
/// What each thread of a turn saw.
@usableFromInline final class LockLedger: @unchecked Sendable {
  private let entries: UnsafeMutableBufferPointer<(count: Int, longest: Double)>

  @usableFromInline init(threads: Int) {
    entries = .allocate(capacity: threads)
    entries.initialize(repeating: (0, 0))
  }

  deinit { entries.deallocate() }

  @usableFromInline func note(_ member: Int, _ count: Int, _ longest: Double) { entries[member] = (count, longest) }

  @usableFromInline var turn: LockTurn {
    LockTurn(counts: entries.map(\.count), longestWaitNanoseconds: entries.map(\.longest).max() ?? 0)
  }
}
