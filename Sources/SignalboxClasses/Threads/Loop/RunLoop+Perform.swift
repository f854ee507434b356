// RunLoop+Perform.swift: how blocks come to a loop and are run: from any thread, whatever runs the loop. The orders are
// argued in README.md, "Nothing is lost".
import SignalboxLocks
import SignalboxSystem

extension RunLoop {
  // MARK: any thread

  /// Calls `block` on the loop's thread, in the default mode; wakes the loop if it sleeps. Thread safety: any thread.
  public final func perform(_ block: @escaping @Sendable () -> Void) { push(1 << UInt64(LoopMode.defaultIndex), block) }

  /// Calls `block` once on the loop's thread, in the first of `modes` in which the loop runs; wakes the loop if it sleeps.
  ///
  /// Blocks run in the order in which they were added. Without modes, the block never runs. Thread safety: any thread.
  public final func perform(inModes modes: [Mode], block: @escaping @Sendable () -> Void) {
    push(modes.reduce(0) { $0 | record(of: $1).bit }, block)
  }

  /// Leaves a block for the modes in `mask`, and sees to it that a thread will check.
  final func push(_ mask: UInt64, _ block: @escaping () -> Void) {
    guard mask != 0 else { return }
    let isTooLate = lock.withLock {
      // seq_cst P1: before the check of `told`; pairs with P2 in `spin`.
      if !isOver { entries.append(LoopEntry(modes: mask, number: pushed.addSeqCst(1), block: block)) }
      return isOver
    }
    if isTooLate { return LoopReports.performAfterEnd(self) }
    tell(mask)
    noteUnattended(Clock.uptime())
  }

  /// Has Foundation's loop call this one in the modes of `mask`, unless such calls lie there already, or this loop
  /// checks by itself.
  final func tell(_ mask: UInt64) {
    if tellItems(mask) { return }
    var old = told.loadSeqCst()  // seq_cst: after P1; so either this finds the bits gone, or P2 or P3 sees the entry
    while old & RunLoop.spinning == 0, mask & ~old != 0 {
      let swap = told.casSeqCst(old, old | mask)  // seq_cst: as the load; a failure is the load's repetition
      guard !swap.exchanged else {
        let bits = mask & ~old
        // Foundation's loop keeps calls that it never makes, and is kept by this one.
        return foundation.tell(records(bits).map(\.foundation)) { [weak self] in self?.answer(bits) }
      }
      old = swap.original
    }
  }

  // MARK: the loop's thread

  /// Foundation's loop calls this one: in the current mode everything is done that the call was left for.
  private final func answer(_ bits: UInt64) {
    calls += 1
    // Taken back first: a thread that comes later tells again.
    takeBack(bits)
    lastServed.storeRelaxed(Clock.uptime())  // relaxed: a hint for `unserved`
    for mode in records(bits) { adjustAlarm(mode) }
    let handled = performDue(currentMask)
    guard let last = runs.indices.last, runs[last].isWaiting else { return }
    // The run checks by itself whether anything is left to wait for: another thread may have taken it away.
    guard handled || isEmpty(runs[last].mask) else { return }
    // Only added to: a second call in the same wait may find nothing left.
    if handled { runs[last].hasHandled = true }
    foundation.stop()
  }

  /// Foundation's loop begins a run in the current mode. It may be within a block of that loop, which keeps the blocks behind that
  /// one to itself until it returns, this loop's calls among them: so none counts any more, and what waits in this mode
  /// gets a new call.
  final func runBegins() {
    let told = told.loadSeqCst() & ~RunLoop.spinning  // seq_cst: before the check of the entries; pairs with P1, as P3 does
    if told == 0, lock.withLock({ entries.isEmpty && !modes.contains { $0.alarm?.isOff ?? false } }) { return }
    let mask = currentMask
    takeBack(told & mask)
    // Those calls may have been left for timers that have changed, and an alarm's call may be among the blocks.
    for mode in records(mask) where told & mode.bit != 0 || mode.alarm?.isOff ?? false { adjustAlarm(mode, isExact: false) }
    tellRest(mask)
  }

  /// A call that was passed over comes later, when its bits are gone or another's: so bits are taken away, not counted.
  private final func takeBack(_ bits: UInt64) {
    var old = told.loadSeqCst()  // seq_cst P3: as the swap; bits that are gone were taken back by an inner run, in order too
    while old & bits != 0 {
      // seq_cst P3: before the check of the entries; pairs with P1, an entry before the check of `told`.
      let swap = told.casSeqCst(old, old & ~bits)
      if swap.exchanged { return }
      old = swap.original
    }
  }

  /// What may be served in the mode that Foundation's loop runs in.
  private final var currentMask: UInt64 {
    let modes = lock.withLock { self.modes }
    return foundation.current(of: modes.map(\.foundation)).map { mask(of: modes[$0]) } ?? 0
  }

  /// Runs the blocks for `mask`, and then those that they have left themselves, once. Whether there were any.
  final func performDue(_ mask: UInt64) -> Bool {
    var handled = false
    for _ in 0..<2 {
      let limit = pushed.loadSeqCst()  // seq_cst: after P3 took the bits back: a later P1 finds them gone and tells
      var count = 0
      while let entry = takeEntry(mask, before: limit) {
        entry.block?()
        count += 1
      }
      if count == 0 { break }
      handled = true
    }
    tellRest()
    return handled
  }

  /// What was left for other modes, or by the last blocks, is announced again.
  final func tellRest(_ mask: UInt64 = .max) {
    let rest = lock.withLock { entries[firstEntry...].reduce(UInt64(0)) { $0 | $1.modes } } & mask
    if rest != 0 { tell(rest) }
  }

  final func hasEntries(_ mask: UInt64) -> Bool {
    lock.withLock { entries[firstEntry...].contains { $0.modes & mask != 0 } }
  }

  /// One at a time: a nested run finds the others.
  private final func takeEntry(_ mask: UInt64, before limit: UInt64) -> LoopEntry? {
    lock.withLock { () -> LoopEntry? in
      var index = firstEntry
      while index < entries.count, entries[index].number < limit {
        if entries[index].modes & mask != 0 { return takeAssumingLocked(index) }
        index += 1
      }
      return nil
    }
  }

  private final func takeAssumingLocked(_ index: Int) -> LoopEntry {
    let entry = entries[index]
    entries[index].modes = 0
    entries[index].block = nil
    while firstEntry < entries.count, entries[firstEntry].modes == 0 { firstEntry += 1 }
    if firstEntry == entries.count {
      entries.removeAll(keepingCapacity: firstEntry <= 1024)
      firstEntry = 0
    } else if firstEntry > 64, firstEntry * 2 > entries.count {
      entries.removeFirst(firstEntry)
      firstEntry = 0
    }
    return entry
  }

  /// Polls a moment longer for entries, which saves both sides the way through the kernel. `seen`: how many there were.
  final func spin(_ seen: UInt64) -> Bool {
    guard LoopTuning.spins > 0 else { return pushed.loadSeqCst() != seen }  // seq_cst: pairs with P1, as below
    _ = told.orSeqCst(RunLoop.spinning)  // seq_cst: from here on no thread tells; P2 makes up for it
    let answered = AdaptiveSpin.run(&ThreadSlot.current.pointee.wait_spin, limit: LoopTuning.spins) {
      pushed.loadAcquire() != seen  // acquire: pairs with P1; what is found is taken under the lock
    }
    _ = told.subtractSeqCst(RunLoop.spinning)  // seq_cst P2: before the load below
    // seq_cst P2: after the bit is gone. A pusher that still saw it has counted before, and is seen here.
    return answered || pushed.loadSeqCst() != seen
  }

  /// The thread ends: no thread will run what is left.
  final func threadHasEnded() {
    LoopReports.threadEnds(self)
    let rest = lock.withLock { () -> ([LoopEntry], [[HeapTimer]]) in
      isOver = true
      let rest = (entries, modes.map { $0.heap.live })
      entries = []
      firstEntry = 0
      for mode in modes { mode.heap = TimerHeap() }
      return rest
    }
    for mode in records(UInt64.max) { mode.alarm?.end() }
    for entry in rest.1.joined() { _ = entry.core.end() }
  }
}

enum LoopTuning {
  /// Pauses before a loop sleeps: about 10 µs, what a sleep and its wake cost.
  static let spins = Processors.available() > 1 ? 400 : 0
  /// How long a loop may be kept busy by its own work before it polls Foundation's.
  static let glanceInterval: UInt64 = 100_000
}
