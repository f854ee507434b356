// SnapshotTaker.swift: takes a snapshot of every thread of the process: by its wait record where it sleeps in a wait of
// Signalbox's, by the kernel where it does not. The layers above add what they know (DiagnosedLayer).
import SignalboxSystem
import SignalboxView
import SignalboxWaits
import SignalboxWords

/// Takes snapshots, and knows from one to the next since when a thread has not stirred.
struct SnapshotTaker {
  /// How long a thread must have stood still, in nanoseconds.
  var patience: UInt64
  /// Threads that are left out: those of the detector itself.
  var bystanders: Set<Int32> = []
  /// How many periods a wait must have lasted before the detector stops believing that what is armed or monitored will
  /// end it.
  private static let longPeriods: UInt64 = 4
  private var stillness: [Int32: (switches: UInt64, since: UInt64)] = [:]

  init(patience: UInt64) { self.patience = patience }

  /// Whether a wait without limit has lasted for `patience`: else there is nothing to search for.
  func isDue(_ now: UInt64) -> Bool {
    for slot in 0...WaitRecord.highest {
      let record = Record(slot: slot)
      if record[.what] != 0, !record.isTimed, record[.since] &+ patience <= now { return true }
    }
    return false
  }

  /// A snapshot of the whole process. Allocates; takes no lock that a thread of the program holds for long; never faults.
  mutating func take() -> WaitSnapshot {
    var snapshot = WaitSnapshot()
    Layers.forEach { $0.addNodes(to: &snapshot) }
    let entries = Self.entries()
    let own = bystanders.union(OwnThreads.all).union([ThreadSlot.kernelID()])
    let threads = KernelThread.all()
    for thread in threads where !own.contains(thread) && snapshot.nodes[.thread(thread)] == nil {
      if let node = node(thread, entries[thread], snapshot) { snapshot.add(node) }
    }
    if OwnThreads.isCalling { snapshot.add(WaitNode(.events, .free)) }
    snapshot.addHandlers(HandledSignals.now)
    snapshot.noteMainThreadAway()
    let present = Set(threads)
    stillness = stillness.filter { present.contains($0.key) }
    return snapshot
  }

  private static func entries() -> [Int32: ThreadTable.Entry] {
    var found: [Int32: ThreadTable.Entry] = [:]
    _ = ThreadTable.first { entry in
      found[entry.thread] = entry
      return false
    }
    return found
  }

  private mutating func node(
    _ thread: Int32, _ entry: ThreadTable.Entry?, _ snapshot: WaitSnapshot
  ) -> WaitNode? {
    let key = WaitNode.Key.thread(thread)
    guard let sample = KernelThread.sample(UInt64(thread)) else { return WaitNode(key, .free) }
    // The main thread stays as a shell when it ends before the others.
    if sample.hasEnded { return WaitNode(key, .needs(.any([]))) }
    if let entry, let node = recorded(key, entry, isAsleep: sample.isWaiting, snapshot) { return node }
    // It wakes again and again, and does nothing for the program.
    if SanitizedOrder.isWatched, KernelCall(of: thread)?.isOfSanitizer == true { return WaitNode(key, .needs(.any([]))) }
    guard sample.isWaiting, let switches = stillSince(thread) else { return WaitNode(key, .free) }
    // Its time will come: it is no reason to suspect anything, and a reason that nothing is stuck for good.
    if KernelCall(of: thread)?.endsByTime == true { return WaitNode(key, .free) }
    let owner = ForeignMutex.awaited(by: thread)?.owner
    return WaitNode(key, stamp: switches, .asleep(owner.map { .all([.thread($0)]) } ?? .anyone))
  }

  /// How often the thread has stirred, if that is long enough ago.
  private mutating func stillSince(_ thread: Int32) -> UInt64? {
    guard let switches = KernelThread.switches(thread) else { return nil }
    let now = Clock.uptime()
    if let before = stillness[thread], before.switches == switches {
      return now &- before.since >= patience ? switches : nil
    }
    stillness[thread] = (switches, now)
    return patience == 0 ? switches : nil
  }

  /// The node of a thread that has left a record; nil if it has not.
  private func recorded(
    _ key: WaitNode.Key, _ entry: ThreadTable.Entry, isAsleep: Bool, _ snapshot: WaitSnapshot
  ) -> WaitNode? {
    let record = Record(of: entry.owner)
    guard let sequence = record.stableSequence, WaitRecord.isWaiting(entry.owner) else { return nil }
    let free = WaitNode(key, stamp: sequence, .free)
    guard isAsleep, let reading = WaitReading(of: entry.owner), reading.sequence == sequence,
      Clock.uptime() &- record[.since] >= patience
    else { return free }
    var wait = WaitNode.Wait(owner: entry.owner, kind: record.kind, object: UInt(record[.object]))
    wait.isLong = Clock.uptime() &- record[.since] >= Self.longPeriods * patience
    if Layers.contains({ $0.hasAnswer(wait.kind, wait.object) }) { return free }
    let object = WaitNode.Key.object(wait.object)
    let known = snapshot.nodes[object] == nil ? wait.need(of: record.ownerWords) : .all([object])
    guard let need = known else { return free }
    guard reading.stillStands else { return free }
    return WaitNode(key, stamp: sequence, .needs(need), wait: wait)
  }
}

extension WaitSnapshot {
  /// A signal may come at any time, and what the program does then may end any wait.
  mutating func addHandlers(_ signals: [Int32]) {
    // A bit for each.
    let stamp = signals.reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
    if stamp != 0 { add(WaitNode(.handlers, stamp: stamp, .asleep(.any([])))) }
  }
}

extension WaitNode.Need {
  /// What an item needs whose turn comes as these words say: an item of a dispatch queue. nil if nothing certain keeps it.
  package init?(ofTurn words: OwnerWords) {
    var wait = WaitNode.Wait(owner: .max, kind: .sync, object: 0)
    guard let need = wait.need(of: words), need != .anyone || wait.stop != .none else { return nil }
    self = need
  }
}

extension WaitNode.Wait {
  /// What the wait needs, by the words of its record; notes what is found on the way.
  ///
  /// nil: it has been answered already, or what is waited for is free to be taken: a thread that sleeps there wakes by
  /// time and takes it. For whatever else is not certainly one thread's or place's, the need is `.anyone`.
  fileprivate mutating func need(of words: OwnerWords) -> WaitNode.Need? {
    // A lock that names no holder may be free.
    var trail = OwnerTrail(words)
    if trail.isEmpty { return kind.hasLock ? nil : .anyone }
    switch trail.follow(for: owner, places: .endThere) {
    case .waiter: return nil
    case .owner(let holder): return ThreadTable.entry(owner: holder).map { .all([.thread($0.thread)]) } ?? .anyone
    case .holders: return need(ofHoldersOf: trail.word)
    case .place: return need(at: trail.word)
    case .nobody(let answer) where answer.followsNext: return .anyone
    case .nobody(let answer):
      if answer.isStopped { stop = Self.stop(trail.word.address) }
      return answer.isStopped || !trail.word.reading.tellsAll || answer.isShared ? .anyone : nil
    }
  }

  private mutating func need(at place: OwnerWord) -> WaitNode.Need {
    switch place.reading {
    case .mainThread: return .all([.mainQueue])
    case .pool: return .all([.pool])
    case .number: number = place.number
    default: break
    }
    return .anyone
  }

  private static func stop(_ queue: UInt) -> WaitNode.QueueStop {
    Layers.contains { $0.isInactive(queue) } ? .inactive(queue) : .suspended(queue)
  }

  /// All threads that are inside must come out. Those are known that wait for something themselves; the others run.
  private func need(ofHoldersOf word: OwnerWord) -> WaitNode.Need {
    var holders: [WaitNode.Key] = []
    _ = WaitRecord.contains(inside: word.address) { _, holder in
      if holder != owner, let entry = ThreadTable.entry(owner: holder) { holders.append(.thread(entry.thread)) }
      return false
    }
    return holders.isEmpty ? .anyone : .all(holders)
  }
}

extension OwnerReading {
  /// Whether no thread has it where the word names no thread.
  fileprivate var tellsAll: Bool { self != .nobody && self != .workItem && self != .foreign }
}

extension WaitKind {
  /// Whether it is a turn of a queue that is waited for.
  var isTurn: Bool { self == .sync || self == .barrierSync || self == .asyncAndWait }
  /// Whether a wait of this kind may be for a lock that is free, whose sleepers wake by time as well.
  fileprivate var hasLock: Bool { hasOwner || self == .condition || self == .nsCondition }
}
