// PoolTaking.swift: which work a worker takes next: from the lists of its classes, from those of other bands, from another worker's slot.
// Who is woken for it is Pool.swift.
import SignalboxSystem
import SignalboxWords

extension Pool {
  /// The next item of a list that is overdue, or else of the most urgent class that has one. While more workers run than are to, only
  /// serial queues are served, and items of classes that have fewer workers than there are processors, more urgent ones' included.
  func takeShared(for taker: borrowing Taker) -> PoolJob? {
    let late = overdue.loadRelaxed(), isCrowded = isCrowded  // relaxed: a hint, as told at the word
    if _slowPath(isCrowded), let job = takeAdmitted(late, taker) { return job }
    if _slowPath(late != 0), let job = takeOverdue(late, taker) { return job }
    let mayServeOthers = late & Self.mayServeOthers != 0
    if _slowPath(mayServeOthers), let job = takeOfExhausted(taker.worker) { return job }
    let ringPlace = taker.ringPlace
    for place in places {
      // Mostly nothing of the more urgent classes: known without a call.
      let hasTurns = mayHold(.turns, place), hasItems = mayHold(.items, place) || ringPlace == place
      if !hasTurns, !hasItems, _fastPath(!mayServeOthers) { continue }
      if hasTurns, taker.queuesFirst || isCrowded, let job = take(.turns, place, taker.round) { return job }
      if isCrowded, !hasRoom(place, taker.own), !useAllowance(place) { continue }
      // What was raised to a class is of that class, and came to it later than its own: each eighth turn, so that no flood keeps it waiting.
      if _slowPath(mayServeOthers), taker.isRaisedFirst, let job = takeRaised(at: place, taker) { return job }
      if hasItems, mayTakeItems(at: place, taker), let job = takeItem(for: taker, at: place) { return job }
      if _slowPath(mayServeOthers), let job = takeRaised(at: place, taker) { return job }
      if hasTurns, !taker.queuesFirst, let job = take(.turns, place, taker.round) { return job }
    }
    return _slowPath(standIn.isNeeded) ? takeOfOtherBands(taker, isCrowded: isCrowded) : nil
  }

  /// Of too many workers, those that have run an item stay with items for fifteen takings of sixteen, and add none to those that run; the others
  /// serve queues, but for one that uses an allowance. Before overdue queues, which the others serve: a flood of them keeps no item waiting.
  @inline(never) private func takeAdmitted(_ late: UInt32, _ taker: borrowing Taker) -> PoolJob? {
    let stays = taker.hasRunItem && taker.round & 15 != 0, ringPlace = taker.ringPlace
    for place in places where stays && late & Self.lateBit(.items, place) != 0 && mayTakeItems(at: place, taker) {
      if let job = take(.items, place, taker.round) { return job }
    }
    for place in places where mayHold(.items, place) || ringPlace == place {
      guard stays || useAllowance(place) else { continue }
      if mayTakeItems(at: place, taker), let job = takeItem(for: taker, at: place) { return job }
    }
    return nil
  }

  /// Whether the taker may run items of the class at `place`, this pool's: of a lower band's others may run as many as there may be.
  @inline(__always) private func mayTakeItems(at place: Int, _ taker: borrowing Taker) -> Bool {
    _fastPath(!isShared) || taker.worker?.enters(place) ?? true
  }

  /// Who takes, and what of it matters for that.
  struct Taker: ~Copyable {
    /// Alternates between the two lists of a class, so that neither starves the other.
    var queuesFirst: Bool
    /// The class of the worker's last job.
    var own: Int
    /// Counts takings: the shard with which this one begins.
    var round = 0
    /// nil: it has no ring.
    var worker: Worker?
    /// Whether this is the turn of what was raised from lower bands.
    var isRaisedFirst: Bool { round & 7 == 7 }

    /// Whether its last job was an item of a global or a concurrent queue, and it has not been idle since.
    var hasRunItem: Bool {
      // relaxed: its own thread writes it
      own != ClassCounts.none && worker.map { $0.jobPlace.loadRelaxed() != UInt32(ServiceClasses.count) } ?? true
    }

    /// The class of what seems to lie in its ring, or none.
    @inline(__always) var ringPlace: Int {
      guard let ring = worker?.ring, ring.mayHold else { return ClassCounts.none }
      return ring.place
    }

    /// The first item of its ring, if that is of the class at `place`.
    @inline(__always) func ownItem(at place: Int, of pool: Pool) -> PoolJob? {
      guard let ring = worker?.ring, ring.place == place, let one = ring.take() else { return nil }
      return PoolJob(one, root: pool.roots[place])
    }
  }

  /// False: the list holds nothing. What comes to it meanwhile is found by the check before the worker parks.
  @inline(__always) private func mayHold(_ kind: PoolLists.Kind, _ place: Int) -> Bool {
    _slowPath(lists.shards > 1) || !lists.isEmpty(kind, place)
  }

  /// An item of the class at `place`, from the taker's ring or the list.
  @inline(__always) private func takeItem(for taker: borrowing Taker, at place: Int) -> PoolJob? {
    if _slowPath(isWide), let worker = taker.worker { return takeInOrder(for: taker, worker, at: place) }
    return taker.ownItem(at: place, of: self) ?? take(.items, place, taker.round)
  }

  /// The same where items are kept though others wait: in the order of the worker's own submissions, and now and then the other way round, so that
  /// neither keeps the other waiting.
  @inline(never) private func takeInOrder(for taker: borrowing Taker, _ worker: Worker, at place: Int) -> PoolJob? {
    let isListFirst = worker.order.isListFirst(at: place)
    if isListFirst, lists.shard(.items, place, of: worker).isEmpty { worker.order.listIsEmpty(at: place) }
    // Its own shard first, where that keeps the order.
    let start = isListFirst ? worker.shard : taker.round
    if isListFirst != (taker.round & 15 == 0), let job = take(.items, place, start, more: more(for: worker, place)) {
      return job
    }
    return taker.ownItem(at: place, of: self) ?? take(.items, place, start, more: more(for: worker, place))
  }

  private func takeOfOtherBands(_ taker: borrowing Taker, isCrowded: Bool) -> PoolJob? {
    if let job = takeOfExhausted(taker.worker) { return job }
    for place in 0..<ServiceClasses.count {
      if standIn.isNeeded(for: place) {
        if let job = take(.turns, place) ?? takeDisplacedAnyway(at: place, taker.worker) { return job }
        if !lists.isEmpty(.items, place), taker.worker?.enters(place) ?? true, let job = take(.items, place) { return job }
      }
      // One too many takes what is raised in its turn alone, if there is room for it.
      if !isCrowded, places.contains(place), let job = takeRaised(at: place, taker) { return job }
    }
    return nil
  }

  /// One worker too many takes overdue items in place of others, if it has run such: so they add none to those that run.
  private func takeOverdue(_ late: UInt32, _ taker: borrowing Taker) -> PoolJob? {
    let mayTake = !isCrowded || taker.hasRunItem
    for place in places {
      if late & Self.lateBit(.turns, place) != 0, let job = take(.turns, place, taker.round) { return job }
      guard mayTake || hasRoom(place, taker.own) else { continue }
      if late & Self.lateBit(.items, place) != 0, mayTakeItems(at: place, taker),
        let job = take(.items, place, taker.round)
      {
        return job
      }
      if let job = takeDisplaced(late: late, at: place, taker.worker) { return job }
    }
    return nil
  }

  /// A list's bit in `overdue`.
  @inline(__always) static func lateBit(_ kind: PoolLists.Kind, _ place: Int) -> UInt32 {
    1 << UInt32(kind.rawValue * ServiceClasses.count + place)
  }

  /// Whether more workers run than are to.
  // relaxed: a hint, as told at the word
  @inline(__always) var isCrowded: Bool { snapshot[PoolState.running] > UInt64(width.loadRelaxed()) }

  /// Whether a worker whose last job was of the class at `own` may take an item of the class at `place` though too many run.
  func hasRoom(_ place: Int, _ own: Int) -> Bool {
    let ownCount: UInt64 = own != ClassCounts.none && own <= place ? 1 : 0
    return classes.atLeast(place) < processors + ownCount
  }

  /// Grants one more worker to the items of the class at `place`, although the processors are taken (PoolNotes.relieve).
  func allow(_ place: Int) {
    var old = allowances.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      // acquire-release: bits come and go by swaps; nothing is read through them
      let swap = allowances.casAcqRel(old, old | 1 << UInt32(place))
      if swap.exchanged { return }
      old = swap.original
    }
  }
  func useAllowance(_ place: Int) -> Bool {
    var old = allowances.loadRelaxed()  // relaxed: the swap re-checks
    while old & (1 << UInt32(place)) != 0 {
      let swap = allowances.casAcqRel(old, old & ~(1 << UInt32(place)))  // acquire-release: as in allow
      if swap.exchanged { return true }
      old = swap.original
    }
    return false
  }
  /// Whether items of the class at `place` wait that one more worker may run, its own or those of one that is raised to it.
  func isWaiting(_ place: Int) -> Bool {
    !lists.isEmpty(.items, place) && hasBreadth(place) || _slowPath(standIn.isNeeded) && isRaisedWaiting(place)
  }

  /// The first item of a list, if there is one: of its shards, from that of the number `start` on.
  @inline(__always)
  func take(
    _ kind: PoolLists.Kind, _ place: Int, _ start: Int = 0, where isServed: () -> Bool = { true }, more: PoolList.More? = nil
  ) -> PoolJob? {
    var job: PoolJob?
    _ = lists.first(kind, place, from: start) { list in
      guard case .one(let one, let cameMeanwhile) = list.take(where: isServed, more: more) else { return false }
      if cameMeanwhile { serving(place).use { $0.workArrived() } }
      job = PoolJob(one, root: roots[place])
      return true
    }
    return job
  }

  /// Many workers take several items at a time, so that they do not wait for one another's turn at the list. Few take one: so items begin in
  /// the order of their submission.
  private func more(for worker: Worker, _ place: Int) -> PoolList.More? {
    guard usesRings, worker.ring.isEmpty, Instruments.areOff else { return nil }
    let workers = PoolList.More.workers(of: snapshot[PoolState.running], shards: lists.shards)
    return PoolList.More(ring: worker.ring, place: place, workers: workers)
  }

  /// Whether a shared list holds work.
  var hasSharedWork: Bool {
    for place in places where !lists.isEmpty(.items, place) { return true }
    return hasQueueWaiting || _slowPath(standIn.isNeeded) && hasWorkOfOtherBands()
  }

  /// Whether one does from which one more worker may take: a lower class may have as many as there may be (ClassBreadth.swift).
  var hasWorkForOneMore: Bool {
    for place in places where !lists.isEmpty(.items, place) && hasBreadth(place) { return true }
    return hasQueueWaiting || _slowPath(standIn.isNeeded) && hasWorkOfOtherBands(forOneMore: true)
  }

  private func hasWorkOfOtherBands(forOneMore: Bool = false) -> Bool {
    (0..<ServiceClasses.count).contains { place in
      let (isNeeded, isRaised) = (standIn.isNeeded(for: place), standIn.isRaised(place))
      if isNeeded || isRaised, !lists.isEmpty(.items, place), !forOneMore || hasBreadth(place) { return true }
      let servesQueues = isNeeded || standIn.servesQueues(of: place)
      if servesQueues, !lists.isEmpty(.turns, place) || isDisplacedWaiting(place, forOneMore: false) { return true }
      return places.contains(place) && isDisplacedWaiting(place, forOneMore: forOneMore)
    }
  }

  /// Whether a serial queue waits for a worker.
  var hasQueueWaiting: Bool {
    for place in places where !lists.isEmpty(.turns, place) { return true }
    return false
  }

  /// Takes a queue out of the own slot of a worker whose job has not changed since the last check.
  func steal(for thief: Worker) -> PoolJob? {
    let workers = self.workers
    for worker in workers where worker !== thief {
      let queue = worker.ownSlot.loadRelaxed()  // relaxed: the swap re-checks
      guard queue != 0 else { continue }
      let before = worker.progress.loadRelaxed()  // relaxed: two readings are compared
      for _ in 0..<32 { spinPause() }
      // relaxed: two readings are compared. acquire: the queue; pairs with the exchange in submit()
      guard worker.progress.loadRelaxed() == before, worker.ownSlot.casAcqRel(queue, 0).exchanged else { continue }
      return PoolJob(.turn(queue), root: 0)
    }
    return nil
  }
}
