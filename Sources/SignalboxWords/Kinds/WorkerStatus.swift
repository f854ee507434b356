// WorkerStatus.swift: what a pool counts a worker as, in one word of the worker's. Who moves it when is
// SignalboxDispatch/Workers/WorkerStatus.swift.

/// The values of the word. A worker's own thread changes it, and the sampler from `running` by way of `marked` to
/// `sampled`.
@usableFromInline package enum WorkerStatus {
  /// It runs a job.
  @inlinable package static var running: UInt32 { 0 }
  /// Parked in a wait that Signalbox sees: not counted as running.
  @inlinable package static var blocked: UInt32 { 1 }
  /// The sampler found it asleep in the kernel: not counted as running.
  @inlinable package static var sampled: UInt32 { 2 }
  @inlinable package static var idle: UInt32 { 3 }
  /// It is counted as running, and the sampler leaves it: publishers rely on a searcher whether it sleeps or not.
  @inlinable package static var searching: UInt32 { 4 }
  /// The sampler is about to count it out.
  @inlinable package static var marked: UInt32 { 5 }

  /// What pictures of a process call it; nil: no worker has this status.
  package static func word(_ status: UInt32) -> String? {
    switch status {
    case running, marked: "runs"
    case blocked: "waits"
    case sampled: "sleeps in an item"
    case idle: "idle"
    case searching: "searches"
    default: nil
    }
  }
  /// What they call a worker whose thread has not begun.
  package static var beginning: String { "begins" }
}
