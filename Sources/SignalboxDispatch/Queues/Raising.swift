// Raising.swift: what one waiting thread has raised: queues in which what it waits for lies, and threads that run it.
// Some waits also help a thread that takes the queue later. How a queue is raised is DispatchQueue+Raise.swift and
// RootRaise.swift, how a thread is helped Inversions.swift.
//
// All waits that inherit are this: whoever is about to sleep says what keeps it waiting, sleeps, and takes it back.
// Nothing of it is done while no thread of a lower band exists.
import SignalboxLocks
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

package final class Raising: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `lock`. Beside the waiting thread a worker may add what it finds (KnownMembers), also too late.

  /// The class of who waits.
  let serviceClass: ServiceClass
  private let start = Clock.uptime()
  private let lock = UnfairLock()
  /// Each with a reference.
  @exclusivity(unchecked) private var queues: [DispatchQueue] = []
  @exclusivity(unchecked) private var workers: [Worker] = []
  @exclusivity(unchecked) private var helpless: Band?
  @exclusivity(unchecked) private var isOver = false

  init(_ serviceClass: ServiceClass) { self.serviceClass = serviceClass }

  /// Runs `body`, in which the calling thread sleeps; `find` says what it waits for, if that may matter.
  @inline(__always)
  package static func around<R>(_ find: (Raising) -> Void, _ body: () -> R) -> R {
    let serviceClass = Inversions.classOfCaller
    return _fastPath(!Inversions.mayMatter(to: serviceClass)) ? body() : inside(serviceClass, find, body)
  }

  @inline(never) static func inside<R>(_ serviceClass: ServiceClass, _ find: (Raising) -> Void, _ body: () -> R) -> R {
    let raising = Raising(serviceClass)
    find(raising)
    defer { raising.end() }
    return body()
  }

  /// What is waited for lies in `queue`, or will: until the end it is served as urgently, if it is of a lower band, and threads of lower bands
  /// that hold it or one of its targets are helped, of whatever class it is. The caller keeps it alive for the call. Any thread.
  package func add(_ queue: DispatchQueue) {
    guard !queue.isThreadBound else { return }
    let isLower = isLower(queue)
    if queue.isRoot {
      guard isLower else { return }
      RootRaise.begin(queue, to: serviceClass)
      return keep(queue)
    }
    // Listed first, and asked afterwards: a thread that takes the queue meanwhile finds the wait, or is found.
    queue.forEachTurn { Awaited.add($0.address, self) }
    if lock.withLock({ isOver }) { return Awaited.remove(self) }
    if isLower {
      queue.beginRaise(to: serviceClass, helps: false)
      keep(queue)
      // Items that run beside others have no owner to ask.
      if queue.isConcurrent { askLowered(Worker.Asked.toYield) }
    }
    queue.forEachTurn { queue in
      if let owner = queue.ownerNumber { add(owner: owner, of: queue) }
      if queue.isConcurrent { addInsiders(of: queue.address) }
    }
  }

  /// Whether `queue` is raised for this wait, or the wait is over.
  func hasRaised(_ queue: DispatchQueue) -> Bool { lock.withLock { isOver || queues.contains { $0 === queue } } }

  private func isLower(_ queue: DispatchQueue) -> Bool { queue.serviceClass.band.rawValue > serviceClass.band.rawValue }

  private func keep(_ queue: DispatchQueue) {
    let isLate = lock.withLock {
      if isOver { return true }
      queues.append(queue)
      return false
    }
    if isLate { takeBack(queue) }
  }

  /// The thread that `owner` names has the turn of `queue`, by a drain or by `sync`.
  private func add(owner: UInt64, of queue: DispatchQueue) {
    guard LoweredThreads.contains(owner) else { return }
    guard let entry = ThreadTable.entry(owner: owner), entry.drains(queue.address) else { return add(threadOf: owner) }
    // What is left of a drain moves when its item has ended: it is helped no longer than that.
    if let band = Inversions.help(ownerOf: queue, to: serviceClass) { lock.withLock { helpless = band } }
    for next in OwnerChain.behind(owner) { addThread(next) }
  }

  /// Several threads may be inside of what is waited for, at `address`: as readers, as participants of a loop, with one item each.
  package func addInsiders(of address: UInt) {
    forEachLoweredPool { pool in
      for worker in pool.workers {
        guard let entry = ThreadTable.entry(owner: worker.owner.load()), entry.isInside(address) else { continue }
        guard entry.drains(address) else { add(worker); continue }
        if let band = Inversions.help(worker, to: serviceClass) { lock.withLock { helpless = band } }
      }
    }
  }

  /// What is waited for is done by the thread that `owner` names, or it has what is waited for; and whatever that one waits for in turn.
  package func add(threadOf owner: UInt64) {
    addThread(owner)
    for next in OwnerChain.behind(owner) { addThread(next) }
  }

  private func addThread(_ owner: UInt64) {
    if let worker = Inversions.worker(owner: owner, behind: serviceClass) { add(worker) }
  }

  /// The worker, of a lower band, runs what is waited for. Any thread.
  func add(_ worker: Worker) {
    if lock.withLock({ workers.contains { $0 === worker } }) { return }
    worker.isHelped(by: serviceClass.band)
    let isLate = lock.withLock {
      if isOver { return true }
      workers.append(worker)
      if Inversions.isHelpless { helpless = worker.band }
      return false
    }
    if isLate { worker.isHelpedNoMore(by: serviceClass.band) }
  }

  /// Asks the workers of all lower bands.
  func askLowered(_ bits: UInt32) { forEachLoweredPool { pool in for worker in pool.workers { worker.ask(bits) } } }

  func forEachLoweredPool(_ body: (Pool) -> Void) {
    for band in Band.allCases[(serviceClass.band.rawValue + 1)...] { Pools.serving(band.classes.mostUrgent).use(body) }
  }

  /// The wait is over: everything goes back. Once only.
  func end() {
    let (queues, workers, helpless) = lock.withLock {
      isOver = true
      return (self.queues, self.workers, self.helpless)
    }
    Awaited.remove(self)
    for queue in queues { takeBack(queue) }
    for worker in workers { worker.isHelpedNoMore(by: serviceClass.band) }
    if let helpless { Inversions.note(lasted: Clock.uptime() &- start, for: helpless) }
  }

  private func takeBack(_ queue: DispatchQueue) {
    if queue.isRoot { return RootRaise.end(queue, to: serviceClass) }
    queue.endRaise(to: serviceClass)
    Inversions.sendBack(queue)
    if queue.isConcurrent {
      Pools.serving(serviceClass).use { for worker in $0.workers { worker.ask(Worker.Asked.toYield) } }
    }
  }
}

// MARK: waits for what may come to another thread meanwhile

// Some waits that inherit are for the turn of a queue, or for a lock of readers and writers. That may come to another
// thread of a lower band while they sleep, and this one is to be helped as the first was.
//
//   waiter  A1 lists its wait   A2 reads the owner in the queue's word, and helps it
//   holder  B1 becomes the owner, by a swap of that word   B2 reads how many waits are listed: some? it searches for its queue's
// A1 and B2 are sequentially consistent, and so are A2 and B1 or both are swaps of the one word: A2 sees the owner of
// B1, or B2 sees the wait. Should that be missed, by an acquiring swap, the holder is helped when the waiter reads
// next, and nothing else depends on it.
//
// B2 is only for threads of lower bands that have waited for the queue themselves. A thread that takes the queue by the
// inlined swap does without: it can only do so in the moment in which a sleeper at the gate is woken, and that one says
// whose the queue is before it sleeps again.

enum Awaited {
  private struct Wait {
    /// The queue's address: a name.
    let object: UInt
    let raising: Raising
  }
  private static let lock = UnfairLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var waits: [Wait] = []
  private static let count = Atomic32(0)

  /// `raising` is for `object`, until it is over.
  static func add(_ object: UInt, _ raising: Raising) {
    lock.withLock { waits.append(Wait(object: object, raising: raising)) }
    _ = count.addSeqCst(1)  // seq_cst: A1
  }

  static func remove(_ raising: Raising) {
    // relaxed: what was listed for this wait was so before, by this thread or by one that has had the wait's lock since
    if count.loadRelaxed() == 0 { return }
    let removed = lock.withLock { () -> Int in
      let before = waits.count
      waits.removeAll { $0.raising === raising }
      return before - waits.count
    }
    _ = count.addRelaxed(0 &- UInt32(removed))  // relaxed: too high a count costs a search
  }

  /// The thread that `owner` names has `object`: those that wait for it help that thread, if it is of a lower band than they are.
  @inline(__always) static func isHeld(_ object: UInt, by owner: UInt64) {
    if _slowPath(LoweredThreads.contains(owner)) { help(owner, with: object) }
  }

  @inline(never) private static func help(_ owner: UInt64, with object: UInt) {
    if count.loadSeqCst() == 0 { return }  // seq_cst: B2
    let found = lock.withLock { waits.compactMap { $0.object == object ? $0.raising : nil } }
    for raising in found { raising.add(threadOf: owner) }
  }
}
