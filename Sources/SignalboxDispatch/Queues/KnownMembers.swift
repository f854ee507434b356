// KnownMembers.swift: where the members of a group are that a thread waits for, as far as that can be known: nothing is noted when a member
// is submitted. What is raised for them is Raising.swift.
//
// Known are the members that
//   - lie in a global queue of a lower band, among its first 1,024 items;
//   - lie in a queue that waits for a thread of a lower band, among the first 64 items of it and of the queues in it; of 64 queues;
//   - are run by a thread of a lower band, or lie (as above) in a queue that such a thread drains: that queue is raised by its own
//     drainer, at the end of the item that runs;
//   - lie (as above) in a queue that a thread of a lower band holds by `sync`: that thread is helped, and raises the queue as it leaves.
//
//   waiter  W1 lists its wait          W2 reads which thread holds the queue, then the lists of the pools
//   holder  H1 leaves the queue, and puts it on a list of a pool   H2 reads how many waits are listed: some? it searches for its queue's
// W1 and H2 are sequentially consistent: W2 finds the queue on a list or its holder inside, or H2 finds the wait. Both may: the queue is raised
// twice, and goes back twice.
//
// Not known are those that enter and leave by hand, that lie in a stopped queue, that are submitted after the wait has begun.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxView
import SignalboxWords

enum KnownMembers {
  static let mostItems = 1_024, mostQueues = 64, mostInQueue = 64, mostTargets = 8

  /// Groups that threads wait for, while these have something to raise.
  private struct Wait {
    let group: UInt
    let raising: Raising
  }
  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var waits: [Wait] = []
  private static let count = Atomic32(0)

  /// Runs `body`, in which the calling thread sleeps until the members of `group` have left.
  @inline(__always) static func whileRaised<R>(_ group: DispatchGroup, _ body: () -> R) -> R {
    let serviceClass = Inversions.classOfCaller
    return _fastPath(!Inversions.mayMatter(to: serviceClass)) ? body() : whileRaised(group, serviceClass, body)
  }
  @inline(never)
  private static func whileRaised<R>(_ group: DispatchGroup, _ serviceClass: ServiceClass, _ body: () -> R) -> R {
    let raising = Raising(serviceClass), address = group.address
    // Listed first: a worker that is asked finds it.
    lock.withLock { waits.append(Wait(group: address, raising: raising)) }
    _ = count.addSeqCst(1)  // seq_cst: W1
    find(address, raising)
    defer {
      _ = count.addRelaxed(~0)  // relaxed: too high a count costs a search
      lock.withLock { waits.removeAll { $0.raising === raising } }
      raising.end()
    }
    return body()
  }

  /// Searches the lower bands. No queue is touched but those whose references lie on a list that is held.
  private static func find(_ group: UInt, _ raising: Raising) {
    raising.forEachLoweredPool { pool in
      for worker in pool.workers {
        emptyOwnSlot(worker)
        if worker.runningGroupBits.load() == UInt64(group) { raising.add(worker) }
        if drainsMembers(worker, group) {
          raising.add(worker)
          worker.ask(Worker.Asked.toFindMembers | Worker.Asked.toYield)
        }
        if holdsBack(worker, group) { raising.add(worker) }
      }
      for serviceClass in pool.classes {
        pool.lists.forEach(.items, of: serviceClass) { list in
          let found = Found(in: list, group)
          if found.hasMember { pool.root(serviceClass).use { raising.add($0) } }
          search(found.queues, group, raising)
        }
        for kind in [.turns] + PoolLists.Kind.displaced {
          pool.lists.forEach(kind, of: serviceClass) { search(Found(in: $0, group).queues, group, raising) }
        }
      }
    }
  }

  /// What lies in a worker's own slot is on no list.
  private static func emptyOwnSlot(_ worker: Worker) {
    let own = worker.ownSlot.loadRelaxed()  // relaxed: the swap re-checks
    // acquire: the queue; pairs with the exchange in Pool.submit
    if own != 0, worker.ownSlot.casAcqRel(own, 0).exchanged { worker.pool.use { $0.submitShared(own) } }
  }

  private static func search(_ queues: [DispatchQueue], _ group: UInt, _ raising: Raising) {
    for queue in queues where holdsMember(queue.address, group) { raising.add(queue) }
  }

  /// Whether the worker drains, or has drained a moment ago, a queue in which members lie. It may be gone by now: then they do not.
  private static func drainsMembers(_ worker: Worker, _ group: UInt) -> Bool {
    for depth in 0..<4 {
      let place = UInt(bitPattern: worker.drains + depth)
      guard let bits = SafeMemory.word64(place), bits != 0 else { return false }
      if holdsMember(FrameWord(bits: UInt(bits)).object, group) { return true }
    }
    return false
  }

  /// Whether the worker's thread has by `sync` the turn of a queue in which members lie, or of one that targets such a queue: it may have left
  /// by now.
  private static func holdsBack(_ worker: Worker, _ group: UInt) -> Bool {
    ThreadTable.entry(owner: worker.owner.load())?.isInside { frame in
      if frame.kind.isDrain { return false }
      var queue = frame.object
      for _ in 0..<mostTargets {
        if holdsMember(queue, group) { return true }
        guard let target = OwnerReader().target(ofQueue: UInt64(queue)), target != 0,
          OwnerReader().kind(ofQueue: target) != .global
        else { return false }
        queue = UInt(target)
      }
      return false
    } ?? false
  }

  /// Whether members lie in the queue. A walk during which items were taken off says so only if it came to one: else it
  /// is made again, as long as the queue's owner takes items off.
  private static func holdsMember(_ queue: UInt, _ group: UInt) -> Bool {
    for _ in 0..<mostInQueue {
      let items = PendingItems(of: queue, groups: [group], atMost: mostInQueue)
      if items.members[group] != nil { return true }
      if !items.hasMoved { return false }
    }
    return false
  }

  /// The caller had the turn of `queue` by `sync`, has left its items to others, and keeps it alive.
  @inline(__always) static func isLeft(_ queue: DispatchQueue) {
    if _slowPath(count.loadSeqCst() != 0) { raiseLeft(queue) }  // seq_cst: H2
  }
  @inline(never) private static func raiseLeft(_ queue: DispatchQueue) {
    let band = queue.serviceClass.band.rawValue
    for wait in lock.withLock({ waits }) where wait.raising.serviceClass.band.rawValue < band {
      // The queue may be held and left many times while one wait lasts.
      if !wait.raising.hasRaised(queue), holdsMember(queue.address, wait.group) { wait.raising.add(queue) }
    }
  }

  /// The calling worker, between two items, raises those of its queues in which members lie that somebody waits for.
  static func raiseOwn(of worker: Worker) {
    let wanted = lock.withLock { waits }
    for wait in wanted where wait.raising.serviceClass.band.rawValue < worker.band.rawValue {
      for queue in worker.drainedQueues where holdsMember(queue, wait.group) {
        // SAFETY: its own drain holds the queue.
        Lent<DispatchQueue>(at: UInt64(queue)).use { wait.raising.add($0) }
      }
    }
  }
}

/// What lies on a list of the pool's: whether members of a group do, and which queues, of the items that are read.
private struct Found {
  private(set) var hasMember = false
  private(set) var queues: [DispatchQueue] = []

  init(in list: PoolList, _ group: UInt) {
    if list.isEmpty { return }
    queues.reserveCapacity(KnownMembers.mostQueues)  // nothing is allocated under the lock
    list.forEach(atMost: KnownMembers.mostItems) { one in
      switch one.first {
      case SlotKind.node:
        if ItemNodePointer.at(UInt(one.second)).pointee.group?.address == UInt64(group) { hasMember = true }
      case SlotKind.queue:
        if queues.count < KnownMembers.mostQueues { queues.append(Lent<DispatchQueue>(at: one.second).use { $0 }) }
      default: break
      }
    }
  }
}
