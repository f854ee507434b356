// DispatchQueue+Turn.swift: when a drain gives way to others before its list is empty: to work in the pool, to what waits for the
// queues around, to a thread that insists. README.md: "Giving way". Running items is DispatchQueue+Drain.swift.
import SignalboxSystem
import SignalboxWords

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
  @inline(__always) final func turnLength(_ items: borrowing OwnedList) -> Int {
    // relaxed: the bit changes with the target, under this drain. Bound queues and workloops have it, too.
    if state.hint()[QueueState.complex] == 0 { return .max }
    if let limit = turnLimit { return limit }
    // Pushers that wait for the next page count as well: a few items more.
    return max(1, list.pendingOnPage.map { Int($0) } ?? items.count())
  }

  /// Between two items of a serial queue: whether its owner goes, as the queue is stopped, or a thread at the gate insists on being the
  /// next.
  final var endsBetweenItems: Bool {
    // relaxed: one that comes later is seen after the next item
    state.hint().isStopped
      // relaxed: whoever insists after this check has set the sleeper's bit before it waits, so we check again after the next item.
      || insistent.loadRelaxed() != 0
  }
  @inline(never) final func goBetweenItems(_ items: consuming OwnedList) {
    // relaxed: as above
    if state.hint().isStopped || items.isEmpty { releaseAndRecheck(items) } else { requeue(items) }
  }

  /// The stretch of items has run, or the sampler asks: how many items are to run before the next check; 0 if others come first.
  @inline(never)
  final func recheck(
    _ budget: inout DrainBudget, _ left: Int, _ thread: ThreadPointer, _ items: borrowing OwnedList
  ) -> Int {
    // Whoever takes the queue up again may do so for the same ask: with no item run, it would go round forever.
    if budget.isUntouched(left) { return left }
    if left > 0 { return doOthersWait ? 0 : left }
    if budget.pool == 0 || Pool.wantsYield(thread), doOthersWait { return 0 }
    if budget.turn == 0, isWaitedForByTargets { return 0 }
    budget.goOn(turn: turnLength(items))
    return budget.stretch
  }

  /// As `recheck`, of a concurrent queue, which has run an item and keeps no count for the pool: others may take its items, too.
  @inline(never)
  final func checkBetweenTurns(_ left: Int, _ thread: ThreadPointer, _ items: borrowing OwnedList) -> Int {
    if Pool.wantsYield(thread), doOthersWait || isLeftToOthers(thread) { return 0 }
    if left > 0 { return left }
    return isWaitedForByTargets ? 0 : turnLength(items)
  }

  private final func isLeftToOthers(_ thread: ThreadPointer) -> Bool {
    Pool.worker(thread)?.use { $0.leavesItemsToOthers } ?? false
  }

  /// Whether the calling item, which does one thing after another, is to leave the rest to an item of its own: more
  /// workers run than are to, because this one slept in the item and others took its place; or its queue belongs to
  /// another band by now, where a thread waits, or where none waits any more. Some loads while nothing is asked of the
  /// worker.
  package static var itemIsToGiveWay: Bool {
    let thread = ThreadSlot.current
    guard let worker = Pool.worker(thread) else { return false }
    if _slowPath(worker.use { $0.isOneTooMany }) { return true }
    // relaxed: a hint that comes in time for the next as well
    guard _slowPath(worker.use { $0.asked.loadRelaxed() != 0 }) else { return false }
    guard let frame = thread.innermostFrame else { return false }
    return reference(of: frame.pointee).use { queue in worker.use { queue.isMisplaced(in: $0.band) } }
  }

  /// Whether the calling item's thread was taken for one that sleeps, and others run in its place. Not in a serial
  /// queue's turn, which is promised a thread.
  package static var itemIsCountedOut: Bool {
    Pool.worker(ThreadSlot.current)?.use { $0.jobClass != nil && $0.mayBeCountedOut } ?? false
  }

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

  /// `waitsForItsItem` of a queue that the pool serves.
  final var hasOthersBehindItem: Bool {
    let word = state.hint()  // relaxed: a moment's view
    switch kind {
    case .global, .main, .runLoop: return false
    // relaxed: as above
    case .serial: return !list.isEmpty || word.mayEndDrain && (word.isStopped || insistent.loadRelaxed() != 0)
    // Of its items others take care, unless they wait for a barrier's chance or a place, which this item may keep from them.
    case .concurrent: return word.isStopped || !list.isEmpty && !word.isOwned && word[QueueState.enqueued] == 0
    }
  }
}
