// Subject.swift: this half of the bench runs on Signalbox. The other files here are compiled a second time, on the
// toolchain's Dispatch, in BenchRowsToolchain: so they import neither library.
@_exported import Signalbox

/// The array of the rows `s1-array-…`.
typealias SharedArray = SynchronizedArray<Int>
/// What CapturingRows changes beside an object.
typealias SharedCounts = SynchronizedArray<UInt64>
typealias SharedTable = SynchronizedDictionary<Int, UInt64>

/// The executor of the actor in the row `task-actor-on-queue`.
typealias ActorQueue = DispatchQueue
/// What the rows' tasks prefer.
let taskPreference: (any TaskExecutor)? = PoolExecutor.shared

/// What FigureRows counts.
enum QueueFigures {
  static func startCounting() { Snapshot.startCounting() }
  static func stopCounting() { Snapshot.stopCounting() }
  static func taken(_ queues: [DispatchQueue]) -> Int { Snapshot.take().queues.count }
}
