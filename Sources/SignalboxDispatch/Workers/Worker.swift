// Worker.swift: one thread of the pool: its words, how it finds work and parks. What it does with a job is Worker+Run.swift (Queues/), who wakes
// it Pool.swift.
import SignalboxWaits
import SignalboxLocks
import SignalboxSystem
import SignalboxWords

final class Worker: @unchecked Sendable {
  // SAFETY of @unchecked: atomics are for all; plain variables belong to the worker's own thread, or to the sampler's.

  typealias Status = WorkerStatus

  let wakeWord = Atomic32(0)
  let status = Atomic32(Status.searching)
  /// A queue that became runnable here: taken next, or by a searcher when this worker is busy for long. Unmanaged, +1.
  let ownSlot = Atomic64(0)
  /// Items of a global queue that were made here: taken in their order, by this worker or by one without work.
  let ring: OwnRing
  /// Where what it submits goes, beside what it submitted before.
  let order = RingOrder()
  /// The slot of its thread. relaxed: written as the thread begins
  let owner = Relaxed64(0)
  private let rings: RingTable
  /// Counts jobs: unchanged means the same job is still running.
  let progress = Atomic64(0)
  /// What others want of the worker (`Asked`), seen between two items.
  let asked = Atomic32(0)
  /// The kernel's thread number, once running.
  let threadID = Atomic64(0)
  private let jobClassWord = Atomic32(0)
  /// The class that the running job counts against: as which it is served; nil for serial queues.
  // relaxed: its own thread writes it; to others it is a moment's view
  @inline(__always) var jobClass: ServiceClass? {
    get { ServiceClass(rawValue: Int(jobClassWord.loadRelaxed())) }
    set { jobClassWord.storeRelaxed(UInt32(newValue?.rawValue ?? ServiceClass.count)) }
  }
  /// Among those of which lower class the worker counts that run items without a promise (ClassBreadth.swift).
  let breadth = Atomic32(0)
  private let labelLock = UnfairLock()
  // SAFETY: guarded by `labelLock`.
  private var label: String?
  /// The whole label of the queue in whose item the worker last blocked; else the kernel name of what it runs.
  var blockedLabel: String {
    get { labelLock.withLock { label } ?? running.load().text }
    set { labelLock.withLock { label = newValue } }
  }

  /// The name of the queue that runs, and the one the kernel shows.
  let running = AtomicKernelName()
  let named = AtomicKernelName()

  // What the end of this thread inside an item would leave undone (ThreadEnd.swift): the queues being drained, innermost last,
  // and who waits for the running item. The thread's own stack is gone by then.
  // Others read the frames by way of the kernel (KnownMembers): so they hold nothing at first.
  let drains: UnsafeMutablePointer<ThreadFrame> = {
    let frames = UnsafeMutablePointer<ThreadFrame>.allocate(capacity: Worker.drainDepth)
    frames.initialize(repeating: ThreadFrame(object: 0, kind: .drainAlone, previous: nil), count: Worker.drainDepth)
    return frames
  }()
  private(set) var drainCount = 0
  static let drainDepth = 64
  /// Whose member runs, by address; 0: nobody's. relaxed: its own thread writes it, for itself and for hints to others.
  let runningGroupBits = Relaxed64(0)
  /// The work item that runs, and the record of who waits for the item that does. What they are is Worker+Run.swift's to say.
  var runningObject: UnsafeMutableRawPointer?
  var runningRecord: UnsafeRawPointer?

  /// The class of its jobs, as the pool's `classCounts` counts it; nil: it has none. For the worker's own thread.
  private(set) var servedClass: ServiceClass?
  @inline(__always) var band: Band { withPool { $0.band } }
  private var isPaused = false
  /// Whether it came back from sleep in an item while too many ran: it stays with items no longer, until it is out of
  /// work or gets leave (`Pool.useAllowance`). For its own thread.
  var isSurplus = false
  private var streak = 0
  private var queuesFirst = false
  private var round = 0
  /// The moment the last job ended, if the next was taken right after that: it began then. 0: unknown.
  var lastEnd: UInt64 = 0
  private var quickJobs = 0
  private var tinyJobs = 0
  var itemsInJob: UInt64 = 0
  var lastNamed: UInt64 = 0
  // SAFETY: a pool lives forever. Lent, because all workers would quarrel over its reference count.
  let pool: Lent<Pool>

  // Who prefers its thread: PreferredWorker.swift. SAFETY: guarded by `rankLock`.
  let rankLock = UnfairLock()
  nonisolated(unsafe) var helpers = 0
  nonisolated(unsafe) var urgentHelpers = 0
  nonisolated(unsafe) var hasEnded = false

  /// `progress` as the last glance found it, or the worker itself as it asked for one. relaxed: two readings are compared
  let glancedAt = Relaxed64(0)
  /// What the sampler has found of this worker; the sampler's alone.
  var samples = WorkerSamples()

  let isPrivate: Bool
  /// Whether it polls for events when all processors are busy: what comes may be urgent.
  let polls: Bool

  /// Whether its thread stands behind those of the normal band.
  let isLowered: Bool

  init(pool: Pool) {
    self.pool = Lent(pool)
    rings = pool.rings
    ring = rings.lend()
    isPrivate = pool.isPrivate
    isLowered = !isPrivate && pool.band != .normal
    polls = !isPrivate && !isLowered
  }

  @inline(__always) func withPool<R>(_ body: (Pool) -> R) -> R { pool.use(body) }
  /// The same, for its own thread, which is about to do something there.
  @inline(__always) var touchedPool: Lent<Pool> {
    if _slowPath(isPrivate) { withPool { $0.isTouched() } }
    return pool
  }
  @inline(__always) func isOf(_ other: Pool) -> Bool { pool == Lent(other) }

  deinit {
    drains.deallocate()
    rings.takeBack(ring)
  }

  /// Notes a drain that begins; deeper ones than `drainDepth` are not noted.
  @inline(__always) func beginDrain(_ frame: ThreadFrame) {
    if drainCount < Worker.drainDepth { (drains + drainCount).initialize(to: frame) }
    drainCount += 1
  }
  @inline(__always) func endDrain() { drainCount -= 1 }
  /// The queues that its thread drains, the innermost last, as far as noted. For its own thread.
  var drainedQueues: [UInt] { (0..<min(drainCount, Worker.drainDepth)).map { drains[$0].object } }
  /// The innermost drain noted, taken off.
  func popDrain() -> (queue: UInt, kind: FrameKind)? {
    drainCount = min(drainCount, Worker.drainDepth)
    guard drainCount > 0 else { return nil }
    drainCount -= 1
    return (drains[drainCount].object, drains[drainCount].kind)
  }

  // MARK: the thread

  /// For a search of all schedules: the thread is about to do something in the pool, and its own word is a part of the worker.
  @inline(never) func isTouched() {
    withPool { $0.isTouched() }
    Events.emit(.touched, UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
  }

  /// The searcher's check: roots first, then other workers' own slots; for a bounded time.
  func search() -> PoolJob? {
    var round = 0
    var job: PoolJob?
    _ = AdaptiveSpin.run(&ThreadSlot.current.pointee.search_spin, limit: Tuning.searchSpins) {
      job = takeWork()
      round += 1
      if job == nil, round & 31 == 0 { job = withPool { $0.steal(for: self) } }
      return job != nil
    }
    return job
  }

  /// Its shard of the shared lists: that of its thread, as long as it runs.
  var shard: Int { Int(truncatingIfNeeded: OwnerValue.slot(of: owner.load())) }

  /// Where it begins to search for rings to take from: elsewhere each time.
  func nextVictim() -> Int {
    round &+= 1
    return Int(UInt(bitPattern: round &* 0x9E37_79B9) >> 8)
  }

  func takeWork() -> PoolJob? {
    let own = ownSlot.loadRelaxed()  // relaxed: the exchange re-checks
    // relaxed: a hint, as told at the word
    if own != 0, streak < Tuning.ownSlotStreak, withPool({ $0.overdue.loadRelaxed() & Pool.overdueLists == 0 }),
      let job = takeOwn()
    {
      streak += 1
      return job
    }
    streak = 0
    // In registers: read again out of memory so soon after the stores they would have to be waited for.
    let (areQueuesFirst, round) = (!queuesFirst, self.round &+ 1)
    (queuesFirst, self.round) = (areQueuesFirst, round)
    return withPool {
      $0.takeShared(for: Pool.Taker(queuesFirst: areQueuesFirst, own: servedClass, round: round, worker: self))
        ?? $0.stealItems(for: self)
    } ?? takeOwn()
  }

  private func takeOwn() -> PoolJob? {
    guard ownSlot.loadRelaxed() != 0 else { return nil }  // relaxed: the exchange re-checks
    // acquire-release: in turn with thieves (steal) and the sampler; one of them gets the queue
    let queue = ownSlot.exchangeAcqRel(0)
    if queue == 0 { return nil }
    if _slowPath(withPool { $0.isCrowded }), !mayAddItems(of: queue) {
      withPool { $0.putBack(queue) }
      return nil
    }
    return PoolJob(.turn(queue), root: 0)
  }

  /// The class of the jobs that the worker runs from now on, or none.
  @inline(__always) func serves(_ serviceClass: ServiceClass?) {
    if serviceClass != servedClass { servesAnew(serviceClass) }
  }
  @inline(never) private func servesAnew(_ own: ServiceClass?) {
    withPool { pool in
      let serviceClass = own.map { pool.servedClass(of: $0) }
      if serviceClass == servedClass { return }
      pool.classCounts.change(from: servedClass, to: serviceClass)
      servedClass = serviceClass
    }
  }

  /// Whether the worker was taken for one that sleeps, or more workers run than are to: what it would begin next within
  /// its job another is to take, if the processors have room.
  var isOneTooMany: Bool { mayBeCountedOut || withPool { $0.isCrowded } }

  /// The worker parks in a wait of ours in the midst of a job: it serves nobody meanwhile.
  func pausesService() {
    withPool { $0.classCounts.change(from: servedClass, to: nil) }
    isPaused = true
  }
  func resumesService() {
    guard isPaused else { return }
    isPaused = false
    withPool { $0.classCounts.change(from: nil, to: servedClass) }
  }

  /// Sixteen quick jobs in a row say that items are quick (or tiny, if all were), one long one that they are not: see
  /// Pool.workArrived(on:). A drain's items count by their average.
  @inline(__always) func noteDuration(_ ticks: UInt64) {
    let each = itemsInJob > 1 ? ticks / itemsInJob : ticks
    guard each < Tuning.quickItemTicks else {
      quickJobs = 0
      tinyJobs = 0
      setPace(Pool.Pace.unknown)
      return
    }
    quickJobs += 1
    tinyJobs = each < Tuning.tinyItemTicks ? tinyJobs + 1 : 0
    let pace = tinyJobs >= 16 ? Pool.Pace.tiny : quickJobs >= 16 ? Pool.Pace.quick : Pool.Pace.unknown
    if pace != Pool.Pace.unknown { setPace(pace) }
  }

  @inline(__always) private func setPace(_ pace: UInt32) {
    // relaxed: a hint, like all of the pace
    withPool { if $0.pace.loadRelaxed() != pace { $0.changePace(to: pace) } }
  }

  /// An item of a drain has run: the sampler sees that the job goes on, and the average counts it.
  @inline(__always) func noteItem() {
    itemsInJob += 1
    // relaxed: the sampler compares two readings, nothing is read through them.
    progress.storeRelaxed(progress.loadRelaxed() &+ 1)
  }

  /// Parks until woken. False: the worker is to end.
  func park(wasSearching: Bool) -> Bool {
    if polls { EventThread.shared.comeBack() }
    running.store(.idle)
    nameOneself()
    guard Events.areWanted(.parked) else { return withPool { $0.park(self, wasSearching: wasSearching) } }
    tellPool(.parked)
    defer { tellPool(.woken) }
    return withPool { $0.park(self, wasSearching: wasSearching) }
  }

  /// The worker parks, or goes on; its pool may have this many workers.
  @inline(never) func tellPool(_ event: EventKind) {
    let (bound, band) = withPool { ($0.bound, $0.band) }
    Events.emit(event, UInt(bound), UInt64(band.rawValue))
  }

  // MARK: the kernel name

  /// Names the calling thread, this worker's, after what it runs.
  func nameOneself() {
    let name = running.load()
    if named.load() == name { return }
    name.withBytes { Threads.setName(bytes: $0) }
    named.store(name)
  }
}

/// Work for a worker: a slot's two words, and the global queue it came from.
struct PoolJob {
  let one: Slot
  /// Address of the global queue, for the frame of a plain item.
  let root: UInt64

  @inline(__always) init(_ one: Slot, root: UInt64) { (self.one, self.root) = (one, root) }

  @inline(__always) var first: UInt64 { one.first }
  @inline(__always) var second: UInt64 { one.second }
}
