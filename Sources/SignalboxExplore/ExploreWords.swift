// ExploreWords.swift: `exploreWords { }`: a body under many schedules whose points are the engine's own atomic operations, and in which
// loads may read what the memory orders allow. For tests of the engine, in a build with the trait Explore.
#if Explore
import CSignalboxExplore
import CSignalboxExploreInside

/// What loads of the engine's words may read.
public enum ExploreMemory: Sendable, CaseIterable {
  /// The newest value, always.
  case sequential
  /// Every value that the memory orders allow: see the control core's README.
  case weak
}

/// What the engine's operations are to lack: to see that an exploration finds what then goes wrong.
public struct ExploreWeakening: OptionSet, Sendable, Hashable {
  /// The bits of the core's flags.
  public let rawValue: UInt32
  /// Some of them.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Releases hand nothing on. Operations that are sequentially consistent do.
  public static let releases = Self(rawValue: SBX_WEAK_RELEASES.rawValue)
  /// Acquires take nothing over. Operations that are sequentially consistent do.
  public static let acquires = Self(rawValue: SBX_WEAK_ACQUIRES.rawValue)
  /// What is sequentially consistent acquires and releases, and no more.
  public static let totalOrder = Self(rawValue: SBX_WEAK_SEQ_CST.rawValue)
  /// Barriers of all threads do nothing.
  public static let barriers = Self(rawValue: SBX_WEAK_FENCES.rawValue)
  /// Wakes wake nobody.
  public static let wakes = Self(rawValue: SBX_WEAK_WAKES.rawValue)
}

/// Runs `body` under many schedules, each another order of its threads' operations on the engine's atomic words and, with weak memory,
/// another choice of what loads read; and throws the first failure.
///
/// Like `explore`; but queues, locks and other operations of the engine are points by their words alone, and their fast paths are what
/// is run. An operation on a word in memory that was given back is a failure.
///
/// - Parameters:
///   - memory: what loads may read.
///   - isStill: whether time stands still: where threads can go on only by a timeout, that is a deadlock. Lost wake-ups are not
///     made good by whoever checks again after a while.
///   - startsMayFail: whether one start of a thread in a run may fail. A search of all schedules has no such failures.
///   - weaker: what the operations are to lack.
///   - schedules: how many, at most.
/// - Returns: what was explored; `isExhaustive` if these are all schedules.
/// - Throws: `ExploreFailure` for a schedule that fails; `ExploreTrouble` if the system has no memory or thread left.
@discardableResult
public func exploreWords(
  memory: ExploreMemory = .weak, isStill: Bool = true, startsMayFail: Bool = false, weaker: ExploreWeakening = [],
  schedules: Int = 100_000,
  strategy: ExploreStrategy = .exhaustive, seed: UInt64 = 1, seconds: Double? = nil, file: StaticString = #filePath,
  function: StaticString = #function,
  line: UInt = #line, _ body: @escaping @Sendable () throws -> Void
) throws -> ExploreResult {
  precondition(schedules > 0, "exploreWords(schedules:): at least one schedule must be run, not \(schedules)")
  var settings = ExploreSettings(strategy: strategy, seed: seed)
  settings.words =
    SBX_ATOMICS.rawValue | (memory == .weak ? SBX_STALE_READS.rawValue : 0) | (isStill ? SBX_STILL.rawValue : 0)
    | (startsMayFail ? SBX_FAULTS.rawValue : 0) | weaker.rawValue
  settings.set(seconds: seconds)
  let place = TestPlace(file: "\(file)", function: "\(function)", line: line)
  return try Exploring.inTurn(settings, place, body) { try $0.run(UInt64(schedules)) }
}

/// From now on what the calling thread does to the engine's words is no point, or is one again. Elsewhere than in a body that is
/// explored, nothing happens.
public func exploreUnseen(_ isUnseen: Bool) { sbx_inside_unseen(isUnseen ? 1 : 0) }
#endif
