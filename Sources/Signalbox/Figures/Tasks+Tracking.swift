// Tasks+Tracking.swift: the switch for the times of tasks, which are a part of the figures: Snapshot.swift.
public import SignalboxDiagnosis
import SignalboxDispatch

extension Tasks {
  /// Notes from now on for how long each task runs and is queued on Signalbox's queues, and since when it is what it is:
  /// see ``Tasks/Task/times`` and ``Tasks/Snapshot/functions``.
  ///
  /// Times are a part of the figures: this is `Snapshot.startCounting()`, and `Snapshot.stopCounting()` ends it. For each
  /// address at which tasks lie 64 bytes are kept, at most 131,072 of them, without a lock. The toolchain's own pool
  /// notes nothing: `Signalbox.adoptConcurrency()` moves tasks to Signalbox's.
  ///
  /// Thread safety: any thread.
  public static func track() { EngineFigures.start() }
}
