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
