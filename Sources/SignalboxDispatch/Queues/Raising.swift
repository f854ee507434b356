// Raising.swift: what one waiting thread has raised: queues in which what it waits for lies, and threads that run it. How a queue is raised is
// DispatchQueue+Raise.swift and RootRaise.swift, how a thread is helped Inversions.swift.
//
// All waits that inherit are this: whoever is about to sleep says what keeps it waiting, sleeps, and takes it back. Nothing of it is done
// while no thread of a lower band exists.
import SignalboxDiagnosis
import SignalboxLocks
import SignalboxSystem

package final class Raising: @unchecked Sendable {
  // SAFETY of @unchecked: guarded by `lock`. Beside the waiting thread a worker may add what it finds (KnownMembers), also too late.

  /// The class of who waits.
  let place: Int
  private let start = Clock.uptime()
  private let lock = UnfairLock()
  /// Each with a reference.
  @exclusivity(unchecked) private var queues: [DispatchQueue] = []
  @exclusivity(unchecked) private var workers: [Worker] = []
  @exclusivity(unchecked) private var helpless: Band?
  @exclusivity(unchecked) private var isOver = false

  init(_ place: Int) { self.place = place }

  /// Runs `body`, in which the calling thread sleeps; `find` says what it waits for, if that may matter.
  @inline(__always)
  package static func around<R>(_ find: (Raising) -> Void, _ body: () -> R) -> R {
    let place = Inversions.placeOfCaller
    return _fastPath(!Inversions.mayMatter(to: place)) ? body() : inside(place, find, body)
  }

  @inline(never) static func inside<R>(_ place: Int, _ find: (Raising) -> Void, _ body: () -> R) -> R {
    let raising = Raising(place)
    find(raising)
    defer { raising.end() }
    return body()
  }

  /// What is waited for lies in `queue`, or will: it is served as urgently until the end, if it is of a lower band. The caller keeps it
  /// alive for the call. Any thread.
  package func add(_ queue: DispatchQueue) {
    guard Band(place: queue.classPlace).rawValue > Band(place: place).rawValue, !queue.isThreadBound else { return }
    if queue.isRoot {
      RootRaise.begin(queue, to: place)
      return keep(queue, nil)
    }
    keep(queue, queue.beginRaise(to: place))
    // What the owner waits for in its turn.
    if let owner = queue.ownerNumber { for next in OwnerChain.behind(owner) { addThread(next) } }
    // Items that run beside others have no owner to ask.
    if queue.isConcurrent { askLowered(Worker.Asked.toYield) }
  }

  private func keep(_ queue: DispatchQueue, _ band: Band?) {
    let isLate = lock.withLock {
      if isOver { return true }
      queues.append(queue)
      if let band { helpless = band }
      return false
    }
    if isLate { takeBack(queue) }
  }

  /// What is waited for is done by the thread that `owner` names, or it has what is waited for; and whatever that one waits for in turn.
  package func add(threadOf owner: UInt64) {
    addThread(owner)
    for next in OwnerChain.behind(owner) { addThread(next) }
  }

  private func addThread(_ owner: UInt64) {
    if let worker = Inversions.worker(owner: owner, behind: place) { add(worker) }
  }

  /// The worker, of a lower band, runs what is waited for. Any thread.
  func add(_ worker: Worker) {
    if lock.withLock({ workers.contains { $0 === worker } }) { return }
    worker.isHelped(asAt: Band(place: place).niceness)
    let isLate = lock.withLock {
      if isOver { return true }
      workers.append(worker)
      if Inversions.isHelpless { helpless = worker.band }
      return false
    }
    if isLate { worker.isHelpedNoMore() }
  }

  /// Asks the workers of all lower bands.
  func askLowered(_ bits: UInt32) { forEachLoweredPool { pool in for worker in pool.workers { worker.ask(bits) } } }

  func forEachLoweredPool(_ body: (Pool) -> Void) {
    for band in Band.allCases[(Band(place: place).rawValue + 1)...] { Pools.serving(band.places.lowerBound).use(body) }
  }

  /// The wait is over: everything goes back. Once only.
  func end() {
    let (queues, workers, helpless) = lock.withLock {
      isOver = true
      return (self.queues, self.workers, self.helpless)
    }
    for queue in queues { takeBack(queue) }
    for worker in workers { worker.isHelpedNoMore() }
    if let helpless { Inversions.note(lasted: Clock.uptime() &- start, for: helpless) }
  }

  private func takeBack(_ queue: DispatchQueue) {
    if queue.isRoot { return RootRaise.end(queue, to: place) }
    queue.endRaise(to: place)
    Inversions.sendBack(queue)
    if queue.isConcurrent {
      Pools.serving(place).use { for worker in $0.workers { worker.ask(Worker.Asked.toYield) } }
    }
  }
}
