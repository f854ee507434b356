// DispatchQueue+Turn.swift: when a drain gives way to others before its list is empty: to work in the pool, to what waits for the
// queues around, to a thread that insists. README.md: "Giving way". Running items is DispatchQueue+Drain.swift.
import SignalboxSystem

/// How many items a serial queue's drain runs before it checks whether others are to come first. Pure.
struct DrainBudget {
  /// Items between two checks of the pool.
  static let items = 64

  /// How many items run until the next check of either kind.
  private(set) var stretch: Int
  /// Items of the turn, and until the next check of the pool, beyond those.
  private(set) var turn: Int
  private(set) var pool: Int
  private var isFirst = true

  /// `turn`: how many items run, inside another queue, before the drain checks whether that one is waited for.
  init(turn length: Int) {
    stretch = min(length, DrainBudget.items)
    (turn, pool) = (length - stretch, DrainBudget.items - stretch)
  }

  /// Whether no item has run yet, with `left` of the stretch still to run.
  func isUntouched(_ left: Int) -> Bool { isFirst && left == stretch }

  /// The stretch has run, and nobody is to come first. `length`: of the next turn, should this one be over.
  mutating func goOn(turn length: @autoclosure () -> Int) {
    let (items, checks) = (turn > 0 ? turn : length(), pool > 0 ? pool : DrainBudget.items)
    stretch = min(items, checks)
    (turn, pool) = (items - stretch, checks - stretch)
    isFirst = false
  }
}

extension DispatchQueue {
  /// How many items a turn has: inside another queue, and in a run loop, what is pending as it begins, and at least one; elsewhere
  /// no limit. For the owner of the list.
  @inline(__always) final var turnLength: Int {
    // relaxed: the bit changes with the target, under this drain. Bound queues and workloops have it, too.
    if QueueState(rawValue: state.loadRelaxed())[QueueState.complex] == 0 || isWorkloop { return .max }
    if isThreadBound, !isRunLoopsTurn { return .max }
    let (first, end) = (head.loadRelaxed(), tail.loadRelaxed())  // relaxed: only we move it; the claims that we know of
    // Pushers that wait for the next page count as well: a few items more.
    let count = Self.page(first) == Self.page(end) ? Int(Self.index(end) &- Self.index(first)) : pendingCountAssumingOwned
    return max(1, count)
  }

  /// Between two items of a serial queue: goes if the queue is stopped, or a thread at the gate insists on being the next.
  @inline(never) final func endsBetweenItems() -> Bool {
    // relaxed: one that comes later is seen after the next item
    let isStopped = QueueState(rawValue: state.loadRelaxed()).isStopped
    // relaxed: whoever insists after this check has set the sleeper's bit before it waits, so we check again after the next item.
    guard isStopped || insistent.loadRelaxed() != 0 else { return false }
    if isStopped || isStoreEmpty { releaseAndRecheck() } else { requeue() }
    return true
  }

  /// The stretch of items has run, or the sampler asks: how many items are to run before the next check; 0 if others come first.
  @inline(never) final func recheck(_ budget: inout DrainBudget, _ left: Int, _ thread: ThreadPointer) -> Int {
    // Whoever takes the queue up again may do so for the same ask: with no item run, it would go round for ever.
    if budget.isUntouched(left) { return left }
    if left > 0 { return doesPoolWait ? 0 : left }
    if budget.pool == 0 || Pool.wantsYield(thread), doesPoolWait { return 0 }
    if budget.turn == 0, isWaitedForByTargets { return 0 }
    budget.goOn(turn: turnLength)
    return budget.stretch
  }

  /// Like `recheck`, of a concurrent queue, which has run an item and keeps no count for the pool: others may take its items, too.
  @inline(never) final func checkBetweenTurns(_ left: Int, _ thread: ThreadPointer) -> Int {
    if Pool.wantsYield(thread), doesPoolWait { return 0 }
    if left > 0 { return left }
    return isWaitedForByTargets ? 0 : turnLength
  }

  /// Whether the calling item, which does one thing after another, is to leave the rest to an item of its own: its queue belongs to
  /// another band by now, where somebody waits, or where nobody waits any more. Two loads while nobody asks anything of the worker.
  package static var itemIsToGiveWay: Bool {
    let thread = ThreadSlot.current
    // relaxed: a hint that comes in time for the next as well
    guard let worker = Pool.worker(thread), _slowPath(worker.use { $0.asked.loadRelaxed() != 0 }) else { return false }
    guard let frame = thread.innermostFrame else { return false }
    return reference(of: frame.pointee).use { queue in worker.use { queue.isMisplaced(in: $0.band) } }
  }

  private final var doesPoolWait: Bool {
    kind == .main ? MainThreadHost.isShared && !isRunLoopsTurn : Pools.ofThread.use { $0.hasSharedWork || $0.isToLose(self) }
  }

  /// Whether this is the main queue's drain for a run loop, which goes on with its other work when the turn is over.
  private final var isRunLoopsTurn: Bool { kind == .main && MainQueue.drainsWhatIsThere }

  /// Whether a queue around this drain, which is an item of its target, has others waiting that nobody else will run meanwhile.
  @inline(never) final var isWaitedForByTargets: Bool {
    if isRunLoopsTurn { return true }
    var queue = targetReference
    while let here = queue {
      let (waits, next) = here.use { ($0.waitsForItsItem, $0.targetReference) }
      if waits { return true }
      queue = next
    }
    return false
  }

  /// Whether something waits for the end of the item that runs here. A moment's view: what comes later is seen after the next turn.
  private final var waitsForItsItem: Bool {
    let word = QueueState(rawValue: state.loadRelaxed())  // relaxed: a moment's view, as told above
    switch kind {
    case .global: return false
    case .main: return !isStoreEmpty || MainThreadHost.isShared
    case .runLoop: return true  // its loop has other sources
    // relaxed: as above
    case .serial: return !isStoreEmpty || word.mayEndDrain && (word.isStopped || insistent.loadRelaxed() != 0)
    // Of its items others take care, unless they wait for a barrier's chance or a place, which this item may keep from them.
    case .concurrent: return word.isStopped || !isStoreEmpty && !word.isOwned && word[QueueState.enqueued] == 0
    }
  }
}
