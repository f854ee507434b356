// PoolWidth.swift: how many workers are to run at once when items sleep in the kernel for a moment each, too short for the sampler to
// count their workers out one by one. Pure; the sampler's notes.
//
// The sampler samples at some running workers each time, asleep or not: many samples together say how much of their time workers sleep.
// Do they sleep a good part of it while work is queued, the width is doubled; if the items then end no faster, they wait for one
// another and not for time, and it is turned back. Nobody is made who would not do more work.
//
// Without such items the width is the number of processors that the process may keep busy: by its affinity, and by its control group's
// limit rounded up, at least 1. A tenth of a processor is one worker, which computes for a tenth of the time; one and a half are two:
// with one worker a half would be left unused.
import SignalboxSystem

struct PoolWidth {
  /// Nanoseconds that a measurement takes at least, and at most if there are samples enough: in between it ends with enough items.
  static let shortest: UInt64 = 8_000_000, longest: UInt64 = 40_000_000
  /// How long a width that was of no use is not tried again: 200 ms.
  static let rest: UInt64 = 200_000_000
  /// How many samples say anything. A busy machine lets the sampler take one or two where it would take twenty.
  static let fewest: UInt64 = 8
  /// The part of their time that workers have to sleep, and how much faster items have to end, each in hundredths.
  static let sleepy: UInt64 = 40, worthIt: UInt64 = 120
  /// The most workers for each processor.
  static let mostEach: UInt64 = 16

  private var processors: UInt64
  private let bound: UInt64
  private var most: UInt64 { max(processors, min(processors * Self.mostEach, bound / 2)) }
  private(set) var width: UInt64
  /// Before it was doubled last, and what that was worth: items in a millisecond, times 1000; nil while nothing is tried.
  private var former: (width: UInt64, rate: UInt64)?
  private var restsUntil: UInt64 = 0

  // The measurement under way.
  private var began: UInt64 = 0
  private var jobs: UInt64 = 0
  private var samples: UInt64 = 0
  private var asleep: UInt64 = 0

  init(processors: UInt64, bound: UInt64) {
    self.processors = processors
    self.bound = bound
    width = processors
  }

  /// The process may keep `processors` busy from now on: the width goes there at once, and what was measured with another number is
  /// forgotten.
  mutating func mayKeepBusy(_ processors: UInt64) {
    if processors == self.processors { return }
    self.processors = processors
    reset()
  }

  /// One round of the sampler: what its close samples have settled; `jobs`: how many jobs the pool has begun since it
  /// was made.
  mutating func note(now: UInt64, isQueued: Bool, jobs total: UInt64, _ settled: SettledSamples) {
    guard isQueued else { return reset() }
    if began == 0 { return begin(now, total) }
    samples += settled.all
    asleep += settled.asleep
    let (elapsed, done) = (now &- began, total &- jobs)
    guard elapsed >= Self.shortest, done >= 2 * width || elapsed >= Self.longest else { return }
    // Of a busy machine, which samples seldom: the measurement goes on until it says something.
    guard samples >= Self.fewest else { return }
    decide(now, rate: done * 1_000_000_000 / max(1, elapsed))
    begin(now, total)
  }

  private mutating func decide(_ now: UInt64, rate: UInt64) {
    let isSleepy = asleep * 100 >= samples * Self.sleepy
    if let before = former {
      former = nil
      if rate * 100 < before.rate * Self.worthIt {
        width = before.width
        restsUntil = now &+ Self.rest
        return
      }
    }
    if !isSleepy {
      width = max(processors, width - max(1, width / 4))
    } else if now >= restsUntil, width < most {
      former = (width, rate)
      width = min(most, 2 * width)
    }
  }

  private mutating func begin(_ now: UInt64, _ total: UInt64) { (began, jobs, samples, asleep) = (now, total, 0, 0) }

  private mutating func reset() {
    (began, width, former) = (0, processors, nil)
  }
}
