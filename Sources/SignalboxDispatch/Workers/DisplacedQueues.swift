// DisplacedQueues.swift: turns of concurrent queues of a lower band that a pool serves as its own, because more urgent work waits for them. They
// lie on lists of their own: unlike serial queues they are promised no thread, and unlike the pool's items they count against the class from
// which they come (ClassBreadth.swift). Who serves a pool's queues for it (ExhaustedBand.swift) serves them as well.
//
//     P1  claim on the list                       S1  take the bit off
//     P2  set the bit, unless it is set           S2  read the lists: is one filled? set the bit again
//
// The bit has workers check these lists at all. P2 before S1: P1 is before S2, and the sampler finds the queue. S1 before P2: the pusher
// finds the bit off, and sets it.
import SignalboxSystem
import SignalboxWords

extension Pool {
  /// Where the classes of lower bands stand.
  private static let lowerPlaces = 3..<ServiceClasses.count

  /// Puts the turn of a concurrent queue of the class at `home`, of a lower band, on the list of the class at `place`, which asks for it.
  @inline(never) func shareDisplaced(_ one: Slot, from home: Int, _ place: Int) {
    lists.ofCaller(.displaced(from: home), place).append(one)
    standIn.beginDisplaced()
    servesOthers()
    if hasBreadth(home) { workArrived(class: place) }
  }

  /// The turn of a displaced queue of the class at `home` that work at `place` waits for, if there is room for one more worker there.
  func takeDisplaced(from home: Int, at place: Int, _ worker: Worker?) -> PoolJob? {
    let kind = PoolLists.Kind.displaced(from: home)
    guard !lists.isEmpty(kind, place), worker?.enters(home) ?? true else { return nil }
    return take(kind, place)
  }

  /// The same for a pool that has no thread left: whoever else runs such items.
  func takeDisplacedAnyway(at place: Int, _ worker: Worker?) -> PoolJob? {
    for home in Self.lowerPlaces {
      if let job = take(.displaced(from: home), place) {
        worker?.entersAnyway(home)
        return job
      }
    }
    return nil
  }

  /// The same of an overdue list; `late`: the bits of those.
  func takeDisplaced(late: UInt32, at place: Int, _ worker: Worker?) -> PoolJob? {
    for home in Self.lowerPlaces where late & Self.lateBit(.displaced(from: home), place) != 0 {
      if let job = takeDisplaced(from: home, at: place, worker) { return job }
    }
    return nil
  }

  /// Whether displaced queues wait on the list of the class at `place`. `forOneMore`: and there is room for one more worker.
  func isDisplacedWaiting(_ place: Int, forOneMore: Bool) -> Bool {
    Self.lowerPlaces.contains { home in
      !lists.isEmpty(.displaced(from: home), place) && (!forOneMore || hasBreadth(home))
    }
  }

  /// No displaced queue waits any more. The sampler's.
  func endDisplacedIfNone() {
    func isAny() -> Bool { places.contains { isDisplacedWaiting($0, forOneMore: false) } }
    guard standIn.hasDisplaced, !isAny() else { return }
    standIn.endDisplaced()
    if isAny() { standIn.beginDisplaced() }
  }
}
