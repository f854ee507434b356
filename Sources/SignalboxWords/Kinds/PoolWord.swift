// PoolWord.swift: what a process says of each of its pools, to all that read its memory; and what a pool counts a
// worker as. What else it describes is DescribedWord.swift.

/// The words of one pool in the table at `DescribedWord.pools`, by their place.
@usableFromInline package enum PoolWord: Int, CaseIterable, Sendable {
  /// Its address, which its workers have; where its `PoolState` is written.
  case address, state
  /// How many threads there may be; its band, by number.
  case bound, band
  /// The rings of its workers: a table of their addresses, and where it is written how many there are.
  case rings, ringCount

  /// How far into the table of one pool the word lies, and how long that is.
  package var offset: UInt64 { UInt64(rawValue) * 8 }
  package static var size: UInt64 { UInt64(allCases.count) * 8 }
}

/// The names of bands, which share threads.
package enum PoolBand {
  /// By number: for the classes that each serves.
  package static var names: [String] { ["default", "utility", "background"] }
  /// The name of a band whose number was read; nil: there is none of that number.
  package static func name(_ number: UInt64) -> String? { number < UInt64(names.count) ? names[Int(number)] : nil }
}

// MARK: a worker, in one word of its own

// Which thread moves it when is SignalboxDispatch/Workers/WorkerStatus.swift.
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
