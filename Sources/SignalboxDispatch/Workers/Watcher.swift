// Watcher.swift: one thread that looks at the workers about every millisecond while work is queued, and sleeps otherwise. It
// notices what no hook can: a worker asleep in a plain system call, a long drain, a queue stuck behind a busy worker.
import SignalboxSystem

final class Watcher: @unchecked Sendable {
  // SAFETY of @unchecked: `word` and `isMade` are atomic; `quiet` belongs to the watcher's thread.

  /// 0 asleep   1 looking
  private let word = Atomic32(0)
  private let isMade = Atomic32(0)
  /// The kernel's number of the watcher's thread; 0 before it runs.
  let threadID = Atomic32(0)
  private var quiet = 0

  /// Sees to it that the watcher looks soon. One load while it does.
  // seq_cst: after the caller's publication, as the watcher's look is after its going to sleep (sleepUnlessNeeded).
  @inline(__always) func wake() { if word.loadSeqCst() == 0 { wakeSlow() } }

  @inline(never) private func wakeSlow() {
    guard word.exchangeAcqRel(1) == 0 else { return }
    if isMade.exchangeAcqRel(1) == 0 {
      do {
        try Threads.spawn(name: "signalbox.watch", stackSize: 256 * 1024) { self.threadBody() }
      } catch {
        // Tried again at the next call; until then plain system calls of items are not noticed.
        isMade.storeRelease(0)
        word.storeRelease(0)
      }
    } else {
      withUnsafePointer(to: word) { _ = Parking.wake($0) }
    }
  }

  private func threadBody() {
    let pause = Atomic32(0)
    threadID.storeRelease(UInt32(bitPattern: ThreadSlot.kernelID()))
    while true {
      while word.loadAcquire() == 0 { withUnsafePointer(to: word) { _ = Parking.park($0, expected: 0) } }
      let until = Clock.uptime() &+ Tuning.watchPeriod
      withUnsafePointer(to: pause) { _ = Parking.park($0, expected: 0, deadline: .uptime(until)) }
      look()
    }
  }

  private func look() {
    let pool = Pool.shared
    let workers = pool.workers
    var isBusy = false
    let queued = pool.hasSharedWork
    for worker in workers {
      switch worker.status.loadAcquire() {
      case Worker.Status.running: if inspect(worker, queued: queued) { isBusy = true }
      case Worker.Status.sampled: emptyOwnSlot(worker)  // it may have woken and made a queue runnable since
      default: break
      }
    }
    if queued {
      isBusy = true
      relieve(pool, workers)
    }
    quiet = isBusy ? 0 : quiet + 1
    if quiet >= Tuning.quietLooks { sleepUnlessNeeded(pool) }
  }

  /// Notes one running worker's progress. True: there is reason to look again soon.
  private func inspect(_ worker: Worker, queued: Bool) -> Bool {
    name(worker)
    let progress = worker.progress.loadRelaxed()
    guard progress == worker.lastProgress else {
      worker.lastProgress = progress
      worker.staleLooks = 0
      worker.lastRunTime = nil
      return worker.ownSlot.loadRelaxed() != 0
    }
    worker.staleLooks += 1
    // What lies in its own slot goes to the shared list: the worker will not get to it soon.
    emptyOwnSlot(worker)
    if queued { worker.ask(Worker.Asked.toYield) }
    let sample = KernelThread.sample(worker.threadID.loadAcquire())
    if let sample, sample.isAsleep, sample.runTime == worker.lastRunTime { Pool.shared.markAsleep(worker) }
    worker.lastRunTime = sample?.runTime
    // A few looks at a lone long job settle whether it sleeps.
    return worker.staleLooks <= 3
  }

  private func emptyOwnSlot(_ worker: Worker) {
    let own = worker.ownSlot.loadRelaxed()  // relaxed: the swap re-checks
    if own != 0, worker.ownSlot.casAcqRel(own, 0).exchanged { Pool.shared.submitShared(own) }
  }

  /// Work is queued: wakes or makes a worker. One beyond the processors when all have been busy with one job each, and the work
  /// is a serial queue, which shall not wait for strangers, or of a class that has fewer workers than there are processors: a
  /// class shall not wait for the long items of another.
  private func relieve(_ pool: Pool, _ workers: [Worker]) {
    let isStuck = workers.contains { $0.status.loadRelaxed() == Worker.Status.running && $0.staleLooks >= 1 }
    // Tiny items that keep running need no company.
    if pool.pace.loadRelaxed() == Pool.Pace.tiny, !isStuck, pool.snapshot[PoolState.running] > 0 { return }
    pool.workArrived()
    let state = pool.snapshot
    guard state[PoolState.searching] == 0, state[PoolState.running] >= UInt64(Tuning.processors) else { return }
    let running = workers.filter { $0.status.loadRelaxed() == Worker.Status.running }
    guard running.allSatisfy({ $0.staleLooks >= 1 }) else { return }
    if pool.hasQueueWaiting { return pool.workArrived(force: true) }
    for place in 0..<GlobalQueues.count where pool.isWaiting(place) {
      let served = running.filter { $0.jobPlace.loadRelaxed() == UInt32(place) }.count
      guard served < Tuning.processors else { continue }
      pool.allow(place)
      return pool.workArrived(force: true)
    }
  }

  private func sleepUnlessNeeded(_ pool: Pool) {
    quiet = 0
    word.storeSeqCst(0)
    // Published between the look and the store: whoever did saw us looking.
    if pool.hasSharedWork || pool.workers.contains(where: { $0.ownSlot.loadSeqCst() != 0 }) {
      _ = word.exchangeAcqRel(1)
    }
  }

  /// A worker that has stayed with a job for long shows its queue's label, whatever it did just before.
  private func name(_ worker: Worker) {
    let name = worker.running.load()
    guard worker.staleLooks >= 1, worker.named.load() != name, name.low != 0 else { return }
    name.withBytes { KernelThread.setName(worker.threadID.loadAcquire(), $0) }
    worker.named.store(name)
  }
}
