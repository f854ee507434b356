// RunLoop+Timers.swift: how a loop fires its timers: from its own runs, and by an alarm in Foundation's loop. One timer's
// steps are LoopTimerCore.swift.
import SignalboxLocks
import SignalboxSystem

extension RunLoop {
  // MARK: any thread

  final func schedule(_ timer: Timer, _ mode: LoopMode) {
    switch timer.core.join(self, mode.bit, timer) {
    case .nothing: return
    case .onOtherLoop(let other): LoopReports.timerOnTwoLoops(other, self)
    case .entry(let entry):
      let isTooLate = lock.withLock {
        if !isOver { mode.heap.push(entry) }
        return isOver
      }
      if isTooLate { return LoopReports.timerAfterEnd(self) }
      recordArming(entry)
      timersHaveChanged(mode)
      noteUnattended(entry.due)
    }
  }

  /// A timer has changed: its older entries are stale, and there may be a new one for each of its modes.
  final func apply(_ change: LoopTimerCore.Change) {
    lock.withLock {
      guard !isOver else { return }
      for mode in modes where mode.bit & change.modes != 0 {
        mode.heap.noteStale()
        if let entry = change.entry { mode.heap.push(entry) }
      }
    }
    if let entry = change.entry { recordArming(entry) }
    timersHaveChanged(change.modes)
  }

  /// The alarms follow: at once on the loop's thread, else by a call in Foundation's loop, which wakes this loop too.
  final func timersHaveChanged(_ mask: UInt64) {
    guard thread.isCurrent else { return tellOfTimers(mask) }
    for mode in records(mask) { adjustAlarm(mode, isExact: false) }
  }

  /// The same for one mode.
  private final func timersHaveChanged(_ mode: LoopMode) {
    guard thread.isCurrent else { return tellOfTimers(mode.bit) }
    adjustAlarm(mode, isExact: false)
  }

  private final func tellOfTimers(_ mask: UInt64) {
    _ = pushed.addSeqCst(1)  // as P1: a loop that spins polls the count only
    tell(mask)
  }

  // MARK: the loop's thread

  /// Fires the timers of `mask` that are due now, each once. Whether there were any.
  @discardableResult
  final func fireDue(_ mask: UInt64) -> Bool {
    guard hasTimers(mask) else { return false }
    let now = Clock.uptime()
    var fired = false
    while let entry = takeDue(mask, now) {
      guard let (timer, block) = entry.core.beginFire(entry) else { continue }
      recordFiring(entry)
      // An alarm that has gone off is set again before the block runs, which may run a loop, Foundation's or
      // Signalbox's.
      for mode in records(mask) where mode.alarm?.due == FoundationAlarm.never { adjustAlarm(mode) }
      block.call(timer)
      fired = true
      let remains = entry.core.endFire(now: Clock.uptime())
      if let change = remains?.change { apply(change) }
    }
    return fired
  }

  private final func takeDue(_ mask: UInt64, _ now: UInt64) -> HeapTimer? {
    lock.withLock {
      var best: (mode: LoopMode, latest: UInt64)?
      for mode in modes where mode.bit & mask != 0 {
        guard let top = mode.heap.top(), top.due <= now, best.map({ top.latest < $0.latest }) ?? true else { continue }
        best = (mode, top.latest)
      }
      return best?.mode.heap.pop()
    }
  }

  final func hasTimers(_ mask: UInt64) -> Bool {
    lock.withLock { modes.contains { $0.bit & mask != 0 && $0.heap.top() != nil } }
  }

  /// Sets the alarm of `mode` to its next timer, or to the end of the run that sleeps in it. It also stands for our inputs,
  /// without which Foundation's loop would see nothing to wait for.
  ///
  /// Setting it is a system call, and dear: one that goes off too early does no harm, so it is moved to a later date only
  /// before a
  /// sleep (`isExact`).
  final func adjustAlarm(_ mode: LoopMode, isExact: Bool = true) {
    if armPass() { return }
    let (next, inputs) = lock.withLock { (mode.heap.top()?.latest, mode.inputs) }
    let run = runs.last.flatMap { $0.isWaiting && $0.mode === mode ? $0 : nil }
    if mode.alarm == nil {
      guard next != nil || run != nil || inputs > 0 else { return }
      mode.alarm = FoundationAlarm(foundation, mode.foundation) { [unowned self, unowned mode] in alarmWentOff(mode) }
    }
    let due = min(next ?? FoundationAlarm.never, run?.limit ?? FoundationAlarm.never)
    if let alarm = mode.alarm, isExact || due < alarm.due { alarm.set(due) }
    mode.alarm?.attach(next != nil || run != nil || inputs > 0)
  }

  /// Core Foundation calls no timer again from within its own call, so that a run nested in a timer's block would never be
  /// woken: nothing is done here but to have it done right after.
  private final func alarmWentOff(_ mode: LoopMode) {
    mode.alarm?.hasGoneOff()
    // Weak, as in `tell`: the mode keeps Foundation's loop as well, by its alarm.
    foundation.tell([mode.foundation]) { [weak self, weak mode] in
      if let self, let mode { serveTimers(mode) }
    }
  }

  private final func serveTimers(_ mode: LoopMode) {
    calls += 1
    lastServed.storeRelaxed(Clock.uptime())  // relaxed: a hint for `unserved`
    fireDue(mode.bit)
    adjustAlarm(mode)
    guard let run = runs.last, run.isWaiting else { return }
    // The run checks by itself whether anything is left to wait for.
    if run.limit <= Clock.uptime() || isEmpty(run.mask) { foundation.stop() }
  }

  /// Whether nothing of this loop's can happen in these modes.
  final func isEmpty(_ mask: UInt64) -> Bool {
    let isEmpty = lock.withLock { !modes.contains { $0.bit & mask != 0 && ($0.inputs > 0 || $0.heap.top() != nil) } }
    return isEmpty && !hasEntries(mask)
  }
}
