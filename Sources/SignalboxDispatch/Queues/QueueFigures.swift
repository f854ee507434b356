// QueueFigures.swift: what is counted of one queue while figures are on, and the list of all queues that are counted. Which items are
// sampled is FigureSampling.swift; what a program sees of it is Snapshot in Signalbox.
//
// Items are not counted one by one: the queue's positions tell how many there were. `before` is the number of items taken off before
// those of the page on which `head` stands; it changes where the list turns back, and where it goes on to another page.
//
//   INV-1  items taken off == before + index(head)   while `sequence` is even
//   INV-2  pages linked behind the one with `head` == linked - left, at most one more while a page is being linked
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

final class QueueFigures: @unchecked Sendable {
  // SAFETY of @unchecked: the words are atomic; `queueIsThere` is guarded by `lock`, `place` by the registry's lock.
  // No reference to the queue, not even for a moment: whoever lets go of the last one frees the queue, and takes both locks.
  let label: String
  let qos: DispatchQoS.QoSClass
  /// Where the queue is, or was.
  let address: UInt
  let kind: QueueKind
  let isWorkloop: Bool
  // SAFETY: the queue's own words, read while it is there: by the list's owner, or under `lock` while `queueIsThere`.
  private let head, tail, state, target: UnsafePointer<Atomic64>
  private let limit: UnsafePointer<Atomic32>
  private let lock = UnfairLock()
  private var queueIsThere = true
  /// Odd while the owner of the list changes `before` and `head` together.
  private let sequence = Atomic64(0)
  private let before: Atomic64
  private let linked = Atomic64(0)
  private let left = Atomic64(0)
  let waits = WaitCounts()
  fileprivate var place = -1

  /// `head`: what is taken off from there on counts.
  init(_ queue: DispatchQueue, head: UInt64) {
    (label, qos) = (queue.name, queue.qos.qosClass)
    (address, kind, isWorkloop) = (queue.address, queue.kind, queue.isWorkloop)
    (self.head, tail) = (queue.headWord, queue.tailWord)
    (state, target, limit) = (queue.stateWord, queue.targetWord, queue.limitWord)
    before = Atomic64(0 &- DispatchQueue.index(head))
  }

  // MARK: the owner of the list, and pushers

  /// A pusher, whose claim lies behind the last page's end, is about to link a page. relaxed: statistics
  func linkedPage() { _ = linked.addRelaxed(1) }

  /// The owner goes on to the next page by `change`, from one with this many slots.
  @inline(__always) func goesOn(after slots: UInt64, _ change: () -> Void) {
    changes {
      change()
      before.storeRelease(before.loadRelaxed() &+ slots)  // relaxed: the owner's. release, both: see `changes`
      left.storeRelease(left.loadRelaxed() &+ 1)  // relaxed, release: as above
    }
  }

  /// The owner turns the list back by `change`, which says whether it was empty; this many items were taken off the page.
  @inline(__always) func turnsBack(after slots: UInt64, _ change: () -> Bool) {
    let pages = linked.loadRelaxed()  // relaxed: before the swap in `change`, which fails if a page is linked meanwhile
    changes {
      guard change() else { return }
      before.storeRelease(before.loadRelaxed() &+ slots)  // relaxed, release: as in `goesOn`
      left.storeRelease(pages)  // release: see `changes`
    }
  }

  @inline(__always) private func changes(_ body: () -> Void) {
    let number = sequence.loadRelaxed()  // relaxed: the owner's alone to write
    // Each word in `body` is stored with release: who reads one of them by an acquire sees that the number is odd, or has changed.
    sequence.storeRelease(number &+ 1)  // release: pairs with the acquires in `counts`
    body()
    sequence.storeRelease(number &+ 2)  // release: after all of them, in the same way
  }

  // MARK: reading

  /// How many items were taken off, and how many are pending: of one moment, or nearly.
  fileprivate var counts: (done: UInt64, pending: UInt64) {
    var rounds = 0
    while true {
      let seen = countsSeen
      rounds += 1
      // An owner that has lost its processor in between is not waited for.
      if seen.isWhole || rounds > 100 { return (seen.done, seen.pending) }
      spinPause()
    }
  }

  /// The same, read once. `isWhole`: it is of one moment.
  var countsSeen: (done: UInt64, pending: UInt64, isWhole: Bool) {
    // acquire, all: in this order, so that what stands between two equal even numbers belongs together
    let number = sequence.loadAcquire()
    let (done, head, tail) = (before.loadAcquire(), head.pointee.loadAcquire(), tail.pointee.loadAcquire())
    let pages = linked.loadAcquire() &- left.loadAcquire()  // acquire: as told above
    let isWhole = number & 1 == 0 && sequence.loadAcquire() == number
    return (done &+ DispatchQueue.index(head), Self.pending(head, tail, pages: pages), isWhole)
  }

  /// How many items lie between two positions, with this many pages linked behind the first. Pushers that wait for a page have counted past
  /// the end of the last one.
  static func pending(_ head: UInt64, _ tail: UInt64, pages: UInt64) -> UInt64 {
    let (first, last) = (DispatchQueue.page(head), DispatchQueue.page(tail))
    let end = min(DispatchQueue.index(tail), DispatchQueue.capacity(last))
    if first == last { return end - min(end, DispatchQueue.index(head)) }
    let between = Int64(bitPattern: pages) > 1 ? min(pages - 1, 1 << 32) : 0
    return DispatchQueue.capacity(first) - DispatchQueue.index(head) + between * ItemPage.slotCount + end
  }

  /// Nil once the queue has gone.
  fileprivate var figure: QueueFigure? {
    let counts: (done: UInt64, pending: UInt64)? = lock.withLock { queueIsThere ? self.counts : nil }
    return counts.map { QueueFigure(label: label, qos: qos, pending: $0.pending, done: $0.done, waits: waits.all) }
  }

  /// What the queue's words say at one moment.
  struct Words {
    var state: QueueState
    var target: UInt
    var limit: UInt32
    var done, pending: UInt64
    /// What lies behind less urgent items.
    var urgency: PendingUrgency?
  }
  /// The queue's words, for whoever must not wait for a thread that may be stuck: nil where somebody keeps the lock; nil in it once the
  /// queue has gone.
  var wordsSoon: Words?? {
    lock.withLockSoon { () -> Words? in
      guard queueIsThere else { return nil }
      let counts = counts
      let urgency = counts.pending > 1 && kind != .global ? PendingUrgency(in: address, qos) : nil
      // What was read lay there if nothing was taken off meanwhile.
      let isSame = urgency != nil && self.counts.done == counts.done
      // acquire, all: a moment's view of words that change by themselves
      return Words(
        state: QueueState(rawValue: state.pointee.loadAcquire()), target: UInt(target.pointee.loadAcquire()),
        limit: limit.pointee.loadAcquire(), done: counts.done, pending: counts.pending, urgency: isSame ? urgency : nil)
    }
  }

  /// The thread that has the queue, by its owner value, and how many items were taken off; nil where nobody has it, somebody keeps the lock, or
  /// the queue has gone.
  var turnSoon: (owner: UInt64, done: UInt64)? {
    let turn = lock.withLockSoon { () -> (owner: UInt64, done: UInt64)? in
      guard queueIsThere else { return nil }
      // acquire: a moment's view of words that change by themselves
      let owner = QueueState(rawValue: state.pointee.loadAcquire())[QueueState.owner]
      return owner == 0 ? nil : (owner, counts.done)
    }
    return turn ?? nil
  }

  /// The first items that lie in the queue; none where one was taken off meanwhile, or somebody keeps the lock, or the queue has gone.
  func firstItemsSoon(_ most: Int) -> [RunningItem] {
    let found = lock.withLockSoon { () -> [RunningItem] in
      guard queueIsThere else { return [] }
      let done = counts.done, items = PendingItems(firstIn: address, atMost: most).items
      return counts.done == done ? items : []
    }
    return found ?? []
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
  private static let origin = (ticks: Clock.ticks(), uptime: Clock.uptime())
  /// How long a tick of the processor's counter lasts.
  package static var secondsPerTick: Double {
    let (ticks, time) = (Clock.ticks() &- origin.ticks, Clock.uptime() &- origin.uptime)
    return ticks == 0 ? 0 : Double(time) / Double(ticks) / 1e9
  }

  /// Queues are counted from now on, each from its next drain.
  package static func start() {
    _ = origin
    FigureSampling.prepare()
    for place in 0..<GlobalQueues.count { GlobalQueues.processes.root(place).use { $0.count() } }
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
    if figures != nil || Instruments.isForkedChild || Instruments.byte & Instruments.explorer != 0 { return }
    if !FigureSampling.isPrepared { EngineFigures.start() }  // the environment has set the bit alone
    // acquire: a position, and nothing is read behind it
    let extras = extrasMade(), made = QueueFigures(self, head: head.loadAcquire())
    let reference = Unmanaged.passRetained(made)
    // acquire-release: publishes the object; pairs with the acquire in `figures`
    guard extras.figures.casAcqRel(0, UInt64(UInt(bitPattern: reference.toOpaque()))).exchanged else {
      return reference.release()
    }
    EngineFigures.add(made)
  }
}

extension DispatchQueue {
  /// The queue is new, and the program lets itself be inspected: it is to be seen though nobody may ever drain it. Global queues may be in
  /// the making, and are counted later; sources are no queues to the program.
  @inline(never) final func countFromTheBeginning() {
    guard InspectionPlace.isWanted else { return }
    _ = ThreadSlot.owner()  // the environment is read with the first, and the thread made that answers
    guard kind != .global, kind != .main, !isOfSource else { return }
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
