// Worker+Run.swift: what a worker's thread does: takes a job, and runs it under its queue's name. Where the job comes from and how the thread
// parks is Worker.swift (Workers/).
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

extension Worker {
  func threadBody() {
    let thread = ThreadSlot.current
    _ = ThreadSlot.owner()
    owner.store(thread.pointee.owner)
    threadID.storeRelease(thread.pointee.tid)  // release: pairs with the acquires of the sampler and of the monitor
    PoolDescription.learn(from: self)
    thread.pointee.worker = Unmanaged.passUnretained(self).toOpaque()
    if isLowered {
      LoweredThreads.enter(ThreadSlot.owner())
      Inversions.hearOfLocks()
    }
    if Events.areWanted(.woken) { tellPool(.woken) }
    var isSearching = true  // who makes a worker counts it as searching
    while true {
      if _slowPath(isPrivate) { isTouched() }
      guard let job = isSearching ? search() : takeWork() else {
        lastEnd = 0
        leavesBreadth()
        // What it may not take itself now, as too many workers run, is others' to take.
        withPool { $0.shareRing(of: self) }
        if polls, EventThread.shared.pollIfAway() { continue }
        if isSearching || !withPool({ $0.outOfWork(self) }) {
          if !park(wasSearching: isSearching) { break }
        }
        isSearching = true
        continue
      }
      guard counts(job) else {
        withPool { $0.putBack(job.second) }
        continue
      }
      serves(job.serviceClass)  // before others learn that the search is over
      if isSearching {
        isSearching = false
        withPool { $0.found(self) }
        MonitorWord.noticed()
      }
      run(job, thread)
    }
    thread.pointee.worker = nil
    if isLowered { isOver() }
  }

  private func run(_ job: PoolJob, _ thread: ThreadPointer) {
    // A reading of the clock is a sixth of what a tiny item takes: so one serves two jobs, and the taking counts as part of the second. Not where
    // workers wait for one another meanwhile: that is not the item's length.
    let isAlone = withPool { $0.snapshot[PoolState.running] <= 1 }
    let start = lastEnd == 0 || !isAlone ? Clock.ticks() : lastEnd
    // relaxed: the sampler compares two readings, nothing is read through them.
    progress.storeRelaxed(progress.loadRelaxed() &+ 1)
    // relaxed: as in mayBeCountedOut: it slept as it took the job
    if _slowPath(status.loadRelaxed() != Status.running), givesBack(job) { return }
    if _slowPath(isLowered) {
      goBackIfAsked()
      if job.first != SlotKind.queue { preferOneself(forItemOf: job.root) }
    }
    if job.first == SlotKind.queue {
      if _slowPath(hasLost(job.second)) { return Lent<DispatchQueue>(at: job.second).use { $0.moveToBand() } }
      takeName(job.second)
      _ = Item.run(job.one, thread)
    } else {
      takeName(job.root)
      thread.insideDrain(of: UInt(job.root), .drainShared) { frame in
        frame.pointee.runs(job.one)
        _ = Item.run(job.one, thread)
      }
    }
    if asked.loadRelaxed() != 0 { answerAsked() }  // relaxed: taken by a swap; what is asked later concerns the next job
    // relaxed: the sampler's mark, which unblocked() takes off; seen later, it comes off later
    if status.loadRelaxed() != Status.running { withPool { $0.unblocked(self) } }
    if !isPrivate {
      lastEnd = Clock.ticks()
      noteDuration(lastEnd &- start)
    }
    itemsInJob = 0
  }

  /// Counts the worker among those of the class whose items it is about to run, if that is a lower one's, or else among none. False: there is
  /// no room, and the job goes back to a list. It was taken off one where there is: so it is the turn of a queue from a worker's own slot.
  @inline(__always) private func counts(_ job: PoolJob) -> Bool {
    let word = job.boundedClass.map { $0.band == .normal ? 0 : Breadth.word($0) } ?? 0
    // relaxed: only its own thread puts another class there
    return breadth.loadRelaxed() & ~Breadth.isOut == word || countsAnew(word)
  }
  @inline(never) private func countsAnew(_ word: UInt32) -> Bool {
    if isPrivate { return true }
    if word != 0 { return enters(Breadth.serviceClass(word)) }
    leavesBreadth()
    return true
  }

  /// Whether the worker may run the queue though too many run: a serial queue is promised a thread; a concurrent one's
  /// items are served by as many threads as there are to be, and by a worker that has run such.
  func mayAddItems(of queue: UInt64) -> Bool {
    if jobClass != nil, !isSurplus { return true }
    let (isBounded, serviceClass) = Lent<DispatchQueue>(at: queue).use { ($0.isBounded, $0.serviceClass) }
    return !isBounded || withPool { $0.hasRoom(for: serviceClass, after: servedClass) }
  }

  /// The calling worker was found asleep as it took the job. It counts itself in; true: its place is taken, and a job
  /// that is promised no thread went back to its list. `leavesItemsToOthers` is the same between two items of one job.
  @inline(never) func givesBack(_ job: PoolJob) -> Bool {
    withPool { pool in
      pool.unblocked(self)
      guard isSurplus, pool.isCrowded, !isPrivate, let serviceClass = job.boundedClass else { return false }
      if pool.hasRoom(for: serviceClass, after: servedClass) { return false }
      pool.giveBack(job, of: serviceClass, by: self)
      return true
    }
  }

  @inline(__always) private func hasLost(_ queue: UInt64) -> Bool {
    withPool { pool in Lent<DispatchQueue>(at: queue).use { pool.isToLose($0) } }
  }

  /// An item of a global queue begins: it may be what somebody waits for who has raised that queue, and found it there. For its own thread.
  @inline(__always) func preferOneself(forItemOf root: UInt64) {
    let root = Lent<DispatchQueue>(at: root)
    // relaxed: without extras nobody has asked. Who asks meanwhile has not found this item, or finds it running.
    if root.use({ $0.extrasBits.loadRelaxed() != 0 }) { preferOneselfIfRaised(root) }
  }
  @inline(never) private func preferOneselfIfRaised(_ root: Lent<DispatchQueue>) {
    guard let asked = root.use({ $0.askedClass?.band }), asked.rawValue < band.rawValue else { return }
    isPreferred(asAt: asked.niceness)
    ask(Asked.toGoBack)
  }

  // MARK: the running item, for others

  @inline(__always) var runningGroup: Lent<DispatchGroup>? { .inWord(runningGroupBits.load()) }
  var runningWorkItem: Unmanaged<DispatchWorkItem>? {
    @inline(__always) get { runningObject.map { .fromOpaque($0) } }
    @inline(__always) set { runningObject = newValue?.toOpaque() }
  }
  var runningAnswer: UnsafePointer<CompletionWaiter>? {
    @inline(__always) get { runningRecord?.assumingMemoryBound(to: CompletionWaiter.self) }
    @inline(__always) set { runningRecord = UnsafeRawPointer(newValue) }
  }

  /// An item with more to it begins.
  @inline(__always) func runs(_ item: ItemNode) {
    runningGroupBits.store(item.group.map { $0.address } ?? 0)
    runningAnswer = item.completion
  }
  /// The item has ended.
  @inline(__always) func ran(_ item: ItemNode) {
    runningGroupBits.store(0)
    runningAnswer = nil
  }

  // MARK: the kernel name

  /// Names the thread after the queue it runs: at once if it has not been named for a moment, else by the sampler.
  private func takeName(_ queue: UInt64) {
    // SAFETY: the job holds the queue.
    let (name, isBounded) = Lent<DispatchQueue>(at: queue).use { ($0.kernelName, $0.isBounded) }
    jobClass = isBounded ? servedClass : nil
    running.store(name)
    if named.load() == name { return }
    let now = Clock.ticks()
    // Under an explorer a name costs nothing, and a thread for it much.
    guard now &- lastNamed > Tuning.namingTicks || Exploration.isOfProgram else { return withPool { $0.sampler.wake() } }
    lastNamed = now
    nameOneself()
  }

  /// A queue inside the job's queue is drained: the sampler shows its name if it lasts.
  func takeNestedName(_ queue: DispatchQueue) {
    running.store(queue.kernelName)
    if Exploration.isOfProgram { nameOneself() } else { withPool { $0.sampler.wake() } }
  }
}

extension PoolJob {
  /// The class from which it comes, if its items run on as many threads as there are processors; else nil.
  @inline(__always) var boundedClass: ServiceClass? {
    // SAFETY: a queue is held by the job, a root lives forever.
    if first == SlotKind.queue {
      return Lent<DispatchQueue>(at: second).use { $0.isBounded ? $0.serviceClass : nil }
    }
    return Lent<DispatchQueue>(at: root).use { $0.serviceClass }
  }

  /// The class as which it is served.
  @inline(__always) var serviceClass: ServiceClass {
    // SAFETY: a queue is held by the job, a root lives forever.
    if first == SlotKind.queue { return Lent<DispatchQueue>(at: second).use { $0.servedClass } }
    return Lent<DispatchQueue>(at: root).use { $0.serviceClass }
  }
}

extension DispatchQueue {
  /// Made at first use; every thread makes the same.
  final var kernelName: KernelName {
    let low = kernelName0.loadAcquire()  // acquire: the other half is there; pairs with the release below
    // relaxed: after the acquire of the other half
    if low != 0 { return KernelName(low: low, high: kernelName1.loadRelaxed()) }
    let made = KernelName(name)
    kernelName1.storeRelaxed(made.high)  // relaxed: before the release of the other half
    kernelName0.storeRelease(made.low)  // release: pairs with the acquire above
    return made
  }
}
