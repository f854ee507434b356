// RaisedRoots.swift: the items of a lower band's global queue that a pool serves as well, as the class that waits for one of them. Who asks for
// that, and until when, is RootRaise.swift (Queues/).
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
