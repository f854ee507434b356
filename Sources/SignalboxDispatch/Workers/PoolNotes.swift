// PoolNotes.swift: what the sampler sees of one pool at each sample, what it remembers until the next, and what it does
// about it. Lists that have waited long come first. When samples are taken is PoolSampler.swift.
import SignalboxSystem
import SignalboxWords

final class PoolNotes {
  private var ages: ListAges
  private var poolWidth: PoolWidth
  /// Jobs and items that all workers have begun, those that have ended included.
  private var jobs: UInt64 = 0
  /// Whose turn it is to be sampled closely.
  private var turn = 0
  /// What the close samples of this round have settled.
  private var settled = SettledSamples()
  /// How many workers are sampled closely in one round: each costs the reading of one or two files, 8 us each or so.
  private static let mostSamples = 4

  init(bound: UInt64, lists: Int) {
    ages = ListAges(lists)
    poolWidth = PoolWidth(processors: UInt64(Tuning.processors), bound: bound)
  }

  /// Takes one sample. True: there is reason to take the next soon.
  func sample(_ pool: Pool) -> Bool {
    // Of a band that nobody uses.
    guard pool.snapshot[PoolState.total] > 0 || pool.hasSharedWork else { return false }
    let workers = pool.workers
    var isBusy = false
    let queued = pool.hasSharedWork || workers.contains { !$0.ring.isEmpty }
    var running: [Worker] = []
    settled = SettledSamples()
    for worker in workers {
      switch worker.status.loadAcquire() {  // acquire: pairs with the worker's changes of it
      case Worker.Status.running:
        running.append(worker)
        if inspect(worker, queued: queued) { isBusy = true }
      // It may have made a queue runnable since it was found asleep, or before it began to search.
      case Worker.Status.sampled, Worker.Status.searching: emptyOwnSlot(worker)
      default: break
      }
    }
    sampleClosely(running, queued: queued)
    let now = Clock.uptime()
    poolWidth.mayKeepBusy(UInt64(Tuning.processors))
    poolWidth.note(now: now, isQueued: queued, jobs: jobs, settled)
    pool.setWidth(poolWidth.width)
    noteAges(pool, running, now)
    if queued {
      isBusy = true
      admitItems(pool, running)
      relieve(pool, workers)
    }
    return isBusy
  }

  /// Notes one running worker's progress. True: there is reason to sample again soon.
  private func inspect(_ worker: Worker, queued: Bool) -> Bool {
    name(worker)
    // relaxed: two readings are compared
    let begun = worker.samples.begun(upTo: worker.progress.loadRelaxed(), &settled)
    jobs &+= begun
    guard begun == 0 else {
      return worker.ownSlot.loadRelaxed() != 0 || !worker.ring.isEmpty  // relaxed: a hint; it is taken by a swap
    }
    // What lies in its own slot goes to the shared list: the worker will not get to it soon.
    emptyOwnSlot(worker)
    if queued { worker.ask(Worker.Asked.toYield) }
    // A few samples of a lone long job settle whether it sleeps.
    return worker.samples.ofSameJob <= 3
  }

  /// Asks the kernel what some of the running workers do, in turn: all would take longer than the period is. One that sleeps in the
  /// same job as long as from one close sample to the next is counted out.
  private func sampleClosely(_ running: [Worker], queued: Bool) {
    guard !running.isEmpty else { return }
    var taken = 0
    for _ in 0..<running.count where taken < Self.mostSamples {
      turn = (turn + 1) % running.count
      let worker = running[turn]
      // A job that goes on is of interest for itself, others for how much of their time they sleep.
      guard queued || (1...3).contains(worker.samples.ofSameJob) else { continue }
      taken += 1
      // acquire: pairs with the release in the worker's threadBody
      let id = worker.threadID.loadAcquire()
      guard let sample = KernelThread.sample(id, withRunTime: worker.samples.isSameJob) else { continue }
      guard worker.samples.found(isAsleep: sample.isAsleep, runTime: sample.runTime, &settled) else { continue }
      taken -= 1
      worker.pool.use { $0.markAsleep(worker) { isAsleep(worker, since: sample.runTime) } }
    }
  }

  /// Whether the worker's thread has slept since it had run for that time.
  private func isAsleep(_ worker: Worker, since runTime: UInt64) -> Bool {
    // acquire: as in sampleClosely
    let sample = KernelThread.sample(worker.threadID.loadAcquire(), withRunTime: true)
    return sample.map { $0.isAsleep && $0.runTime == runTime } ?? false
  }

  /// Notes which lists have waited too long, and has all drains check them.
  private func noteAges(_ pool: Pool, _ running: [Worker], _ now: UInt64) {
    var late: UInt32 = 0
    pool.lists.forEach(of: pool.classes) { kind, serviceClass, number, list in
      if list.isEmpty {
        ages.isEmpty(number)
      } else if ages.waits(number, head: list.headMark, now: now) {
        late |= Pool.lateBit(kind, of: serviceClass)
      }
    }
    pool.endDisplacedIfNone()
    let servesOthers = pool.standIn.isRaised || pool.standIn.servesQueues || pool.standIn.hasDisplaced
    let others = servesOthers ? Pool.mayServeOthers : 0
    pool.overdue.storeRelaxed(late | others)  // relaxed: a hint, as told at the word
    if late != 0 { for worker in running { worker.ask(Worker.Asked.toYield) } }
  }

  private func emptyOwnSlot(_ worker: Worker) {
    worker.pool.use { $0.shareRing(of: worker) }
    let own = worker.ownSlot.loadRelaxed()  // relaxed: the swap re-checks
    // relaxed: the swap re-checks. acquire: the queue; pairs with the exchange in Pool.submit
    if own != 0, worker.ownSlot.casAcqRel(own, 0).exchanged { worker.pool.use { $0.putBack(own) } }
  }

  /// Too many workers run: those that serve queues leave items to the others. Where fewer than there are processors do run items, one more is
  /// to take some, and stays with them; so no flood of serial queues keeps items waiting.
  private func admitItems(_ pool: Pool, _ running: [Worker]) {
    guard pool.isCrowded else { return }
    for worker in running { pool.shareRing(of: worker) }
    for serviceClass in pool.classes where pool.isWaiting(serviceClass) {
      let served = running.filter { $0.jobClass != nil }.count
      if served < Tuning.processors { pool.allow(serviceClass) }
      return
    }
  }

  /// Work is queued: wakes or makes a worker. One beyond the processors when all have been busy with one job each, and the work
  /// is a serial queue, which shall not wait for strangers, or of a class that has fewer workers than there are processors: a
  /// class shall not wait for the long items of another.
  private func relieve(_ pool: Pool, _ workers: [Worker]) {
    // relaxed: a moment's view
    let isStuck = workers.contains { $0.status.loadRelaxed() == Worker.Status.running && $0.samples.isSameJob }
    // Tiny items that keep running need no company.
    // relaxed: a hint, like all of the pace
    if pool.pace.loadRelaxed() == Pool.Pace.tiny, !isStuck, pool.snapshot[PoolState.running] > 0 { return }
    pool.ringHoldsWork()
    guard pool.hasWorkForOneMore || pool.ringsAreToBeServed else { return }
    pool.workArrived()
    let state = pool.snapshot
    guard state[PoolState.searching] == 0, state[PoolState.running] >= poolWidth.width else { return }
    // relaxed: a moment's view
    let running = workers.filter { $0.status.loadRelaxed() == Worker.Status.running }
    guard running.allSatisfy({ $0.samples.isSameJob }) else { return }
    if pool.hasQueueWaiting { return pool.workArrived(force: true) }
    for serviceClass in pool.classes where pool.isWaiting(serviceClass) {
      let served = running.filter { $0.jobClass == serviceClass }.count
      guard served < Tuning.processors else { continue }
      pool.allow(serviceClass)
      return pool.workArrived(force: true)
    }
  }

  /// A worker that has stayed with a job for long shows its queue's label, whatever it did just before.
  private func name(_ worker: Worker) {
    let name = worker.running.load()
    guard worker.samples.isSameJob, worker.named.load() != name, name.low != 0 else { return }
    name.withBytes { KernelThread.setName(worker.threadID.loadAcquire(), $0) }  // acquire: as in sampleClosely
    worker.named.store(name)
  }
}

// MARK: lists that have waited long

// Overdue lists come first, whatever their class. Pure.
//
// Workers take from the most urgent class that has work, so a flood of urgent items would keep all others waiting
// forever. A list from which nothing was taken for `patience` is overdue. Until the sampler finds that something was,
// it comes first.

struct ListAges {
  /// How long a list waits before it comes first: 4 ms, in nanoseconds. It then does so for one period of the sampler, so what floods
  /// the pool loses a sixth of its time at most. A task that sleeps and answers another goes through the lists several times, and is
  /// to be back within 30 ms.
  static let patience: UInt64 = 4_000_000

  private struct Note {
    var head: UInt64 = 0
    /// Since when that is the head; 0: the list was empty.
    var since: UInt64 = 0
  }
  private var notes: [Note]

  init(_ lists: Int) { notes = Array(repeating: Note(), count: lists) }

  /// The sampler has found the list with that number empty.
  mutating func isEmpty(_ list: Int) { notes[list] = Note() }

  /// The sampler has found items on the list, and `head` as the place of the first. Whether the list is overdue.
  mutating func waits(_ list: Int, head: UInt64, now: UInt64) -> Bool {
    if notes[list].since == 0 || notes[list].head != head { notes[list] = Note(head: head, since: now) }
    return now &- notes[list].since >= Self.patience
  }
}
