// ThreadRank.swift: how the kernel serves a thread among others: its niceness, whether it computes for long, how long its turns are;
// and which of that this process may change. What the kernel refuses is found out once.
import CSignalbox
import Glibc

/// Where a thread stands among others of the process.
public struct ThreadRank: Sendable, Equatable {
  /// How much niceness it has beyond what the process's threads have, where the kernel gives niceness back.
  public let niceness: Int
  /// The same where it does not: whatever waits for such a thread waits for it as it is.
  public let lastingNiceness: Int
  /// Whether the kernel knows that it computes for long, so that its wakes push nobody aside (SCHED_BATCH).
  public let isBatch: Bool
  /// How long its turns are, in nanoseconds; 0: as the kernel likes.
  public let slice: UInt64

  /// Creates a rank.
  public init(niceness: Int, lastingNiceness: Int, isBatch: Bool, slice: UInt64) {
    (self.niceness, self.lastingNiceness, self.isBatch, self.slice) = (niceness, lastingNiceness, isBatch, slice)
  }

  /// What the kernel was found to permit.
  public struct Permissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32
    /// Creates the set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Threads get more niceness.
    public static let lowering = Permissions(rawValue: 1 << 0)
    /// The policy for threads that compute for long.
    public static let batch = Permissions(rawValue: 1 << 1)
    /// Turns of a length of their own. Older kernels take the number and do nothing.
    public static let slice = Permissions(rawValue: 1 << 2)
    /// Threads get niceness back: by CAP_SYS_NICE or RLIMIT_NICE.
    public static let raising = Permissions(rawValue: 1 << 3)
  }

  // Bit 31: it is known. relaxed: a number by itself.
  private static let known = Relaxed32(0)
  private static let isKnown: UInt32 = 1 << 31

  /// What the kernel permits; nil before the first thread was lowered, or somebody asked.
  public static var permissions: Permissions? {
    let bits = known.load()
    return bits == 0 ? nil : Permissions(rawValue: bits & ~isKnown)
  }

  /// Makes sure that threads can be made after some have lowered themselves; before the first does, by one that has not. False: none
  /// may. An explorer's threads never do: it alone says who runs. Nor do those of a process that niceness does not count for.
  public static func prepare() -> Bool {
    Instruments.byte & Instruments.explorer == 0 && ThreadMaker.prepare()
  }

  /// Whether the kernel serves the calling thread by niceness. One that was made an idle or a real-time thread, as all of a process may be,
  /// is left as it is, and so are those that it makes: what `take` asks for would put some before the rest.
  public static var isOrdinary: Bool {
    let policy = sched_getscheduler(0) & ~resetsOnFork
    return policy == SCHED_OTHER || policy == batch
  }
  // Linux's SCHED_RESET_ON_FORK and SCHED_BATCH, which Glibc does not import.
  private static let resetsOnFork: Int32 = 0x4000_0000, batch: Int32 = 3

  /// Gives the calling thread, which is new, this rank as far as the kernel permits. Needs `prepare`.
  public func take() {
    guard ThreadMaker.isReady else { return }
    let permitted = Self.permissions ?? Self.findOut(self)
    guard permitted.contains(.lowering) else { return }
    settle(isBatch: isBatch && permitted.contains(.batch), slice: permitted.contains(.slice) ? slice : 0)
  }

  /// The niceness of threads that stand as the process does. Once a thread was lowered.
  public static var commonNiceness: Int { ThreadMaker.niceness }

  /// The niceness of threads of this rank beyond what the process's have.
  public var grantedNiceness: Int { Self.permissions?.contains(.raising) == true ? niceness : lastingNiceness }

  /// The same as the kernel counts it.
  public var absoluteNiceness: Int { min(19, ThreadMaker.niceness + grantedNiceness) }

  private func settle(isBatch: Bool, slice: UInt64, thread: Int32 = 0) {
    if sb_settle_thread(thread, isBatch ? 1 : 0, Int32(absoluteNiceness), slice) == 0 { return }
    _ = sb_set_niceness(thread, Int32(absoluteNiceness))
  }

  /// The shortest turns that the kernel has, in nanoseconds. The shorter they are, the sooner the next one comes; together they are as
  /// long as others' at the same niceness.
  public static var shortSlice: UInt64 { 100_000 }

  /// Gives the calling thread the shortest turns, for one that runs for some microseconds at a time: a wake then pushes aside a thread that
  /// computes where it ran last, as the kernel searches for an idle processor only among those that share a cache. Nothing else changes, and
  /// nothing at all where the kernel refuses.
  public static func takeShortTurns() {
    guard Instruments.byte & Instruments.explorer == 0, sched_getscheduler(0) == SCHED_OTHER else { return }
    let own = sb_niceness(0)
    if own > 0 { _ = sb_settle_thread(0, 0, 20 - own, shortSlice) }
  }

  /// Prefers a thread of this rank, by the kernel's number, for somebody who waits for it and is at `niceness`: it computes for long no
  /// more, its next turn comes soon, and where the kernel gives niceness back it has no more than that. Until `settleAgain`.
  public func prefer(_ thread: Int32, asAt niceness: Int) {
    guard let permitted = Self.permissions, permitted.contains(.lowering) else { return }
    let present = 20 - Int(sb_niceness(thread))  // 21: it has ended
    // Somebody more urgent may wait for it already.
    let wanted = permitted.contains(.raising) ? min(niceness, present, absoluteNiceness) : absoluteNiceness
    if permitted.contains(.batch), sb_settle_thread(thread, 0, Int32(wanted), Self.shortSlice) == 0 { return }
    _ = sb_set_niceness(thread, Int32(wanted))
  }

  /// Gives a thread of this rank, by the kernel's number, the standing that `take` has given it.
  public func settleAgain(_ thread: Int32) {
    guard let permitted = Self.permissions, permitted.contains(.lowering) else { return }
    settle(
      isBatch: isBatch && permitted.contains(.batch), slice: permitted.contains(.slice) ? slice : 0, thread: thread)
  }

  /// Tries it all on the calling thread, which ends up as low as it is to be. Two threads may both try: they find the same.
  private static func findOut(_ rank: ThreadRank) -> Permissions {
    var found: Permissions = []
    // No lower than where it may have to stay.
    let niceness = Int32(min(19, ThreadMaker.niceness + rank.lastingNiceness))
    if sb_settle_thread(0, 1, niceness, 0) == 0 { found.formUnion([.lowering, .batch]) }
    if sb_settle_thread(0, rank.isBatch && found.contains(.batch) ? 1 : 0, niceness, rank.slice) == 0 {
      found.formUnion([.lowering, .slice])
    }
    if sb_set_niceness(0, niceness) == 0 { found.insert(.lowering) }
    if niceness > ThreadMaker.niceness, sb_set_niceness(0, Int32(ThreadMaker.niceness)) == 0 { found.insert(.raising) }
    known.store(found.rawValue | isKnown)
    return found
  }
}
