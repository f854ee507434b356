// RunLoop+Recording.swift: what a run loop emits: runs, the phases in them, its timers. Phases of Signalbox's loop come
// from RunLoop+Run.swift, the sleep from Foundation's loop, in which Signalbox's sleeps.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension RunLoop {
  private final var address: UInt { UInt(Lent(self).address) }

  /// A run begins; whether it is recorded. The loop's own thread.
  final func recordEntry(_ mode: LoopMode) -> Bool {
    guard Events.areWanted(.loopBegan) else { return false }
    Events.tell(.loopBegan, address, Lent(mode).address, 0)
    watchPhases(of: mode)
    return true
  }

  final func recordExit() { Events.emit(.loopEnded, address) }

  /// The loop is in another phase from now on.
  @inline(__always) final func recordPhase(_ phase: LoopPhase) {
    Events.emit(.loopPhase, address, phase.rawValue)
  }

  /// When Foundation's loop sleeps only that one knows. Once for each mode that is run while phases are recorded.
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

  /// Foundation's loop is in the phase. Signalbox's loop records its own timers and blocks, unless the program observes
  /// and all is left to that loop.
  private final func isIn(_ phase: RunLoopObserver.Activities) {
    guard Events.areWanted(.loopPhase), let run = runs.last else { return }
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
    if Events.areWanted(.loopTimerArmed) { record(entry) }
  }

  @inline(never) private final func record(_ entry: HeapTimer) {
    Events.tell(.loopTimerArmed, entry.core.recordedPlace, UInt64(address), entry.due - min(entry.due, Clock.uptime()))
  }

  /// One of its timers is about to run.
  @inline(__always) final func recordFiring(_ entry: HeapTimer) {
    if Events.areWanted(.timerFired) {
      Events.tell(.timerFired, entry.core.recordedPlace, 0, Clock.uptime() &- entry.latest)
    }
  }

  /// The loop is no more, nor are its modes.
  final func forgetNames() {
    Events.emit(.forgotten, address)
    for mode in modes { Events.emit(.forgotten, UInt(Lent(mode).address)) }
  }
}

/// Run loops as recordings name them. Registered while the image is loaded, so before any loop is made.
struct LoopLayer: DiagnosedLayer {
  func recordedTitles(_ kind: EventKind, _ object: UInt, _ second: UInt64) -> RecordedTitles? {
    switch kind {
    case .loopBegan:
      RecordedTitles(object: Self.title(UInt64(object)), second: Lent<LoopMode>(at: second).use { $0.mode.rawValue })
    case .loopTimerArmed:
      RecordedTitles(object: Self.rhythm(UInt64(object & ~1)) + " of " + Self.title(second))
    default: nil
    }
  }

  private static func title(_ loop: UInt64) -> String { Lent<RunLoop>(at: loop).use { "run loop of \($0.thread.title)" } }

  private static func rhythm(_ timer: UInt64) -> String {
    let interval = Lent<LoopTimerCore>(at: timer).use { $0.interval }
    return interval > 0 ? "timer every \(interval) s" : "timer"
  }
}

// The loader calls what stands in this section.
@used @section(".init_array")
private let registration: @convention(c) @Sendable () -> Void = { Layers.register(LoopLayer()) }
