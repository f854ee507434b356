// Worker+Asked.swift: what others ask of a worker, the sampler, the monitor and those who wait, and how it answers between two items.
import SignalboxWaits
import SignalboxSystem

extension Worker {
  /// Bits of `asked`.
  enum Asked {
    /// A long drain is to let others run.
    static let toYield: UInt32 = 1
    /// The monitor has seen the running item: it is to hear of its end.
    static let toTellEnd: UInt32 = 2
    /// It was given more of a processor while more urgent work waits for the running item: it is to go back to where its band stands.
    static let toGoBack: UInt32 = 4
    /// Threads wait for groups: it is to tell which of its queues hold members (KnownMembers).
    static let toFindMembers: UInt32 = 8
  }

  /// Asks for `bits`; any thread.
  func ask(_ bits: UInt32) { change { $0 | bits } }

  /// Between two items: whether the worker is to let others run. Called only when something is asked.
  @inline(never) func wantsYield() -> Bool {
    let asked = asked.loadRelaxed()  // relaxed: the swap re-checks
    if asked & Asked.toTellEnd != 0 {
      change { $0 & ~Asked.toTellEnd }
      tellEnd()
    }
    if asked & Asked.toGoBack != 0 {
      change { $0 & ~Asked.toGoBack }
      goBack()
    }
    if asked & Asked.toFindMembers != 0 {
      change { $0 & ~Asked.toFindMembers }
      pool.use { $0.duties.findMembers(self) }
    }
    return asked & Asked.toYield != 0
  }

  /// The job has ended: what was asked concerned it.
  @inline(never) func answerAsked() {
    // acquire-release: in turn with ask(_:); nothing is read through the bits
    let asked = asked.exchangeAcqRel(0)
    if asked & Asked.toTellEnd != 0 { tellEnd() }
    if asked & Asked.toGoBack != 0 { goBack() }
  }

  private func tellEnd() {
    // seq_cst: before the check of the monitor's word; pairs with the monitor's store there (ForeignCycleDetector), as `found` does.
    // relaxed: nobody else writes it.
    progress.storeSeqCst(progress.loadRelaxed() &+ 1)
    MonitorWord.noticed()
  }

  /// A job begins: the thread may have been preferred for an item that had just ended.
  @inline(never) func goBackIfAsked() {
    guard asked.loadRelaxed() & Asked.toGoBack != 0 else { return }  // relaxed: the swap re-checks
    change { $0 & ~Asked.toGoBack }
    goBack()
  }

  private func change(_ bits: (UInt32) -> UInt32) {
    var old = asked.loadRelaxed()  // relaxed: the swap re-checks
    while true {
      let swap = asked.casAcqRel(old, bits(old))  // acquire-release: bits come and go by swaps; nothing is read through them
      if swap.exchanged { return }
      old = swap.original
    }
  }
}
