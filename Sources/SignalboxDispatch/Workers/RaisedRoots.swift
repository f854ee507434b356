// RaisedRoots.swift: what a pool takes from a lower band as well, because more urgent work waits for it. It takes items
// of the band's global queue, as the class that waits for one of them, and turns of its concurrent queues. What asks
// for items of a global queue, and until when, is RootRaise.swift (Queues/).
import SignalboxSystem
import SignalboxWords

extension Pool {
  /// Beside the lists' bits in `overdue`: global queues of other bands may be raised to classes of this one, or have no thread left.
  static let mayServeOthers: UInt32 = 1 << 31
  static let overdueLists = ~mayServeOthers

  /// Has the workers check what lies in other bands in their turn. The sampler keeps the bit up to date.
  func servesOthers() {
    var old = overdue.loadRelaxed()  // relaxed: a hint, as told at the word
    while old & Self.mayServeOthers == 0 {
      let swap = overdue.casRelaxed(old, old | Self.mayServeOthers)  // relaxed: as above
      if swap.exchanged { break }
      old = swap.original
    }
    sampler.wake()
  }

  /// An item of a raised queue, or a displaced queue, that work of the class waits for: of the two in turn.
  @inline(never) func takeRaised(to serviceClass: ServiceClass, _ taker: borrowing Taker) -> PoolJob? {
    for lower in classes.lessUrgent {
      let displacedFirst = taker.round & 1 == 0
      if displacedFirst, let job = takeDisplaced(from: lower, to: serviceClass, taker.worker) { return job }
      if standIn.classAsked(for: lower) == serviceClass, let job = takeRaised(from: lower, taker.worker) { return job }
      if !displacedFirst, let job = takeDisplaced(from: lower, to: serviceClass, taker.worker) { return job }
    }
    return nil
  }

  /// An item of the raised queue of class `lower`, if there is room for one more worker there. What is submitted when
  /// nobody waits any more is not taken.
  private func takeRaised(from lower: ServiceClass, _ worker: Worker?) -> PoolJob? {
    guard !lists.isEmpty(.items, of: lower), worker?.enters(lower) ?? true else { return nil }
    guard let job = take(.items, of: lower, where: { standIn.isRaised(lower) }) else { return nil }
    if job.one.isTurn { duties.isServedElsewhere(job.second) }
    return job
  }

  /// Whether a raised queue that work of the class waits for holds work, or a displaced one waits, and there is room
  /// for one more worker.
  func isRaisedWaiting(for serviceClass: ServiceClass) -> Bool {
    classes.lessUrgent.contains { lower in
      let isRaised = standIn.classAsked(for: lower) == serviceClass && !lists.isEmpty(.items, of: lower)
      return (isRaised || !lists.isEmpty(.displaced(from: lower), of: serviceClass)) && hasBreadth(for: lower)
    }
  }

  /// The class as which jobs of class `own` are served here: of a raised global queue that of the work that waits.
  func servedClass(of own: ServiceClass) -> ServiceClass {
    own <= classes.leastUrgent ? own : standIn.classAsked(for: own) ?? own
  }
}

// MARK: turns of concurrent queues

// A pool serves as its own the turns of a lower band's concurrent queues for which more urgent work waits. They lie on
// lists of their own: unlike serial queues they are promised no thread, and unlike the pool's items they count against
// the class from which they come (ClassBreadth.swift). A pool that serves another's queues for it (StandIn.swift)
// serves these as well.
//
//     P1  claim on the list                       S1  take the bit off
//     P2  set the bit, unless it is set           S2  read the lists: is one filled? set the bit again
//
// The bit has workers check these lists at all. P2 before S1: P1 is before S2, and the sampler finds the queue. S1
// before P2: the pusher finds the bit off, and sets it.

extension Pool {
  /// The classes of lower bands.
  private static var lowerClasses: ServiceClasses { ServiceClasses(.utility, through: .background) }

  /// Puts the turn of a concurrent queue of class `home`, of a lower band, on the list of the class that asks for it.
  @inline(never) func shareDisplaced(_ one: Slot, from home: ServiceClass, to serviceClass: ServiceClass) {
    lists.ofCaller(.displaced(from: home), serviceClass).append(one)
    standIn.beginDisplaced()
    servesOthers()
    if hasBreadth(for: home) { workArrived(class: serviceClass) }
  }

  /// The turn of a displaced queue of class `home` that work of the class waits for, if there is room for one more
  /// worker.
  func takeDisplaced(from home: ServiceClass, to serviceClass: ServiceClass, _ worker: Worker?) -> PoolJob? {
    let kind = PoolLists.Kind.displaced(from: home)
    guard !lists.isEmpty(kind, of: serviceClass), worker?.enters(home) ?? true else { return nil }
    return take(kind, of: serviceClass)
  }

  /// The same for a pool that has no thread left: whoever else runs such items.
  func takeDisplacedAnyway(to serviceClass: ServiceClass, _ worker: Worker?) -> PoolJob? {
    for home in Self.lowerClasses {
      if let job = take(.displaced(from: home), of: serviceClass) {
        worker?.entersAnyway(home)
        return job
      }
    }
    return nil
  }

  /// The same of an overdue list; `late`: the bits of those.
  func takeDisplaced(late: UInt32, to serviceClass: ServiceClass, _ worker: Worker?) -> PoolJob? {
    for home in Self.lowerClasses where late & Self.lateBit(.displaced(from: home), of: serviceClass) != 0 {
      if let job = takeDisplaced(from: home, to: serviceClass, worker) { return job }
    }
    return nil
  }

  /// Whether displaced queues wait on the list of the class. `forOneMore`: and there is room for one more worker.
  func isDisplacedWaiting(_ serviceClass: ServiceClass, forOneMore: Bool) -> Bool {
    Self.lowerClasses.contains { home in
      !lists.isEmpty(.displaced(from: home), of: serviceClass) && (!forOneMore || hasBreadth(for: home))
    }
  }

  /// No displaced queue waits any more. The sampler's.
  func endDisplacedIfNone() {
    func isAny() -> Bool { classes.contains { isDisplacedWaiting($0, forOneMore: false) } }
    guard standIn.hasDisplaced, !isAny() else { return }
    standIn.endDisplaced()
    if isAny() { standIn.beginDisplaced() }
  }
}
