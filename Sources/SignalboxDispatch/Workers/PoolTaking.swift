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
    let ringClass = taker.ringClass
    for serviceClass in classes {
      // Mostly nothing of the more urgent classes: known without a call.
      let hasTurns = mayHold(.turns, of: serviceClass)
      let hasItems = mayHold(.items, of: serviceClass) || ringClass == serviceClass
      if !hasTurns, !hasItems, _fastPath(!mayServeOthers) { continue }
      if hasTurns, taker.queuesFirst || isCrowded, let job = take(.turns, of: serviceClass, taker.round) { return job }
      if isCrowded, !hasRoom(for: serviceClass, after: taker.own), !useAllowance(of: serviceClass) { continue }
      // What was raised to a class is of that class, and came to it later than its own: each eighth turn, so that no flood keeps it waiting.
      if _slowPath(mayServeOthers), taker.isRaisedFirst, let job = takeRaised(to: serviceClass, taker) { return job }
      if hasItems, mayTakeItems(of: serviceClass, taker), let job = takeItem(of: serviceClass, for: taker) { return job }
      if _slowPath(mayServeOthers), let job = takeRaised(to: serviceClass, taker) { return job }
      if hasTurns, !taker.queuesFirst, let job = take(.turns, of: serviceClass, taker.round) { return job }
    }
    return _slowPath(standIn.isNeeded) ? takeOfOtherBands(taker, isCrowded: isCrowded) : nil
  }

  /// Of too many workers, those that have run an item stay with items for fifteen takings of sixteen, and add none to those that run; the others
  /// serve queues, but for one that uses an allowance. Before overdue queues, which the others serve: a flood of them keeps no item waiting.
  @inline(never) private func takeAdmitted(_ late: UInt32, _ taker: borrowing Taker) -> PoolJob? {
    let stays = taker.hasRunItem && taker.round & 15 != 0, ringClass = taker.ringClass
    for serviceClass in classes where stays && late & Self.lateBit(.items, of: serviceClass) != 0 {
      if mayTakeItems(of: serviceClass, taker), let job = take(.items, of: serviceClass, taker.round) { return job }
    }
    for serviceClass in classes where mayHold(.items, of: serviceClass) || ringClass == serviceClass {
      guard stays || useAllowance(of: serviceClass) else { continue }
      taker.worker?.isSurplus = false
      if mayTakeItems(of: serviceClass, taker), let job = takeItem(of: serviceClass, for: taker) { return job }
    }
    return nil
  }

  /// Whether the taker may run items of the class, this pool's: of a lower band's others may run as many as there may
  /// be.
  @inline(__always) private func mayTakeItems(of serviceClass: ServiceClass, _ taker: borrowing Taker) -> Bool {
    _fastPath(!isShared) || taker.worker?.enters(serviceClass) ?? true
  }

  /// Who takes, and what of it matters for that.
  struct Taker: ~Copyable {
    /// Alternates between the two lists of a class, so that neither starves the other.
    var queuesFirst: Bool
    /// The class of the worker's last job; nil: it has had none since it was idle.
    var own: ServiceClass?
    /// Counts takings: the shard with which this one begins.
    var round = 0
    /// nil: it has no ring.
    var worker: Worker?
    /// Whether this is the turn of what was raised from lower bands.
    var isRaisedFirst: Bool { round & 7 == 7 }

    /// Whether its last job was an item of a global or a concurrent queue, and it has not been idle since, nor come back
    /// from sleep in one to find its place taken.
    var hasRunItem: Bool {
      own != nil && worker.map { $0.jobClass != nil && !$0.isSurplus } ?? true
    }

    /// The class of what seems to lie in its ring; nil: nothing does.
    @inline(__always) var ringClass: ServiceClass? {
      guard let ring = worker?.ring, ring.mayHold else { return nil }
      return ring.serviceClass
    }

    /// The first item of its ring, if that is of the class.
    @inline(__always) func ownItem(of serviceClass: ServiceClass, in pool: Pool) -> PoolJob? {
      guard let ring = worker?.ring, ring.serviceClass == serviceClass, let one = ring.take() else { return nil }
      return PoolJob(one, root: pool.rootAddress(of: serviceClass))
    }
  }

  /// False: the list holds nothing. What comes to it meanwhile is found by the check before the worker parks.
  @inline(__always) private func mayHold(_ kind: PoolLists.Kind, of serviceClass: ServiceClass) -> Bool {
    _slowPath(lists.shards > 1) || !lists.isEmpty(kind, of: serviceClass)
  }

  /// An item of the class, from the taker's ring or the list.
  @inline(__always) private func takeItem(of serviceClass: ServiceClass, for taker: borrowing Taker) -> PoolJob? {
    if _slowPath(isWide), let worker = taker.worker { return takeInOrder(of: serviceClass, for: taker, worker) }
    return taker.ownItem(of: serviceClass, in: self) ?? take(.items, of: serviceClass, taker.round)
  }

  /// The same where items are kept though others wait: in the order of the worker's own submissions, and now and then the other way round, so that
  /// neither keeps the other waiting.
  @inline(never)
  private func takeInOrder(of serviceClass: ServiceClass, for taker: borrowing Taker, _ worker: Worker) -> PoolJob? {
    let isListFirst = worker.order.isListFirst(serviceClass)
    if isListFirst, lists.shard(.items, of: serviceClass, for: worker).isEmpty { worker.order.listIsEmpty(serviceClass) }
    // Its own shard first, where that keeps the order.
    let start = isListFirst ? worker.shard : taker.round
    func takeSeveral() -> PoolJob? { take(.items, of: serviceClass, start, more: more(of: serviceClass, for: worker)) }
    if isListFirst != (taker.round & 15 == 0), let job = takeSeveral() { return job }
    return taker.ownItem(of: serviceClass, in: self) ?? takeSeveral()
  }

  private func takeOfOtherBands(_ taker: borrowing Taker, isCrowded: Bool) -> PoolJob? {
    if let job = takeOfExhausted(taker.worker) { return job }
    for serviceClass in ServiceClass.all {
      if standIn.isNeeded(for: serviceClass) {
        if let job = take(.turns, of: serviceClass) ?? takeDisplacedAnyway(to: serviceClass, taker.worker) { return job }
        if !lists.isEmpty(.items, of: serviceClass), taker.worker?.enters(serviceClass) ?? true,
          let job = take(.items, of: serviceClass)
        {
          return job
        }
      }
      // One too many takes what is raised in its turn alone, if there is room for it.
      if !isCrowded, classes.contains(serviceClass), let job = takeRaised(to: serviceClass, taker) { return job }
    }
    return nil
  }

  /// One worker too many takes overdue items in place of others, if it has run such: so they add none to those that run.
  private func takeOverdue(_ late: UInt32, _ taker: borrowing Taker) -> PoolJob? {
    let mayTake = !isCrowded || taker.hasRunItem
    for serviceClass in classes {
      if late & Self.lateBit(.turns, of: serviceClass) != 0, let job = take(.turns, of: serviceClass, taker.round) {
        return job
      }
      guard mayTake || hasRoom(for: serviceClass, after: taker.own) else { continue }
      if late & Self.lateBit(.items, of: serviceClass) != 0, mayTakeItems(of: serviceClass, taker),
        let job = take(.items, of: serviceClass, taker.round)
      {
        return job
      }
      if let job = takeDisplaced(late: late, to: serviceClass, taker.worker) { return job }
    }
    return nil
  }

  /// A list's bit in `overdue`.
  @inline(__always) static func lateBit(_ kind: PoolLists.Kind, of serviceClass: ServiceClass) -> UInt32 {
    1 << UInt32(kind.rawValue * ServiceClass.count + serviceClass.rawValue)
  }

  /// Whether more workers run than are to.
  // relaxed: a hint, as told at the word
  @inline(__always) var isCrowded: Bool { snapshot[PoolState.running] > UInt64(width.loadRelaxed()) }

  /// Whether a worker whose last job was of class `own` may take an item of the class though too many run.
  func hasRoom(for serviceClass: ServiceClass, after own: ServiceClass?) -> Bool {
    let ownCount: UInt64 = own.map { $0 <= serviceClass } ?? false ? 1 : 0
    return classCounts.atLeast(serviceClass) < processors + ownCount
  }

  /// Grants one more worker to the items of the class, although the processors are taken (PoolNotes.relieve).
  func allow(_ serviceClass: ServiceClass) {
    let bit: UInt32 = 1 << UInt32(serviceClass.rawValue)
    var old = allowances.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      // acquire-release: bits come and go by swaps; nothing is read through them
      let swap = allowances.casAcqRel(old, old | bit)
      if swap.exchanged { return }
      old = swap.original
    }
  }
  func useAllowance(of serviceClass: ServiceClass) -> Bool {
    let bit: UInt32 = 1 << UInt32(serviceClass.rawValue)
    var old = allowances.loadRelaxed()  // relaxed: the swap re-checks
    while old & bit != 0 {
      let swap = allowances.casAcqRel(old, old & ~bit)  // acquire-release: as in allow
      if swap.exchanged { return true }
      old = swap.original
    }
    return false
  }
  /// Whether items of the class wait that one more worker may run, its own or those of one that is raised to it.
  func isWaiting(_ serviceClass: ServiceClass) -> Bool {
    !lists.isEmpty(.items, of: serviceClass) && hasBreadth(for: serviceClass)
      || _slowPath(standIn.isNeeded) && isRaisedWaiting(for: serviceClass)
  }

  /// The first item of a list, if there is one: of its shards, from that of the number `start` on.
  @inline(__always)
  func take(
    _ kind: PoolLists.Kind, of serviceClass: ServiceClass, _ start: Int = 0, where isServed: () -> Bool = { true },
    more: PoolList.More? = nil
  ) -> PoolJob? {
    var job: PoolJob?
    _ = lists.first(kind, of: serviceClass, from: start) { list in
      guard case .one(let one, let cameMeanwhile) = list.take(where: isServed, more: more) else { return false }
      if cameMeanwhile { serving(serviceClass).use { $0.workArrived() } }
      job = PoolJob(one, root: rootAddress(of: serviceClass))
      return true
    }
    return job
  }

  /// Many workers take several items at a time, so that they do not wait for one another's turn at the list. Few take one: so items begin in
  /// the order of their submission.
  private func more(of serviceClass: ServiceClass, for worker: Worker) -> PoolList.More? {
    guard usesRings, worker.ring.isEmpty, Instruments.areOff else { return nil }
    let workers = PoolList.More.workers(of: snapshot[PoolState.running], shards: lists.shards)
    return PoolList.More(ring: worker.ring, serviceClass: serviceClass, workers: workers)
  }

  /// Whether a shared list holds work.
  var hasSharedWork: Bool {
    for serviceClass in classes where !lists.isEmpty(.items, of: serviceClass) { return true }
    return hasQueueWaiting || _slowPath(standIn.isNeeded) && hasWorkOfOtherBands()
  }

  /// Whether one does from which one more worker may take: a lower class may have as many as there may be (ClassBreadth.swift).
  var hasWorkForOneMore: Bool {
    for serviceClass in classes where !lists.isEmpty(.items, of: serviceClass) && hasBreadth(for: serviceClass) { return true }
    return hasQueueWaiting || _slowPath(standIn.isNeeded) && hasWorkOfOtherBands(forOneMore: true)
  }

  private func hasWorkOfOtherBands(forOneMore: Bool = false) -> Bool {
    ServiceClass.all.contains { serviceClass in
      let (isNeeded, isRaised) = (standIn.isNeeded(for: serviceClass), standIn.isRaised(serviceClass))
      if isNeeded || isRaised, !lists.isEmpty(.items, of: serviceClass), !forOneMore || hasBreadth(for: serviceClass) {
        return true
      }
      let servesQueues = isNeeded || standIn.servesQueues(of: serviceClass)
      if servesQueues, !lists.isEmpty(.turns, of: serviceClass) || isDisplacedWaiting(serviceClass, forOneMore: false) {
        return true
      }
      return classes.contains(serviceClass) && isDisplacedWaiting(serviceClass, forOneMore: forOneMore)
    }
  }

  /// Whether a serial queue waits for a worker.
  var hasQueueWaiting: Bool {
    for serviceClass in classes where !lists.isEmpty(.turns, of: serviceClass) { return true }
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
