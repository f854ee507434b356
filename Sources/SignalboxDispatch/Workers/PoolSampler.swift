// PoolSampler.swift: one thread that samples the workers about every millisecond while work is queued, and sleeps otherwise. It
// notices what no hook can: a worker asleep in a plain system call, a long drain, a queue stuck behind a busy worker.
import SignalboxSystem

final class PoolSampler: @unchecked Sendable {
  // SAFETY of @unchecked: `word`, `isMade` and `threadID` are atomic; the rest belongs to the sampler's thread.

  /// The process's: for the pools of all bands.
  static let shared = PoolSampler()

  /// 0 asleep   1 sampling, or off for good
  private let word = Atomic32(0)
  private let isMade = Atomic32(0)
  /// The kernel's number of the sampler's thread; 0 before it runs.
  let threadID = Atomic32(0)
  private var quiet = 0

  init(isOff: Bool = false) {
    if isOff { word.storeRelaxed(1) }  // relaxed: nobody else has it yet
  }

  /// Sees to it that the sampler takes a sample soon. One load while it does.
  // seq_cst: after the caller's publication, as the sampler's check is after its going to sleep (sleepUnlessNeeded).
  @inline(__always) func wake() { if word.loadSeqCst() == 0 { wakeSlow() } }

  @inline(never) private func wakeSlow() {
    // acquire-release: one of several wakers goes on; release: what it has published, for the sampler's acquire
    guard word.exchangeAcqRel(1) == 0 else { return }
    if isMade.exchangeAcqRel(1) == 0 {  // acquire-release: one makes the thread
      ForkGuard.arm()
      do {
        try Threads.spawn(name: "signalbox.pool", stackSize: 256 * 1024) { self.threadBody() }
      } catch {
        // Tried again at the next call; until then plain system calls of items are not noticed.
        // release: the next waker finds all as it was
        isMade.storeRelease(0)
        word.storeRelease(0)
      }
    } else {
      word.wake()
    }
  }

  private func threadBody() {
    let pause = Atomic32(0)
    // release: pairs with the acquire of who asks what the thread does, for whom 0 means that there is none yet
    threadID.storeRelease(UInt32(bitPattern: ThreadSlot.kernelID()))
    while true {
      while word.loadAcquire() == 0 { word.park(expected: 0) }  // acquire: pairs with the waker's exchange
      let until = Clock.uptime() &+ Tuning.stallPeriod
      pause.park(expected: 0, deadline: .uptime(until))
      sample()
    }
  }

  private func sample() {
    var isBusy = false
    UsableProcessors.readAgain(now: Clock.uptime())
    for pool in Pools.all where pool.use({ $0.notes.sample($0) }) { isBusy = true }
    quiet = isBusy ? 0 : quiet + 1
    if quiet >= Tuning.quietSamples { sleepUnlessNeeded() }
  }

  private func sleepUnlessNeeded() {
    quiet = 0
    word.storeSeqCst(0)  // seq_cst: before the check of the lists; pairs with the load in wake()
    // Published between our last check and the store: whoever did saw us checking.
    // seq_cst: after the store above
    let isNeeded = Pools.all.contains {
      $0.use { $0.hasSharedWork || $0.workers.contains { $0.ownSlot.loadSeqCst() != 0 || !$0.ring.isEmpty } }
    }
    // acquire-release: as in wakeSlow; a waker may have been quicker
    if isNeeded { _ = word.exchangeAcqRel(1) }
  }
}
