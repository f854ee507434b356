// RunLoop+Recording.swift: what the recorder hears of a run loop: runs, and the phases in them. Those of our own loop come from RunLoop+Run.swift,
// the sleep from Foundation's loop, in which ours sleeps.
import SignalboxRecorder
import SignalboxSystem
import SignalboxWords

extension RunLoop {
  private final var address: UInt64 { Lent(self).address }

  /// A run begins; whether somebody records it. The loop's own thread.
  final func recordEntry(_ mode: LoopMode) -> Bool {
    guard _slowPath(!Instruments.areOff), RecordHooks.isOn else { return false }
    RecordHooks.name(.object, address) { "run loop of \(thread.title)" }
    RecordHooks.name(.note, Lent(mode).address) { mode.mode.rawValue }
    RecordHooks.write(.loopBegan, address, Lent(mode).address)
    watchPhases(of: mode)
    return true
  }

  final func recordExit() { RecordHooks.write(.loopEnded, address) }

  /// The loop is in another phase from now on.
  @inline(__always) final func recordPhase(_ phase: LoopPhase) {
    if _slowPath(!Instruments.areOff), RecordHooks.isOn { RecordHooks.write(.loopPhase, address, phase.rawValue) }
  }

  /// When Foundation's loop sleeps only that one knows. Once for each mode that is run while somebody records.
  private final func watchPhases(of mode: LoopMode) {
    guard !mode.isWatched else { return }
    mode.isWatched = true
    let observer =
      phases
      ?? RunLoopObserver(
        [.beforeTimers, .beforeSources, .beforeWaiting, .afterWaiting], order: .max, handler: { [weak self] in self?.isIn($0) })
    phases = observer
    foundation.observe(observer.observer, mode.foundation)
  }

  /// Foundation's loop is in the phase. Ours records its own timers and blocks, unless the program observes and all is left to that loop.
  private final func isIn(_ phase: RunLoopObserver.Activities) {
    guard RecordHooks.isOn, let run = runs.last else { return }
    switch phase {
    case .beforeWaiting: recordPhase(.waiting)
    case .afterWaiting: recordPhase(.woken)
    case .beforeTimers where isObserved(run.mask): recordPhase(.timers)
    case .beforeSources where isObserved(run.mask): recordPhase(.sources)
    default: break
    }
  }

  /// One of its timers is due at another time from now on. Any thread.
  @inline(__always) final func recordArming(_ entry: HeapTimer) {
    if _slowPath(!Instruments.areOff), RecordHooks.isOn { record(entry) }
  }

  @inline(never) private final func record(_ entry: HeapTimer) {
    let now = Clock.uptime(), interval = entry.core.interval
    RecordedTimer.armed(entry.core.recordedPlace, in: entry.due - min(entry.due, now)) {
      "timer\(interval > 0 ? " every \(interval) s" : "") of run loop of \(thread.title)"
    }
  }

  /// One of its timers is about to run.
  @inline(__always) final func recordFiring(_ entry: HeapTimer) {
    if _slowPath(!Instruments.areOff), RecordHooks.isOn {
      RecordedTimer.fired(entry.core.recordedPlace, late: Clock.uptime() &- entry.latest)
    }
  }

  /// The loop is no more, nor are its modes.
  final func forgetNames() {
    RecordHooks.gone(UInt(address))
    for mode in modes { RecordHooks.gone(UInt(Lent(mode).address)) }
  }
}
