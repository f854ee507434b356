// PoolTaking.swift: which work a worker takes next: from the lists of its classes, from those of other bands, from another worker's slot.
// Who is woken for it is Pool.swift.
import SignalboxSystem

extension Pool {
  /// The next item of a list that is overdue, or else of the most urgent class that has one. `queuesFirst` alternates between the two
  /// lists of a class, so that neither starves the other. While more workers run than are to, only serial queues are served, and
  /// items of classes that have fewer workers than there are processors, more urgent ones' included. `own`: the class of the
  /// worker's last job.
  func takeShared(queuesFirst: Bool, own: Int) -> PoolJob? {
    let late = overdue.loadRelaxed()  // relaxed: a hint, as told at the word
    if _slowPath(late != 0), let job = takeOverdue(late) { return job }
    let mayServeOthers = late & Self.mayServeOthers != 0
    if _slowPath(mayServeOthers), let job = takeOfExhausted() { return job }
    let isCrowded = snapshot[PoolState.running] > UInt64(width.loadRelaxed())  // relaxed: a hint, as above
    for place in places {
      if queuesFirst || isCrowded, let job = take(roots.companion(place)) { return job }
      if isCrowded, !hasRoom(place, own), !useAllowance(place) { continue }
      // In turn, too: what was raised to a class is of that class.
      if _slowPath(mayServeOthers), queuesFirst, let job = takeRaised(at: place) { return job }
      if let job = take(roots.root(place)) { return job }
      if _slowPath(mayServeOthers), let job = takeRaised(at: place) { return job }
      if !queuesFirst, let job = take(roots.companion(place)) { return job }
    }
    return _slowPath(standIn.isNeeded) ? takeOfOtherBands() : nil
  }

  private func takeOfOtherBands() -> PoolJob? {
    if let job = takeOfExhausted() { return job }
    for place in 0..<GlobalQueues.count {
      if standIn.isNeeded(for: place), let job = take(roots.companion(place)) ?? take(roots.root(place)) { return job }
      if standIn.isRaised(place), let job = takeRaised(from: place) { return job }
    }
    return nil
  }

  private func takeOverdue(_ late: UInt32) -> PoolJob? {
    for place in places {
      if late & 1 << UInt32(place + GlobalQueues.count) != 0, let job = take(roots.companion(place)) { return job }
      if late & 1 << UInt32(place) != 0, let job = take(roots.root(place)) { return job }
    }
    return nil
  }

  private func hasRoom(_ place: Int, _ own: Int) -> Bool {
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
  private func useAllowance(_ place: Int) -> Bool {
    var old = allowances.loadRelaxed()  // relaxed: the swap re-checks
    while old & (1 << UInt32(place)) != 0 {
      let swap = allowances.casAcqRel(old, old & ~(1 << UInt32(place)))  // acquire-release: as in allow
      if swap.exchanged { return true }
      old = swap.original
    }
    return false
  }
  /// Whether the list of the class at `place` holds work, or one that is raised to it.
  func isWaiting(_ place: Int) -> Bool {
    !roots.root(place).use { $0.list.isEmpty } || _slowPath(standIn.isRaised) && isRaisedWaiting(place)
  }

  @inline(__always) func take(_ list: Lent<DispatchQueue>) -> PoolJob? {
    list.use { $0.list.isEmpty ? nil : $0.takeAsRoot() }
  }

  /// Whether a shared list holds work.
  var hasSharedWork: Bool {
    for place in places
    where !roots.root(place).use({ $0.list.isEmpty }) { return true }
    return hasQueueWaiting || _slowPath(standIn.isNeeded) && hasWorkOfOtherBands
  }

  private var hasWorkOfOtherBands: Bool {
    (0..<GlobalQueues.count).contains { place in
      let (isNeeded, isRaised) = (standIn.isNeeded(for: place), standIn.isRaised(place))
      return (isNeeded || isRaised) && !roots.root(place).use { $0.list.isEmpty }
        || (isNeeded || standIn.servesQueues(of: place)) && !roots.companion(place).use { $0.list.isEmpty }
    }
  }

  /// Whether a serial queue waits for a worker.
  var hasQueueWaiting: Bool {
    for place in places
    where !roots.companion(place).use({ $0.list.isEmpty }) { return true }
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
      return PoolJob(first: SlotKind.queue, second: queue, root: 0)
    }
    return nil
  }
}

extension DispatchQueue {
  /// Takes the first item off a global queue. The lock is held for a few instructions.
  final func takeAsRoot() -> PoolJob? { takeAsRoot { true } }

  /// The same if `isServed`, which is asked when there is one: it is of a time after that item was submitted.
  @inline(__always) final func takeAsRoot(where isServed: () -> Bool) -> PoolJob? {
    var spinner = Spinner()
    // acquire: pairs with the release below; the list's position travels with the lock.
    while !gate.casAcquire(0, 1).exchanged {
      if list.isEmpty { return nil }
      spinner.wait()
    }
    let items = OwnedList(owned: listWords)
    let first = items.first()
    guard first != 0, isServed() else {
      gate.storeRelease(0)  // release: pairs with the acquire above
      return nil
    }
    let second = items.removeFirst()
    let itemsCame = items.turnBackUnderLock()
    gate.storeRelease(0)  // release: pairs with the acquire above
    if itemsCame { Pools.serving(self).use { $0.workArrived() } }
    return PoolJob(first: first, second: second, root: UInt64(address))
  }
}
