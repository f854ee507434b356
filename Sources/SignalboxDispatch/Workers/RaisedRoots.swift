// RaisedRoots.swift: the items of a lower band's global queue that a pool serves as well, as the class that waits for one of them. Who asks for
// that, and until when, is RootRaise.swift (Queues/).

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

  /// An item of a raised queue, or a displaced queue, that work at `place` waits for: of the two in turn.
  @inline(never) func takeRaised(at place: Int, _ taker: borrowing Taker) -> PoolJob? {
    for lower in places.upperBound..<ServiceClasses.count {
      let displacedFirst = taker.round & 1 == 0
      if displacedFirst, let job = takeDisplaced(from: lower, at: place, taker.worker) { return job }
      if standIn.placeAsked(for: lower) == place, let job = takeRaised(from: lower, taker.worker) { return job }
      if !displacedFirst, let job = takeDisplaced(from: lower, at: place, taker.worker) { return job }
    }
    return nil
  }

  /// An item of the raised queue of the class at `lower`, if there is room for one more worker there. What is submitted when nobody waits any
  /// more is not taken.
  private func takeRaised(from lower: Int, _ worker: Worker?) -> PoolJob? {
    guard !lists.isEmpty(.items, lower), worker?.enters(lower) ?? true else { return nil }
    guard let job = take(.items, lower, where: { standIn.isRaised(lower) }) else { return nil }
    if job.one.isTurn { duties.isServedElsewhere(job.second) }
    return job
  }

  /// Whether a raised queue that work at `place` waits for holds work, or a displaced one waits, and there is room for one more worker.
  func isRaisedWaiting(_ place: Int) -> Bool {
    (places.upperBound..<ServiceClasses.count).contains { lower in
      let isRaised = standIn.placeAsked(for: lower) == place && !lists.isEmpty(.items, lower)
      return (isRaised || !lists.isEmpty(.displaced(from: lower), place)) && hasBreadth(lower)
    }
  }

  /// The place as which jobs of the class at `place` are served here: of a raised global queue that of who waits.
  func placeServed(_ place: Int) -> Int {
    place < places.upperBound ? place : standIn.placeAsked(for: place) ?? place
  }
}
