// Tuning.swift: the few numbers that trade latency against waste, in one place, each with what it was measured against.
// What the environment says comes last.
import SignalboxSystem

enum Tuning {
  /// Processors the process may keep busy at this moment.
  @inline(__always) static var processors: Int { UsableProcessors.count }
  /// How many of these are there: `SIGNALBOX_PROCESSORS` may say more. What is divided among workers, so that they do not wait for one another's
  /// cache lines, goes by this number.
  static var processorsPresent: Int { min(processors, Int(UsableProcessors.present)) }
  /// Whether spinning can help at all: on one processor whoever we wait for cannot run meanwhile, and under an explorer nobody else does.
  /// Decided at first use.
  static let canSpin = processors > 1 && !Exploration.isOfProgram

  /// Pauses before a thread parks for an answer: about 10 µs. Less misses answers that are on their way; a park and its wake
  /// cost about as much.
  static let spins = canSpin ? 400 : 0
  /// Pauses of the one worker that searches for work before it parks: about 15 µs.
  static let searchSpins = canSpin ? 500 : 0
  /// Exponential rounds of barging for a queue's turn.
  static let turnRounds = canSpin ? 10 : 0
  /// Pauses after a wake at the gate.
  static let gateSpins = canSpin ? 100 : 0
  /// An item shorter than this is over before a sleeper could be up: about 5 µs at 2 to 3 GHz.
  static let quickItemTicks: UInt64 = 12_000
  /// An item shorter than this costs less than two workers' quarrel over the list: about 300 ns.
  static let tinyItemTicks: UInt64 = 800
  /// How long a thread at the gate lets others barge before it insists on being the next: 10 ms.
  static let gatePatience: UInt64 = 10_000_000
  /// A worker that was named less long ago leaves its next name to the sampler: about 0.4 ms.
  static let namingTicks: UInt64 = 1_000_000
  /// Rounds of four pauses that a drainer stays with an empty serial queue.
  static let lingerRounds = canSpin ? 4 : 0
  /// Queues in a row that a worker takes from its own slot before it checks the shared list.
  static let ownSlotStreak = 32
  /// From this many processors on workers take several items at once from a shared list.
  static var manyProcessors: Int { Int(many.load()) }
  private static let many = Relaxed32(9)  // relaxed: a number by itself
  /// For tests of what many processors do on a machine with few, before there is a pool.
  static func testsOnly_few(_ count: Int) { many.store(UInt32(count + 1)) }
  /// How many workers of a pool of this width may search for work at a time: one in eight, and one at least. Where processors are fewer than
  /// workers, one in eight of them: a searcher that waits for a processor finds nothing, and each one that is woken makes the others wait longer.
  @inline(__always) static func searchers(width: UInt64, processors: UInt64) -> UInt64 { max(1, min(width, processors) / 8) }
  /// The sampler's period: 800 µs, so that two samples lie within 2 ms.
  static let stallPeriod: UInt64 = 800_000
  /// From one reading of a glance to the next: 25 µs. Most items are over by then.
  static let glancePause: UInt64 = 25_000
  /// From an ask to the first reading, where the sampler has pushed the asking thread aside: 5 µs, in which a quick item is over.
  static let glanceDelay: UInt64 = 5_000
  /// Quiet samples after which the sampler sleeps.
  static let quietSamples = 4
  /// Workers beyond the processors end after this long without work.
  static let idleLife: UInt64 = 2_000_000_000
  /// The most workers at one time unless the environment says otherwise (SIGNALBOX_MAX_THREADS).
  static let workerBound = 512
}

// MARK: how long a thread of the engine spins for an answer

// The budget itself is AdaptiveSpin.swift's.

extension AdaptiveSpin {
  /// Spins until `isAnswered` or the end of the thread's budget; returns whether it was answered.
  @inline(__always) static func wait(_ isAnswered: () -> Bool) -> Bool {
    run(&ThreadSlot.current.pointee.wait_spin, limit: Tuning.spins, isAnswered)
  }
}

// MARK: what the environment says about the pool

enum PoolEnvironment {
  /// The largest number of workers that the environment allows; nil where it names none. Says once what cannot be understood.
  static let bound: UInt64? = {
    guard let text = Environment.value("SIGNALBOX_MAX_THREADS") else { return nil }
    if let number = UInt64(text), (1...32_000).contains(number) { return number }
    Misuse.report("SIGNALBOX_MAX_THREADS=\(text) is not a number from 1 to 32000: \(Tuning.workerBound) is used")
    return nil
  }()

  /// How many processors the environment says that the pool may keep busy; nil where it says nothing. Says once what cannot be understood.
  static let processors: Int? = {
    guard let text = Environment.value("SIGNALBOX_PROCESSORS") else { return nil }
    if let number = Int(text), (1...1_024).contains(number) { return number }
    Misuse.report("SIGNALBOX_PROCESSORS=\(text) is not a number from 1 to 1024: affinity and control groups decide")
    return nil
  }()

  /// Whether waits that could not be helped are reported one by one, and not only counted (Inversions).
  static let reportsInversions: Bool = {
    switch Environment.value("SIGNALBOX_INVERSIONS") {
    case nil, "count": return false
    case "report": return true
    case let text?:
      Misuse.report("SIGNALBOX_INVERSIONS=\(text) is not \"count\" or \"report\": they are counted")
      return false
    }
  }()
}
