// MixedWalk.swift: the walk along "waits for what the next holds" over the kernel's threads: by wait records where a
// thread sleeps in a wait of Signalbox's, by the C library's mutex where it sleeps there. The walk over records alone,
// before a park, is WaitGraph.swift.
//
// The threads run while they are read, so each cycle is read twice. A thread that was not put aside in between has slept
// through it, and a record whose sequence stands belongs to one wait: then there is a moment, between the readings, at which
// every thread of the cycle waited for the next.
import CSignalbox
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

/// One scan of what threads wait for. Allocates; takes no lock of Signalbox's; never faults.
enum MixedWalk {
  /// One thread's wait for the next, and what was read of it.
  struct Edge {
    enum Proof: Equatable {
      /// The way to the word that led on.
      case record(OwnerTrail.Way, throughHolder: Bool)
      case foreign(ForeignMutex, switches: UInt64)
    }
    var part: MixedCycle.Participant
    var proof: Proof
  }

  /// The cycles that are reached from `threads`, and stand: nothing of them has moved since it was read.
  static func cycles(from threads: [Int32]) -> [MixedCycle] {
    CycleSearch.cycles(from: threads, Edge.all, next: \.part.next)
      .filter { $0.allSatisfy(\.stillStands) }.map { MixedCycle(participants: $0.map(\.part)) }
  }
}

// MARK: reading

extension MixedWalk.Edge {
  /// What `thread` waits for without limit: nothing, one thread, or each of several that are inside of what it wants
  /// alone.
  static func all(from thread: Int32) -> [Self] {
    if let entry = ThreadTable.entry(thread: thread) {
      if WaitRecord.isWaiting(entry.owner) { return recorded(entry) }
    }
    return foreign(thread).map { [$0] } ?? []
  }

  private static func foreign(_ thread: Int32) -> Self? {
    guard let switches = KernelThread.switches(thread), let mutex = ForeignMutex.awaited(by: thread) else { return nil }
    let part = MixedCycle.Participant(
      thread: thread, owner: ThreadTable.entry(thread: thread)?.owner ?? 0, kind: .foreignMutex, object: mutex.address,
      next: mutex.owner)
    return Self(part: part, proof: .foreign(mutex, switches: switches))
  }

  private static func recorded(_ entry: ThreadTable.Entry) -> [Self] {
    guard let wait = WaitReading(of: entry.owner) else { return [] }
    var trail = wait.trail
    if trail.isEmpty { return [] }
    let part = MixedCycle.Participant(
      thread: entry.thread, owner: entry.owner, sequence: wait.sequence, kind: wait.record.kind,
      object: UInt(wait.record[.object]), next: 0, since: wait.record[.since])
    switch trail.follow(for: entry.owner) {
    case .waiter, .nobody, .place: return []
    case .owner(let owner): return edge(part, to: ThreadTable.entry(owner: owner)?.thread, trail).map { [$0] } ?? []
    case .holders: return holders(of: trail.word, except: entry).compactMap { edge(part, to: $0, trail, throughHolder: true) }
    }
  }

  private static func edge(
    _ part: MixedCycle.Participant, to next: Int32?, _ trail: OwnerTrail, throughHolder: Bool = false
  ) -> Self? {
    guard let next else { return nil }
    var part = part
    part.next = next
    part.word = trail.word.address
    return Self(part: part, proof: .record(trail.way, throughHolder: throughHolder))
  }

  private static func holders(of word: OwnerWord, except waiter: ThreadTable.Entry) -> [Int32] {
    var found: [Int32] = []
    _ = ThreadTable.first { entry in
      if entry != waiter, entry.isInside(word.address) { found.append(entry.thread) }
      return false
    }
    return found
  }
}

// MARK: reading once more

extension MixedWalk.Edge {
  /// The second reading: nothing has moved since the first.
  var stillStands: Bool {
    switch proof {
    case .foreign(let mutex, let switches):
      return ForeignMutex.awaited(by: part.thread) == mutex && KernelThread.switches(part.thread) == switches
    case .record(let way, let throughHolder):
      guard let wait = WaitReading(of: part.owner), wait.sequence == part.sequence else { return false }
      return leadsOn(wait, way, throughHolder) && wait.stillStands
    }
  }

  private func leadsOn(_ wait: WaitReading, _ way: OwnerTrail.Way, _ throughHolder: Bool) -> Bool {
    var trail = wait.trail
    guard trail.goOn(along: way) else { return false }
    let answer = trail.read()
    guard throughHolder else { return ThreadTable.entry(owner: answer.owner)?.thread == part.next }
    return answer.owner == 0 && answer.blockedByHolders
      && ThreadTable.entry(thread: part.next)?.isInside(trail.word.address) == true
  }
}
