// QueueFigures.swift: what is counted of one queue while figures are on, and the list of all queues that are counted. Which items are
// sampled is FigureSampling.swift, how items are counted Lists/ListCounts.swift; what a program sees of it is Snapshot in Signalbox.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxView
import SignalboxWords

final class QueueFigures: @unchecked Sendable {
  // SAFETY of @unchecked: the words are atomic; `queueIsThere` and `history` are guarded by `lock`, `place` by the
  // registry's lock. No reference to the queue, not even for a moment: the thread that drops the last one frees it,
  // and takes both locks.
  let label: String
  let qos: DispatchQoS.QoSClass
  /// Where the queue is, or was.
  let address: UInt
  let kind: QueueKind
  // SAFETY: the queue's own words, read while it is there: by the list's owner, or under `lock` while `queueIsThere`.
  private let list: UnsafePointer<ItemList>
  private let lock = UnfairLock()
  private var queueIsThere = true
  /// What was counted at each snapshot of figures, and by the sampler.
  private var history = PendingHistory()
  let counts: ListCounts
  let waits = WaitCounts()
  fileprivate var place = -1

  init(_ queue: DispatchQueue) {
    (label, qos) = (queue.name, queue.qos.qosClass)
    (address, kind, list) = (queue.address, queue.kind, queue.listWords)
    EngineFigures.countingBegins()
    // acquire: nothing is read behind the position
    counts = ListCounts(from: ListPosition(word: list.pointee.head.loadAcquire()))
  }

  // MARK: reading

  /// Nil once the queue has gone.
  fileprivate var figure: QueueFigure? {
    let seen = lock.withLock { () -> (counts: ListCounts.Seen, oldest: UInt64?)? in
      guard queueIsThere else { return nil }
      let seen = counts.of(list)
      return (seen, since(seen))
    }
    return seen.map { seen in
      let oldest = seen.oldest.map { Double(Clock.uptime() &- $0) / 1e9 }
      return QueueFigure(
        label: label, qos: qos, pending: seen.counts.pending, done: seen.counts.done, oldest: oldest, waits: waits.all)
    }
  }

  /// Notes what was counted, and tells since when the oldest item has waited at least, of those that were there when it
  /// was counted before. With the lock held.
  private func since(_ seen: ListCounts.Seen) -> UInt64? {
    // Items of global queues lie in the pool's lists; counts that are not of one moment may be too high.
    guard kind != .global, seen.isWhole else { return nil }
    let since = history.since(taken: seen.done)
    history.note(taken: seen.done, pending: seen.pending, at: Clock.uptime())
    return since
  }

  /// How many items were taken off the queue since it was made, then how many are pending, for the sampler: nil where
  /// that changes too fast, a thread keeps the lock, or the queue has gone. An item that is taken off in between is
  /// left out.
  private var passedSoon: (taken: UInt64, pending: UInt64)? {
    let passed = lock.withLockSoon { () -> (taken: UInt64, pending: UInt64)? in
      guard queueIsThere else { return nil }
      // acquire, all: in this order, so that what stands between two equal even numbers belongs together
      let before = list.pointee.taken.loadAcquire(), head = ListPosition(word: list.pointee.head.loadAcquire())
      guard before & 1 == 0, list.pointee.taken.loadAcquire() == before else { return nil }  // acquire: as told above
      let seen = counts.seen(list)
      _ = since(seen)
      return seen.isWhole ? ((before >> 1) &+ head.index, seen.pending) : nil
    }
    return passed ?? nil
  }

  fileprivate func sample(_ note: (_ queue: AnyObject, _ taken: UInt64, _ pending: UInt64) -> Void) {
    // Those of global queues lie in the pool's lists.
    if kind != .global, let passed = passedSoon, passed.pending > 0 { note(self, passed.taken, passed.pending) }
  }

  /// The queue's memory goes after this.
  fileprivate func queueGoes() { lock.withLock { queueIsThere = false } }
}

/// One queue's figures at one moment.
package struct QueueFigure: Sendable {
  /// The queue's label.
  package var label: String
  /// Its class.
  package var qos: DispatchQoS.QoSClass
  /// Items that lie in it.
  package var pending: UInt64
  /// Items taken off it since it is counted.
  package var done: UInt64
  /// For how long its oldest item has waited at least, in seconds; nil: it has come since figures were asked for last.
  package var oldest: Double?
  /// Sampled items by how long they have waited (WaitBucket), up to the last bucket that has any.
  package var waits: [UInt32]
}

/// The queues that are counted.
///
/// A queue is added when it is drained for the first time while figures are on: adding costs an allocation and a lock, which is too much
/// for a queue that nobody asks about.
package enum EngineFigures {
  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var counted: [QueueFigures] = []

  /// Whether queues are counted.
  package static var isOn: Bool { Instruments.byte & Instruments.figures != 0 && !Instruments.isForkedChild }

  /// When figures were first on, by both clocks.
  private static let origin: (ticks: UInt64, uptime: UInt64) = {
    let now = (ticks: Clock.ticks(), uptime: Clock.uptime())
    FiguresDescription.write(origin: now)
    return now
  }()
  /// How long a tick of the processor's counter lasts.
  package static var secondsPerTick: Double {
    let (ticks, time) = (Clock.ticks() &- origin.ticks, Clock.uptime() &- origin.uptime)
    return ticks == 0 ? 0 : Double(time) / Double(ticks) / 1e9
  }
  /// A queue is counted: from now on, at the latest, both clocks are compared.
  fileprivate static func countingBegins() { _ = origin }

  /// Queues are counted from now on, each from its next drain.
  package static func start() {
    _ = origin
    FigureSampling.prepare()
    for serviceClass in ServiceClass.all { GlobalQueues.processes.root(serviceClass).use { $0.count() } }
    Instruments.set(Instruments.figures, mask: Instruments.figures)
  }

  /// No more queues are added and no more items sampled; what is known stays.
  package static func stop() { Instruments.set(0, mask: Instruments.isForkedChild ? 0 : Instruments.figures) }

  /// The figures of all queues that are counted.
  package static func queues() -> [QueueFigure] {
    if Instruments.isForkedChild { return [] }
    // The lock is held for one retain, so that whoever reads in a loop does not keep queues from coming and going.
    let all = lock.withLock { counted }
    return all.compactMap(\.figure)
  }

  /// The queues that are counted, for whoever must not wait for a thread that may be stuck.
  static var countedSoon: [QueueFigures]? { lock.withLockSoon { counted } }

  /// Notes the queues that have pending items, and how long a tick lasts.
  static func sample(_ note: (_ queue: AnyObject, _ taken: UInt64, _ pending: UInt64) -> Void) {
    if Instruments.isForkedChild { return }
    for figures in countedSoon ?? [] { figures.sample(note) }
    FiguresDescription.write(secondsPerTick: secondsPerTick)
  }

  fileprivate static func add(_ figures: QueueFigures) {
    lock.withLock {
      figures.place = counted.count
      counted.append(figures)
    }
  }

  static func remove(_ figures: QueueFigures) {
    if Instruments.isForkedChild { return }
    figures.queueGoes()
    lock.withLock {
      let last = counted.removeLast()
      guard last !== figures else { return }
      counted[figures.place] = last
      last.place = figures.place
    }
  }
}

extension DispatchQueue {
  /// What is counted of the queue; nil if nothing is.
  @inline(__always) final var figures: Lent<QueueFigures>? {
    // acquire: pairs with the swap in `extrasMade`; 0 for most queues
    let bits = extrasBits.loadAcquire()
    return bits == 0 ? nil : figures(bits)
  }
  @inline(never) private final func figures(_ extras: UInt64) -> Lent<QueueFigures>? {
    // acquire: pairs with the swap in `count`
    Lent<QueueExtras>.inWord(extras)?.use { .inWord($0.figures.loadAcquire()) }
  }

  /// Counts the queue from now on, if it is not counted. Exact for the owner of the list; for others but for what it takes off meanwhile.
  @inline(never) final func count() {
    if figures != nil || Instruments.isForkedChild || Exploration.isOn { return }
    if !FigureSampling.isPrepared { EngineFigures.start() }  // the environment has set the bit alone
    let extras = extrasMade(), made = QueueFigures(self)
    let reference = Unmanaged.passRetained(made)
    // acquire-release: publishes the object; pairs with the acquire in `figures`
    guard extras.figures.casAcqRel(0, UInt64(UInt(bitPattern: reference.toOpaque()))).exchanged else {
      return reference.release()
    }
    _ = list.count(by: made.counts)
    FiguresDescription.learn(from: made, extras, self)
    EngineFigures.add(made)
  }
}

extension DispatchQueue {
  /// The queue is new, and the program lets itself be inspected: it is to be seen though nobody may ever drain it. Global queues may be in
  /// the making, and are counted later; sources are no queues to the program.
  @inline(never) final func countFromTheBeginning() {
    guard InspectionRequest.isWanted else { return }
    _ = ThreadSlot.owner()  // the environment is read with the first, and the thread made that answers
    guard !isRoot, !isMain, isKnownToProgram else { return }
    FigureSampling.prepare()
    count()
  }
}

extension QueueExtras {
  /// The queue goes.
  func freeFigures() {
    // acquire: pairs with the swap in `count`; nobody else has a reference to the queue any more
    let bits = figures.exchangeAcqRel(0)
    guard bits != 0 else { return }
    let figures = Unmanaged<QueueFigures>.at(UInt(bits)).takeRetainedValue()
    EngineFigures.remove(figures)
  }
}
