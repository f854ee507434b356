// SnapshotTaker.swift: takes a look at every thread of the process: by its wait record where it sleeps with us, by the kernel
// where it does not. The layers above add what they know (WatchedLayer.swift).
import SignalboxSystem

/// Takes looks, and knows from one to the next since when a thread has not stirred.
struct SnapshotTaker {
  /// How long a thread must have stood still, in nanoseconds.
  var patience: UInt64
  /// Threads that are left out: those of the looking itself.
  var bystanders: Set<Int32> = []
  /// How many periods a wait must have lasted for nobody to believe that what is armed or watched will end it.
  private static let longPeriods: UInt64 = 4
  private var stillness: [Int32: (switches: UInt64, since: UInt64)] = [:]

  init(patience: UInt64) { self.patience = patience }

  /// Whether a wait without limit has lasted for `patience`: else there is nothing to look for.
  func isDue(_ now: UInt64) -> Bool {
    for slot in 0...WaitRecord.highest {
      let record = Record(slot: slot)
      if record[.what] != 0, !record.isTimed, record[.since] &+ patience <= now { return true }
    }
    return false
  }

  /// A look at the whole process. Allocates; takes no lock that a thread of the program holds for long; never faults.
  mutating func take() -> WaitSnapshot {
    var snapshot = WaitSnapshot()
    let layers = WatchedLayers.all
    for layer in layers { layer.addNodes(to: &snapshot) }
    let entries = Self.entries()
    let own = bystanders.union(StallDetector.ownThreads).union([ThreadSlot.kernelID()])
    let threads = KernelThread.all()
    for thread in threads where !own.contains(thread) && snapshot.nodes[.thread(thread)] == nil {
      if let node = node(thread, entries[thread], snapshot, layers) { snapshot.add(node) }
    }
    if StallDetector.isCalling { snapshot.add(WaitNode(.events, .free)) }
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
    _ thread: Int32, _ entry: ThreadTable.Entry?, _ snapshot: WaitSnapshot, _ layers: [any WatchedLayer]
  ) -> WaitNode? {
    let key = WaitNode.Key.thread(thread)
    guard let sample = KernelThread.sample(UInt64(thread)) else { return WaitNode(key, .free) }
    // The main thread stays as a shell when it ends before the others.
    if sample.hasEnded { return WaitNode(key, .needs(.any([]))) }
    if let entry, let node = recorded(key, entry, isAsleep: sample.isWaiting, snapshot, layers) { return node }
    guard sample.isWaiting, let switches = stillSince(thread) else { return WaitNode(key, .free) }
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
    _ key: WaitNode.Key, _ entry: ThreadTable.Entry, isAsleep: Bool, _ snapshot: WaitSnapshot, _ layers: [any WatchedLayer]
  ) -> WaitNode? {
    let record = Record(slot: entry.owner & 0xFFFF)
    guard let sequence = record.stableSequence, record.kind != .none, record[.owner] == entry.owner else { return nil }
    let free = WaitNode(key, stamp: sequence, .free)
    guard isAsleep, record.isEndless(entry.owner), Clock.uptime() &- record[.since] >= patience else { return free }
    var wait = WaitNode.Wait(owner: entry.owner, kind: record.kind, object: UInt(record[.object]))
    wait.isLong = Clock.uptime() &- record[.since] >= Self.longPeriods * patience
    if layers.contains(where: { $0.hasAnswer(wait.kind, wait.object) }) { return free }
    let object = WaitNode.Key.object(wait.object)
    let known = snapshot.nodes[object] == nil ? WaitReader(layers: layers).need(of: record, &wait) : .all([object])
    guard let need = known else { return free }
    // Last: what was read belongs to the wait it was read for.
    guard record.stableSequence == sequence else { return free }
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

extension WatchedLayer {
  /// What an item needs whose turn comes as these words say: an item of a dispatch queue. nil if nothing certain keeps it.
  package func need(ofTurn words: OwnerWords) -> WaitNode.Need? {
    var wait = WaitNode.Wait(owner: .max, kind: .sync, object: 0)
    let need = WaitReader(layers: [self]).need(of: words, &wait)
    return need == .anyone && wait.stop == .none ? nil : need
  }
}

/// What a wait needs, by the words of its record.
struct WaitReader {
  let layers: [any WatchedLayer]

  /// nil: it has been answered already, or what is waited for is free to be taken: whoever sleeps there wakes by time and
  /// takes it. Whatever else is not certainly somebody's is anyone's.
  func need(of record: Record, _ wait: inout WaitNode.Wait) -> WaitNode.Need? { need(of: record.ownerWords, &wait) }

  func need(of words: OwnerWords, _ wait: inout WaitNode.Wait) -> WaitNode.Need? {
    // A lock that tells nobody's name may be free.
    guard var trail = OwnerTrail(words) else { return wait.kind.hasLock ? nil : .anyone }
    while true {
      switch trail.word.reading {
      case .mainThread: return .all([.mainQueue])
      case .pool: return .all([.pool])
      case .anyone: return .anyone
      case .number:
        wait.number = trail.word.number
        return .anyone
      default: break
      }
      let answer = trail.read()
      if answer.owner == wait.owner { return nil }
      if answer.owner != 0 { return need(ofOwner: answer.owner) }
      if answer.blockedByHolders { return need(ofHoldersOf: trail.word, except: wait.owner) }
      if answer.isStopped { wait.stop = stop(trail.word.address) }
      guard answer.followsNext else {
        return answer.isStopped || !trail.word.reading.tellsAll || answer.isShared ? .anyone : nil
      }
      if !trail.goOn(answer) { return .anyone }
    }
  }

  private func need(ofOwner owner: UInt64) -> WaitNode.Need {
    ThreadTable.entry(owner: owner).map { .all([.thread($0.thread)]) } ?? .anyone
  }

  private func stop(_ queue: UInt) -> WaitNode.QueueStop {
    layers.contains { $0.isInactive(queue) } ? .inactive(queue) : .suspended(queue)
  }

  /// All who are inside must come out. Those are known who wait for something themselves; the others run.
  private func need(ofHoldersOf word: OwnerWord, except owner: UInt64) -> WaitNode.Need {
    var holders: [WaitNode.Key] = []
    _ = ThreadTable.first { entry in
      let record = Record(slot: entry.owner & 0xFFFF)
      if entry.owner != owner, record[.what] != 0, record[.owner] == entry.owner, record.isInside(word.address) {
        holders.append(.thread(entry.thread))
      }
      return false
    }
    return holders.isEmpty ? .anyone : .all(holders)
  }
}

extension OwnerReading {
  /// Whether nobody has it where the word names nobody.
  fileprivate var tellsAll: Bool { self != .nobody && self != .workItem && self != .foreign }
}

extension WaitKind {
  /// Whether it is a turn of a queue that is waited for.
  var isTurn: Bool { self == .sync || self == .barrierSync || self == .asyncAndWait }
  /// Whether a wait of this kind may be for a lock that is free, whose sleepers wake by time as well.
  fileprivate var hasLock: Bool { hasOwner || self == .condition || self == .nsCondition }
}
