// UsableProcessors.swift: how many processors the process may keep busy at this moment. What is made of the number is Pool.swift and
// PoolWidth.swift.
//
// Read at first use, and by the sampler every second while there is work: affinity and limits change while a process runs. No thread
// of its own; an idle process reads nothing, and finds out within a second of work. `SIGNALBOX_PROCESSORS` says it once and for all.
import SignalboxSystem

enum UsableProcessors {
  /// 0: not read yet. relaxed: a number by itself.
  private static let known = Relaxed32(0)
  /// Nanoseconds from one reading to the next: a second.
  static let period: UInt64 = 1_000_000_000

  /// At least 1.
  @inline(__always) static var count: Int {
    let count = known.load()
    return _fastPath(count != 0) ? Int(count) : firstCount()
  }

  /// The same without `SIGNALBOX_PROCESSORS`, which may say more: workers beyond these take turns. 0 before `count` was asked for.
  @inline(__always) static var present: UInt64 { UInt64(found.load()) }
  private static let found = Relaxed32(0)  // relaxed: a number by itself

  @inline(never) private static func firstCount() -> Int {
    var files = ProcessorFiles(root: root)
    let available = UInt32(Processors.available(by: &files))
    // Another thread, or the sampler, may have been quicker, and have read it later.
    _ = found.cas(0, available)
    let swap = known.cas(0, PoolEnvironment.processors.map { UInt32($0) } ?? available)
    return swap.exchanged ? count : Int(swap.original)
  }

  // SAFETY: the sampler's thread alone uses both.
  nonisolated(unsafe) private static var files = ProcessorFiles(root: root)
  nonisolated(unsafe) private static var lastReading: UInt64 = 0

  /// The sampler takes a sample: reads the number anew if it is old.
  static func readAgain(now: UInt64) {
    guard now &- lastReading >= period else { return }
    lastReading = now
    // What an explorer says it says once.
    if Exploration.isOn { return }
    let available = UInt32(Processors.available(by: &files))
    if !isFeigned { found.store(available) }
    if PoolEnvironment.processors == nil { known.store(available) }
  }

  /// The folder that stands for the root of all files; empty: none. For tests, before anything else of the engine is used.
  // SAFETY: written before there is another thread that would read it.
  nonisolated(unsafe) private static var root = ""
  static func testsOnly_read(from folder: String) { root = folder }

  /// Has as many be present. For tests of what many processors do on a machine with few, before there is a pool.
  static func testsOnly_feign(present count: Int) {
    found.store(UInt32(count))
    isFeigned = true
  }
  // SAFETY: as `root`.
  nonisolated(unsafe) private static var isFeigned = false
}
