// Inversions.swift: a thread that runs what more urgent work waits for, and stands behind it: what is done about it, and what cannot be is
// counted. When that comes to pass is Queues/DispatchQueue+Raise.swift.
import SignalboxSystem

enum Inversions {
  /// A wait shorter than this is not counted: 10 ms, in nanoseconds.
  static let patience: UInt64 = 10_000_000
  /// How many waits could not be helped and lasted longer. relaxed: a count by itself.
  static let count = Relaxed64(0)

  static func note(lasted nanoseconds: UInt64) { if nanoseconds > patience { count.add(1) } }

  /// The place of the class that the calling thread's work has: threads of the program's count as default.
  @inline(__always) static var placeOfCaller: Int {
    guard let worker = Pool.worker(ThreadSlot.current) else { return GlobalQueues.placeOfDefault }
    let place = worker.use { $0.servedPlace }
    return place == ClassCounts.none ? GlobalQueues.placeOfDefault : place
  }

  /// Work at `place` waits for what the owner of `queue` does: if that is a worker of a lower band it is asked to give way after its item,
  /// so that the rest moves, and it is preferred until then: its next turn comes soon, and where the kernel permits that it gets as much of a
  /// processor as the asker's band has. True: it does not get that.
  static func help(ownerOf queue: DispatchQueue, to place: Int) -> Bool {
    let band = Band(place: place)
    guard let owner = queue.ownerNumber, let (worker, thread) = worker(owner: owner),
      worker.band.rawValue > band.rawValue
    else { return false }
    worker.ask(Worker.Asked.toYield)
    // First preferred, then asked to go back, after this item or before the next job.
    worker.band.rank?.prefer(thread, asAt: band.niceness)
    worker.ask(Worker.Asked.toGoBack)
    // It may have begun its next job between the two.
    if queue.ownerNumber != owner { worker.band.rank?.settleAgain(thread) }
    // Else it does not stand behind.
    guard let permitted = ThreadRank.permissions, permitted.contains(.lowering) else { return false }
    return !permitted.contains(.raising)
  }

  /// Nobody asks for `queue` any more: who drains it on a thread of another band than its own is asked to give way, so that the rest
  /// moves. The calling thread, if it is the owner, waited for its turn: it leaves the rest to the target.
  static func sendBack(_ queue: DispatchQueue) {
    guard let owner = queue.ownerNumber, owner != ThreadSlot.current.pointee.owner, let (worker, _) = worker(owner: owner),
      queue.isMisplaced(in: worker.band)
    else { return }
    worker.ask(Worker.Asked.toYield)
  }

  /// The worker of the process's engine whose thread is `owner`, and the kernel's number of that.
  private static func worker(owner: UInt64) -> (worker: Worker, thread: Int32)? {
    guard let thread = ThreadTable.entry(owner: owner)?.thread else { return nil }
    for pool in Pools.all {
      // acquire: pairs with the release by which the worker's thread says its number
      for worker in pool.use({ $0.workers }) where worker.threadID.loadAcquire() == UInt64(thread) { return (worker, thread) }
    }
    return nil
  }
}

extension DispatchQoS {
  /// How often work has waited for longer than 10 ms for a thread of a less urgent class that the kernel does not permit to be
  /// preferred: see `granted`.
  ///
  /// - Complexity: O(1). Thread safety: any thread.
  public static var unhelpedInversions: Int { Int(Inversions.count.load()) }
}
