// PoolSampler.swift: one thread that samples the workers about every millisecond while work is queued, glances in between where work was left to
// a worker, and sleeps otherwise. It notices what no hook can: a worker asleep in a plain system call, a long drain, a queue stuck behind a busy
// worker. What a sample does is PoolNotes.swift, what a glance does PoolGlance.swift.
import SignalboxSystem
import SignalboxWords

final class PoolSampler: @unchecked Sendable {
  // SAFETY of @unchecked: what is not atomic belongs to the sampler's thread.

  /// The process's: for the pools of all bands.
  static let shared = PoolSampler()

  private let state: AtomicState32<SamplerState>
  private let isMade = Atomic32(0)
  /// The kernel's number of the sampler's thread; 0 before it runs.
  let threadID = Atomic32(0)
  /// When the present glance was asked for, in ticks. relaxed: a hint of how long ago that was
  private let askedAt = Relaxed64(0)
  /// On which processor. relaxed: as above
  private let askedOn = Relaxed32(0)
  /// Readings that glances have taken. relaxed: a count
  let readings = Relaxed64(0)
  private let pause = Atomic32(0)
  private var quiet = 0
  private var budget = GlanceBudget()

  /// `isOff`: there is no thread, and it hears nobody.
  init(isOff: Bool = false) { state = AtomicState32(isOff ? .deaf : .asleep) }

  // MARK: any thread

  /// Sees to it that the sampler takes a sample soon. One load while it does.
  // seq_cst: after the caller's publication, as the sampler's check is after its going to sleep (sleepUnlessNeeded).
  @inline(__always) func wake() { if state.loadSeqCst() == .asleep { wakeSlow() } }

  @inline(never) private func wakeSlow() { wakeThread(if: state.update { $0.afterCall() }) }

  /// Whether it takes a glance if it is asked for one.
  // seq_cst A2: after the caller's publication, as the sampler's check is after the end of a glance (L1, L2).
  @inline(__always) var hears: Bool { state.loadSeqCst().hears }

  /// Work was left to a worker: sees to it that a glance is taken soon, if the sampler hears that.
  ///
  /// A worker that asks notes its own count of jobs: the first reading is then over before the sampler is up.
  @inline(never) func ask() {
    if let worker = Pool.worker(ThreadSlot.current) {
      // relaxed: the worker's own
      worker.use { $0.glancedAt.store($0.progress.loadRelaxed()) }
    }
    askedAt.store(Clock.ticks())
    askedOn.store(UInt32(bitPattern: Processors.own))
    wakeThread(if: state.updateSeqCst { $0.afterAsk() })
  }

  private func wakeThread(if wakes: Bool) {
    guard wakes else { return }
    // acquire-release: one makes the thread
    guard isMade.exchangeAcqRel(1) == 0 else {
      state.word.wake()
      return
    }
    ForkGuard.arm()
    do {
      try Threads.spawn(name: "signalbox.pool", stackSize: 256 * 1024) { self.threadBody() }
    } catch {
      // Tried again at the next call; until then plain system calls of items are not noticed.
      // release: the next waker finds all as it was
      isMade.storeRelease(0)
      state.word.storeRelease(SamplerState.asleep.rawValue)
    }
  }

  // MARK: the sampler's thread

  private func threadBody() {
    // release: pairs with the acquire of who asks what the thread does, for whom 0 means that there is none yet
    threadID.storeRelease(UInt32(bitPattern: ThreadSlot.kernelID()))
    ThreadRank.takeShortTurns()
    var next = Clock.uptime() &+ Tuning.stallPeriod
    while true {
      let now = state.load()
      switch now {
      case .asleep:
        state.word.park(expected: now.rawValue)
        next = Clock.uptime() &+ Tuning.stallPeriod
      case .soon: glance()
      default:
        guard state.word.park(expected: now.rawValue, deadline: .uptime(next)) == .timedOut else { continue }
        sample()
        next = Clock.uptime() &+ Tuning.stallPeriod
      }
    }
  }

  private func sample() {
    var isBusy = false
    UsableProcessors.readAgain(now: Clock.uptime())
    for pool in Pools.all where pool.use({ $0.notes.sample($0) }) { isBusy = true }
    quiet = isBusy ? 0 : quiet + 1
    let mayGlance = budget.allows(now: Clock.uptime())
    // seq_cst L1: before the check (L2); pairs with A2
    let hearsAgain = state.updateSeqCst { ($0.afterSample(mayGlance: mayGlance), $0 == .deaf && mayGlance) }
    if hearsAgain, isWorkLeft { _ = state.update { $0.afterAsk() } }
    if quiet >= Tuning.quietSamples { sleepUnlessNeeded() }
  }

  private func sleepUnlessNeeded() {
    quiet = 0
    // seq_cst: before the check of the lists; pairs with the load in wake()
    guard state.updateSeqCst({ $0.afterQuiet() }) else { return }
    // Published between our last check and the swap: whoever did saw us checking.
    // seq_cst: after the swap above
    let isNeeded = Pools.all.contains {
      $0.use { $0.hasSharedWork || $0.workers.contains { $0.ownSlot.loadSeqCst() != 0 || !$0.ring.isEmpty } }
    }
    // A waker may have been quicker. It may have been left while the sampler was deaf, so that a glance is owed.
    if isNeeded { _ = state.update { $0.afterAsk() } }
  }

  // MARK: glances

  /// Reads until nothing is left to a worker that goes on from job to job, or until it has read often enough.
  private func glance() {
    // An item that takes no longer than waking a sleeper is to be over by the first reading. Not if this thread has its processor.
    if askedOn.load() == UInt32(bitPattern: Processors.own) { pauseBetweenReadings(Tuning.glanceDelay) }
    while Clock.ticks() &- askedAt.load() < Tuning.quickItemTicks { spinPause() }
    while true {
      let now = Clock.uptime()
      budget.spend(now: now)
      readings.add(1)
      var isLeft = false
      for pool in Pools.all where pool.use({ $0.glance() }) { isLeft = true }
      let mayGlance = budget.allows(now: now)
      if !isLeft || !mayGlance {
        // seq_cst L1: before the check (L2); pairs with A2
        state.updateSeqCst { ($0.afterGlance(mayGlance: mayGlance), ()) }
        guard mayGlance, isWorkLeft else { return }
        _ = state.update { $0.afterAsk() }
      }
      pauseBetweenReadings()
    }
  }

  /// L2, after the swap to a state in which it hears: a thread that saw the state before has left its work before that swap.
  private var isWorkLeft: Bool { Pools.all.contains { $0.use { $0.leavesWork } } }

  private func pauseBetweenReadings(_ time: UInt64 = Tuning.glancePause) {
    Threads.withExactSleeps {
      _ = pause.park(expected: 0, deadline: .uptime(Clock.uptime() &+ time))
    }
  }
}
