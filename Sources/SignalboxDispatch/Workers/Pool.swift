// Pool.swift: the threads that run everything: when one is woken, made, parked or let go. Its counts are
// PoolState.swift, which work they take is PoolTaking.swift. What makes a worker count as blocked is WorkerStatus.swift
// and PoolSampler.swift; what it leaves to those whose items it holds, Pools.swift. README.md: "Nobody sleeps on work".
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

final class Pool: Workforce {
  /// The band whose classes it serves.
  let band: Band
  let classes: ServiceClasses
  /// Those of its engine, of all classes.
  let lists: PoolLists
  /// 1: rings of workers may hold what somebody without work is to take. Set behind an item, taken off by a worker that has found none.
  let ringsHoldWork = Atomic32(0)
  let rings: RingTable

  /// Whether it serves a private engine: whose threads and times an exploration chooses. Nothing there may depend on how long
  /// something takes, so there is no sampler, and each item that comes gets a worker.
  let isPrivate: Bool
  /// The global queues' addresses, by their classes: a job says from which it came. The pool follows none.
  let roots: InlineArray<5, UInt64>
  // SAFETY: the numbers of the classes are those of the five.
  @inline(__always) func rootAddress(of serviceClass: ServiceClass) -> UInt64 { roots[unchecked: serviceClass.rawValue] }
  let duties: PoolDuties
  /// 1: idle workers are to end.
  private let isEnding = Atomic32(0)
  /// Whether there may be many workers: then they keep more of what they submit, and take several items at once from a shared list.
  let isWide: Bool
  /// Workers of a private engine that run at once, at most.
  private static let privateWidth: UInt64 = 64

  private let state = AtomicState(PoolState(rawValue: 0))
  var processors: UInt64 { isPrivate ? Self.privateWidth : UInt64(Tuning.processors) }
  /// How many idle workers stay forever: of the lower bands none.
  private var kept: UInt64 { band == .normal ? processors : 0 }
  let bound: UInt64
  private let lock = UnfairLock()
  // SAFETY: both guarded by `lock`. Unchecked: the lock excludes what the exclusivity check detects, which was a seventh of a wake.
  @exclusivity(unchecked) nonisolated(unsafe) private var idleWorkers: [Worker] = []
  @exclusivity(unchecked) nonisolated(unsafe) private var allWorkers: [Worker] = []
  let allowances = Atomic32(0)
  /// The lists that come first, by their bits: items, then turns (ListAges); and `mayServeOthers`. Written by the sampler. relaxed: a hint.
  let overdue = Atomic32(0)
  /// How many workers are to run at once: as many as the process may keep processors busy, or more while items sleep a lot (PoolWidth).
  /// Written by the sampler, by `setWidth`. relaxed: a hint.
  let width: Atomic32
  /// What `searchers` says: a number of the pool's own, so that the step that counts a searcher reads nothing else. relaxed: as `width`.
  private let mostSearchers: Atomic32
  let classCounts = ClassCounts()
  /// Of a lower band's: how many workers, whose ever they are, run items of its global queue and of concurrent queues on it (ClassBreadth).
  let breadth = Atomic32(0)
  /// How quick the items of the workers' jobs have lately been (Worker.noteDuration). relaxed everywhere: a hint.
  let pace = Atomic32(Pace.unknown)
  enum Pace {
    static let unknown: UInt32 = 0
    /// Over before a sleeper could be up.
    static let quick: UInt32 = 1
    /// Over before a second worker could have taken the next from the list without both waiting for each other's cache lines.
    static let tiny: UInt32 = 2
  }
  /// Under an explorer the pace stays unknown: no item is so quick that another worker could not come before its end.
  @inline(never) func changePace(to new: UInt32) {
    if Exploration.isOn { return }
    pace.storeRelaxed(new)  // relaxed: a hint
  }
  /// The other bands' classes that it serves as well.
  let standIn = StandIn()
  private let reportedBound = Atomic32(0)
  let sampler: PoolSampler
  // SAFETY: the sampler's thread alone uses them.
  nonisolated(unsafe) let notes: PoolNotes

  /// `band`: nil for a private engine's.
  init(_ band: Band?, _ lists: PoolLists, _ roots: InlineArray<5, UInt64>, _ duties: PoolDuties) {
    self.lists = lists
    (self.roots, self.duties) = (roots, duties)
    self.band = band ?? .normal
    classes = band?.classes ?? ServiceClass.all
    isPrivate = band == nil
    bound = isPrivate ? Self.privateWidth : PoolEnvironment.bound ?? UInt64(Tuning.workerBound)
    let atFirst = isPrivate ? Self.privateWidth : UInt64(Tuning.processors)
    width = Atomic32(UInt32(atFirst))
    mostSearchers = Atomic32(Self.mostSearchers(width: atFirst))
    sampler = isPrivate ? PoolSampler(isOff: true) : .shared
    rings = RingTable(Int(bound))
    isWide = band == .normal && Tuning.processorsPresent >= Tuning.manyProcessors
    notes = PoolNotes(bound: bound, lists: lists.count)
  }

  /// The calling thread, of a private engine, is about to do something here.
  func isTouched() { Events.emit(.touched, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())) }

  // MARK: work comes in

  /// An item of the global queue of the class.
  func submit(_ one: Slot, of serviceClass: ServiceClass) {
    if let worker = Pool.worker(ThreadSlot.current), worker.use({ keeps(one, of: serviceClass, for: $0) }) {
      return workArrived(isInRing: true, areFew: worker.use { $0.ring.count <= 2 }, class: serviceClass)
    }
    share(one, .items, of: serviceClass)
  }

  /// Puts something on a shared list, and sees to it that somebody checks.
  func share(_ one: Slot, _ kind: PoolLists.Kind, of serviceClass: ServiceClass) {
    let list = lists.ofCaller(kind, serviceClass)
    list.append(one)
    workArrived(isInRing: false, areFew: list.hasFewPending, class: serviceClass)
  }

  /// Work lies on a shared list, or in the calling worker's ring. While items are tiny, or quick and few wait, a worker that runs is likely
  /// to take it before a sleeper could be up: it is left to that worker, who checks again before it parks or blocks, and to the sampler should
  /// its job turn out long.
  @inline(__always)
  private func workArrived(isInRing: Bool, areFew: @autoclosure () -> Bool, class serviceClass: ServiceClass) {
    let isLeft =
      switch pace.loadRelaxed() {  // relaxed: a hint, like all of the pace
      case Pace.tiny: true
      case Pace.quick: areFew()
      default: false
      }
    if isInRing, !isLeft { ringHoldsWork() }
    let state = state.loadSeqCst()  // seq_cst P2: after the caller's claim; pairs with P1
    // Searchers check again before they park, but for a ring without the mark.
    if isLeft, state[PoolState.running] > 0, isInRing || state[PoolState.searching] < searchers { return leavesToWorker() }
    if isInRing, isLeft { ringHoldsWork() }
    if state[PoolState.searching] >= searchers { return }
    workArrived(class: serviceClass)
  }

  /// A turn was taken out of a worker's own slot: it goes on the shared list where it belongs.
  func putBack(_ turn: UInt64) {
    duties.putBack(turn)
    workArrived()  // whatever share() left to a running worker: that may be one that stays with its job
  }

  /// The same for any job, of that class, that the worker took and is not to run: behind what has come since.
  func giveBack(_ job: PoolJob, of serviceClass: ServiceClass, by worker: Worker) {
    if job.first == SlotKind.queue { return putBack(job.second) }
    lists.shard(.items, of: serviceClass, for: worker).append(job.one)
    serving(serviceClass).use { $0.workArrived() }
  }

  /// The same for all that lies in a worker's ring: its worker is about to sleep, or stays with its job.
  func shareRing(of worker: Worker) {
    var isAny = false
    while let (one, serviceClass) = worker.ring.take(atMost: 1, { _, _ in }) {
      worker.order.goesToList(serviceClass)
      lists.shard(.items, of: serviceClass, for: worker).append(one)
      isAny = true
    }
    if isAny { workArrived() }
  }

  /// Work lies on a shared list: sees to it that a worker checks. `class`: its class, if that is known.
  func workArrived(force: Bool = false, class serviceClass: ServiceClass? = nil) {
    let old = state.loadSeqCst()  // seq_cst P2: after the caller's claim; pairs with P1
    let searchers = searchers
    if old[PoolState.searching] >= searchers { return }  // they check again before they park
    let width = UInt64(width.loadRelaxed())  // relaxed: a hint, like all of the width
    // Mostly nothing changes: then nothing is written either, and the load alone was the check. seq_cst P1, as in update
    let action = state.updateSeqCst(from: old) {
      $0.afterWorkArrived(processors: width, bound: bound, searchers: searchers, force: force)
    }
    switch action {
    case .nothing: break
    case .wake: wakeOne()
    case .spawn: spawn()
    case .saturated:
      // Urgent work does not wait until work that is less so has ended.
      if let serviceClass, classCounts.atLeast(serviceClass) < processors { return workArrived(force: true) }
      sampler.wake()
    case .atBound:
      reportBound()
      askOthersIfExhausted()
    }
  }

  /// How many may search at once. More would compete for the same work; fewer would be found too slowly where many are to be woken, each by
  /// the one before.
  @inline(__always) var searchers: UInt64 { UInt64(mostSearchers.loadRelaxed()) }  // relaxed: a hint, like all of the width
  private static func mostSearchers(width: UInt64) -> UInt32 {
    UInt32(Tuning.searchers(width: width, processors: UsableProcessors.present))
  }

  /// How many workers are to run at once from now on. The sampler's.
  // relaxed: hints
  func setWidth(_ workers: UInt64) {
    width.storeRelaxed(UInt32(workers))
    mostSearchers.storeRelaxed(Self.mostSearchers(width: workers))
  }

  /// Wakes or makes a worker beyond the width, if there may be another, for what lies in another band.
  func callAnother() {
    let action = update { $0.afterWorkArrived(processors: 0, bound: bound, force: true) }
    if action == .wake { wakeOne() } else if action == .spawn { spawn() }
  }

  /// Whether every processor has a worker with work, as far as is known.
  var isSaturated: Bool {
    let state = state.hint()
    // relaxed: a hint, as above
    return state[PoolState.running] >= UInt64(width.loadRelaxed()) && state[PoolState.searching] == 0
  }

  /// The searcher has work: another takes its place if there is more.
  func found(_ worker: Worker) {
    set { $0.afterFound() }
    // After the count: who is counted as the searcher is not to be counted out.
    // release: pairs with the sampler's acquire, which counts on what the job before has noted
    worker.status.storeRelease(Worker.Status.running)
    guard hasWorkForOneMore || ringsAreToBeServed else { return watchWhatHasNoRoom() }
    if pace.loadRelaxed() == Pace.tiny { leavesToWorker() } else { workArrived() }  // relaxed: a hint, like all of the pace
  }

  /// What lies on a list and has no room (ClassBreadth.swift) wakes no worker, but the sampler: the workers that take the
  /// room may sleep in the kernel, and their places are others' then. After a step of the pool's word, as the check before.
  private func watchWhatHasNoRoom() {
    if _slowPath(isShared || standIn.isNeeded), hasSharedWork { sampler.wake() }
  }

  // MARK: workers go and come

  /// A worker found nothing. True: it is the searcher now. False: it is counted as idle and must park.
  func outOfWork(_ worker: Worker) -> Bool {
    leaveWatch(worker)
    worker.isSurplus = false
    worker.serves(nil)
    // Counted idle before it stands on the stack: a waker that is quicker waits for it there (wakeOne).
    let searchers = searchers
    let searches = update { $0.afterOutOfWork(searchers: searchers) }
    // release: pairs with the acquire of the stall detector, for which a worker that is not idle may run a job
    if searches { worker.status.storeRelease(Worker.Status.searching) }
    return searches
  }

  /// Takes the worker out of the sampler's reach before it is counted idle, and undoes a mark that came just before.
  private func leaveWatch(_ worker: Worker) {
    if worker.leavesRunning(for: Worker.Status.idle) == Worker.Status.sampled { set { $0.afterUnblocked() } }
    // release: as in outOfWork; only this thread writes it by now
    worker.status.storeRelease(Worker.Status.idle)
  }

  /// Parks; `wasSearching`: the word is changed here. False: the worker ends.
  func park(_ worker: Worker, wasSearching: Bool) -> Bool {
    if wasSearching { leaveWatch(worker) }
    worker.wakeWord.storeRelaxed(0)  // relaxed: before it stands on the stack, whose lock orders it before wakeOne()
    lock.withLock { idleWorkers.append(worker) }
    if wasSearching { set { $0.afterSearchEnded() } }
    // Published between our last check and the swap: nobody was notified, so we check again, and wake one like any publisher.
    if hasWorkForOneMore || ringsAreToBeServed { workArrived() } else { watchWhatHasNoRoom() }
    while worker.wakeWord.loadAcquire() == 0 {  // acquire: pairs with the release in wakeOne()
      // seq_cst: pairs with the store in endWorkers, which wakes afterwards
      if isEnding.loadSeqCst() == 1, endIfIdle(worker) { return false }
      let isSpare = state.hint()[PoolState.total] > kept  // the end is decided by a swap
      let deadline: ParkDeadline = isSpare ? .uptime(Clock.uptime() &+ Tuning.idleLife) : .never
      let outcome = worker.wakeWord.park(expected: 0, deadline: deadline)
      if outcome == .timedOut, endIfIdle(worker) { return false }
    }
    worker.status.storeRelease(Worker.Status.searching)  // release: as in outOfWork
    return true
  }

  /// An idle worker too many ends, unless a waker wants it.
  private func endIfIdle(_ worker: Worker) -> Bool {
    let reserved: Bool = update { state in
      if let next = state.afterIdleEnd() { return (next, true) }
      return (state, false)
    }
    guard reserved else { return false }
    let removed = lock.withLock { () -> Bool in
      guard let index = idleWorkers.firstIndex(where: { $0 === worker }) else { return false }
      idleWorkers.remove(at: index)
      allWorkers.removeAll { $0 === worker }
      return true
    }
    // A waker took this worker off the stack while we reserved another's place: give it back and go on.
    if !removed { set { $0.adding(PoolState.idle, 1).adding(PoolState.total, 1) } }
    return removed
  }

  /// Lets the workers of a private engine end. Thread safety: for one thread, while nothing is submitted.
  func endWorkers() {
    isEnding.storeSeqCst(1)  // seq_cst: before the wakes
    for worker in lock.withLock({ idleWorkers }) { worker.wakeWord.wake() }
  }
  /// Workers that are made from now on stay.
  func begin() { isEnding.storeSeqCst(0) }  // seq_cst, as in endWorkers

  private func wakeOne() {
    var spinner = Spinner()
    while true {
      if let worker = lock.withLock({ idleWorkers.popLast() }) {
        worker.wakeWord.storeRelease(1)  // release: what the waker has published; pairs with the acquire in park()
        worker.wakeWord.wake()
        return
      }
      spinner.wait()  // counted as idle, on its way to the stack
    }
  }

  private func spawn() {
    // The workers of a private engine come and go with each run, and files of the kernel's cost more than the rest of a start.
    if !isPrivate { Threads.noteProgramSignals() }
    do { try MemoryReserve.requireAny() } catch { return spawnHasFailed(error) }
    let worker = Worker(pool: self)
    lock.withLock { allWorkers.append(worker) }
    // Before the first thread that stands behind others: that one will make none.
    let duties = duties
    let rank = band.rank.flatMap { !isPrivate && ThreadRank.prepare() ? $0 : nil }
    ForkGuard.arm()
    do {
      try Threads.spawn(name: "signalbox") {
        rank?.take()
        duties.live(worker)
      }
      ThreadShortage.isOver(for: self)
    } catch {
      lock.withLock { allWorkers.removeAll { $0 === worker } }
      spawnHasFailed(error)
    }
  }

  private func spawnHasFailed(_ error: SystemError) {
    set { $0.afterSpawnFailed() }
    // Who parked meanwhile took this worker for the one that searches, and left to it what others had submitted.
    if snapshot[PoolState.idle] > 0 { workArrived() }
    MemoryReserve.lend { ThreadShortage.isNoticed(error, by: self) }
  }

  // MARK: counting

  func update<A>(_ change: (PoolState) -> (PoolState, A)) -> A {
    // seq_cst P1: in one order with claims (S1, Queues) and the checks that follow them: see afterSearchEnded and workArrived.
    state.updateSeqCst(change)
  }

  func set(_ change: (PoolState) -> PoolState) { update { (change($0), ()) } }

  /// A moment's view.
  var snapshot: PoolState { state.hint() }
  /// Where the state lies: for readers of the process's memory.
  var stateAddress: UInt64 { withUnsafePointer(to: state) { UInt64(UInt(bitPattern: $0)) } }
  // seq_cst: after the monitor's store (ForeignCycleDetector); a worker that had not seen that is seen running.
  var lateSnapshot: PoolState { state.loadSeqCst() }
  /// Copied while locked: a shared buffer would be read by one thread while another finds itself its only owner.
  var workers: [Worker] { lock.withLock { allWorkers.map { $0 } } }
  func forget(_ worker: Worker) { lock.withLock { allWorkers.removeAll { $0 === worker } } }

  /// The calling thread's worker, lent: counting its reference would cost every item a pair of swaps.
  @inline(__always) static func worker(_ thread: ThreadPointer) -> Lent<Worker>? {
    // SAFETY: set by the worker's own thread for as long as the thread runs.
    thread.pointee.worker.map { Lent(at: $0) }
  }

  /// Whether the calling worker has a queue in its own slot, or items in its ring.
  @inline(__always) static func hasOwnWork(_ thread: ThreadPointer) -> Bool {
    guard let worker = worker(thread) else { return false }
    // relaxed: only this thread fills it, and one that was emptied by others is a hint too many
    return worker.use { $0.ownSlot.loadRelaxed() != 0 || !$0.ring.isEmpty }
  }
  /// Whether the calling worker has items in its ring.
  static func hasOwnItems(_ thread: ThreadPointer) -> Bool { worker(thread)?.use { !$0.ring.isEmpty } ?? false }

  /// Whether the sampler has asked this thread's drain to let others run.
  @inline(__always) static func wantsYield(_ thread: ThreadPointer) -> Bool {
    guard let worker = worker(thread) else { return false }
    // relaxed: a hint that comes in time for the next item as well
    return worker.use { $0.asked.loadRelaxed() != 0 && $0.wantsYield() }
  }

  private func reportBound() {
    guard reportedBound.exchangeAcqRel(1) == 0 else { return }  // acquire-release: said by one; nothing is read through it
    let blocked = workers.filter { Worker.isCountedOut($0.status.loadRelaxed()) }  // relaxed: for the message
    let queues = [String: Int](blocked.map { ($0.blockedLabel, 1) }, uniquingKeysWith: +)
    let list = queues.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8).map { "\($0.value) in \"\($0.key)\"" }
    let how =
      blocked.isEmpty
      ? ", none of them in a wait that shows yet" : " and \(blocked.count) of them are blocked: \(list.joined(separator: ", "))"
    Misuse.report(
      "all \(bound) worker threads are in use\(how); queued work waits until one returns "
        + "(let items wait less, or raise SIGNALBOX_MAX_THREADS)")
  }
}
