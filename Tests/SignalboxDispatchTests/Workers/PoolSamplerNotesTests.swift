// PoolSamplerNotesTests.swift: the sampler's notes as values: which lists are overdue, and how many workers are to run. No threads, no clock.
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("The sampler finds overdue lists") struct ListAgesTests {
  private let patience = ListAges.patience

  @Test("A list is overdue once its first item has stayed the same for the patience, and no more when it was taken")
  func overdue() {
    var ages = ListAges(10)
    var isLate: Bool
    isLate = ages.waits(3, head: 7, now: 100)
    #expect(!isLate)
    isLate = ages.waits(3, head: 7, now: 99 + patience)
    #expect(!isLate)
    isLate = ages.waits(3, head: 7, now: 100 + patience)
    #expect(isLate)
    isLate = ages.waits(3, head: 7, now: 101 + patience)
    #expect(isLate)
    isLate = ages.waits(3, head: 8, now: 102 + patience)
    #expect(!isLate)
    isLate = ages.waits(3, head: 8, now: 102 + 2 * patience)
    #expect(isLate)
  }

  @Test("An empty list has not waited, and lists do not know of one another")
  func empty() {
    var ages = ListAges(10)
    var isLate: Bool
    isLate = ages.waits(0, head: 0, now: 5)
    #expect(!isLate)
    isLate = ages.waits(9, head: 0, now: 5 + patience)
    #expect(!isLate)
    ages.isEmpty(0)
    isLate = ages.waits(0, head: 0, now: 5 + patience)
    #expect(!isLate)
    isLate = ages.waits(9, head: 0, now: 5 + 2 * patience)
    #expect(isLate)
  }
}

extension SettledSamples {
  /// As many settled samples, of which `asleep` found a short sleep.
  fileprivate static func of(_ all: UInt64, asleep: UInt64) -> SettledSamples {
    var samples = SettledSamples()
    samples.foundShortSleep(asleep)
    for _ in asleep..<all { samples.foundAwake() }
    return samples
  }
}

@Suite("The sampler settles what it has found of one worker") struct WorkerSamplesTests {
  private var worker = WorkerSamples()
  private var settled = SettledSamples()

  /// One sample, and a close one.
  private mutating func sample(jobs: UInt64, isAsleep: Bool, runTime: UInt64 = 0) -> Bool {
    _ = worker.begun(upTo: jobs, &settled)
    return worker.found(isAsleep: isAsleep, runTime: worker.isSameJob ? runTime : 0, &settled)
  }

  private mutating func expect(_ all: UInt64, asleep: UInt64, _ location: SourceLocation = #_sourceLocation) {
    #expect(settled.all == all && settled.asleep == asleep, "\(settled)", sourceLocation: location)
  }

  @Test("Jobs are counted by the worker's own count, around its end as well")
  mutating func jobs() {
    #expect(worker.begun(upTo: 5, &settled) == 5)
    #expect(worker.begun(upTo: 5, &settled) == 0 && worker.ofSameJob == 1)
    #expect(worker.begun(upTo: .max, &settled) == .max - 5 && !worker.isSameJob)
    #expect(worker.begun(upTo: 1, &settled) == 2)
  }

  @Test("A worker that computes counts at each sample, in one job or in many")
  mutating func awake() {
    for round: UInt64 in 1...10 {
      let isLong = sample(jobs: (round + 1) / 2, isAsleep: false, runTime: round)
      #expect(!isLong)
      expect(round, asleep: 0)
    }
  }

  @Test("A sleep that goes on without a moment's run is a long one, and never counts")
  mutating func long() {
    var found = [sample(jobs: 1, isAsleep: true), sample(jobs: 1, isAsleep: true, runTime: 7)]
    expect(0, asleep: 0)
    found.append(sample(jobs: 1, isAsleep: true, runTime: 7))
    #expect(found == [false, false, true])
    expect(0, asleep: 0)
    // The worker is counted out, wakes, and begins other jobs.
    let isLong = sample(jobs: 2, isAsleep: false)
    #expect(!isLong)
    expect(1, asleep: 0)
  }

  @Test("A sleep counts once its job has ended")
  mutating func shortByJob() {
    _ = sample(jobs: 1, isAsleep: true)
    _ = sample(jobs: 1, isAsleep: true, runTime: 7)
    expect(0, asleep: 0)
    _ = sample(jobs: 2, isAsleep: true)
    expect(2, asleep: 2)
    _ = sample(jobs: 3, isAsleep: false)
    expect(4, asleep: 3)
  }

  @Test("A sleep counts once its thread has run, in the same job too")
  mutating func shortByRunTime() {
    for round: UInt64 in 1...4 {
      let isLong = sample(jobs: 1, isAsleep: true, runTime: round)
      #expect(!isLong)
    }
    expect(3, asleep: 3)
    _ = sample(jobs: 1, isAsleep: false, runTime: 5)
    expect(5, asleep: 4)
  }

  @Test("Of sleepers that are counted out one by one the pool gets no wider, wherever a measurement begins", arguments: 0..<12)
  mutating func sleepersAndWidth(offset: Int) {
    var (width, now, jobs) = (PoolWidth(processors: 2, bound: 512), UInt64(1), UInt64(1))
    // One after another falls asleep, and is found so three times.
    for round in offset..<2_000 {
      if round % 3 == 0 { worker = WorkerSamples() }
      settled = SettledSamples()
      let isLong = sample(jobs: 1, isAsleep: true, runTime: 1)
      #expect(isLong == (round % 3 == 2 && round >= offset + 2))
      (now, jobs) = (now + PoolWidth.shortest, jobs + 10)
      width.note(now: now, isQueued: true, jobs: jobs, settled)
      #expect(width.width == 2)
    }
  }
}

@Suite("The sampler decides how many workers run") struct PoolWidthTests {
  /// A pool of workers whose items sleep for `sleep` ns of every `cycle`, with room for `most` at a time in what they sleep for.
  private struct World {
    var width = PoolWidth(processors: 2, bound: 512)
    var now: UInt64 = 1_000
    var jobs: UInt64 = 0
    let cycle: UInt64
    let asleep: UInt64
    let most: UInt64

    /// Lets time go by, in samples of 0.8 ms; the widest that it ever was.
    mutating func run(milliseconds: UInt64) -> UInt64 {
      var widest: UInt64 = 0
      let end = now + milliseconds * 1_000_000
      while now < end {
        now += 800_000
        jobs += min(width.width, most) * 800_000 / cycle
        width.note(now: now, isQueued: true, jobs: jobs, .of(8, asleep: 8 * asleep / 100))
        widest = max(widest, width.width)
      }
      return widest
    }
  }

  @Test("Items that mostly sleep get more workers, up to the most for each processor")
  func grows() {
    var world = World(cycle: 50_000, asleep: 95, most: .max)
    _ = world.run(milliseconds: 200)
    #expect(world.width.width == 32)
  }

  @Test("Items that compute get as many workers as there are processors")
  func stays() {
    var widest: UInt64
    var world = World(cycle: 50_000, asleep: 5, most: .max)
    widest = world.run(milliseconds: 500)
    #expect(widest == 2)
  }

  @Test("Too few samples decide nothing, whatever they say, and the measurement goes on until there are enough")
  func fewSamples() {
    var width = PoolWidth(processors: 2, bound: 512)
    var (now, jobs): (UInt64, UInt64) = (1, 0)
    func note(asleep: Bool, _ width: inout PoolWidth) {
      (now, jobs) = (now + 2 * PoolWidth.longest, jobs + 1_000)
      width.note(now: now, isQueued: true, jobs: jobs, .of(1, asleep: asleep ? 1 : 0))
    }
    for _ in 0..<PoolWidth.fewest {
      note(asleep: true, &width)
      #expect(width.width == 2)
    }
    note(asleep: true, &width)
    #expect(width.width == 4, "now there are enough, and the first began the measurement")
    // Seven of eight were awake: the one that was not decides nothing.
    var awake = PoolWidth(processors: 2, bound: 512)
    for round in 0..<100 {
      note(asleep: round % 8 == 0, &awake)
      #expect(awake.width == 2)
    }
  }

  @Test("Items that sleep for one another get no more for long, and nothing is tried for a while after")
  func turnsBack() {
    var widest: UInt64
    var world = World(cycle: 50_000, asleep: 60, most: 1)
    widest = world.run(milliseconds: 100)
    #expect(widest == 4)
    #expect(world.width.width == 2)
    widest = world.run(milliseconds: 90)
    #expect(widest == 2)
    // Another attempt, one step wide, after the rest.
    widest = world.run(milliseconds: 200)
    #expect(widest == 4)
  }

  @Test("Once items compute the pool is as narrow again as there are processors, though work is queued all the time")
  func shrinks() {
    var world = World(cycle: 50_000, asleep: 95, most: .max)
    _ = world.run(milliseconds: 200)
    for _ in 0..<20 {
      world.now += PoolWidth.longest
      world.jobs += 100
      world.width.note(now: world.now, isQueued: true, jobs: world.jobs, .of(8, asleep: 0))
    }
    #expect(world.width.width == 2)
  }

  @Test("Half the pool's bound is the limit, and an empty list takes everything back")
  func limits() {
    var small = PoolWidth(processors: 2, bound: 8)
    var (now, jobs): (UInt64, UInt64) = (1, 0)
    for _ in 0..<500 {
      (now, jobs) = (now + 800_000, jobs + 100 * small.width)
      small.note(now: now, isQueued: true, jobs: jobs, .of(8, asleep: 8))
      #expect(small.width <= 4)
    }
    #expect(small.width == 4)
    small.note(now: now + 1, isQueued: false, jobs: jobs, .of(0, asleep: 0))
    #expect(small.width == 2)
    #expect(PoolWidth(processors: 64, bound: 16).width == 64)
  }

  @Test("Another number of processors counts at once, whatever is being tried, and the limits go with it")
  func otherProcessors() {
    var world = World(cycle: 50_000, asleep: 95, most: .max)
    _ = world.run(milliseconds: 200)
    world.width.mayKeepBusy(1)
    #expect(world.width.width == 1)
    _ = world.run(milliseconds: 200)
    #expect(world.width.width == 16)
    world.width.mayKeepBusy(1)
    #expect(world.width.width == 16, "no change, and what was found holds")
    world.width.mayKeepBusy(4)
    #expect(world.width.width == 4)
    _ = world.run(milliseconds: 200)
    #expect(world.width.width == 64)
    var small = PoolWidth(processors: 2, bound: 8)
    small.mayKeepBusy(64)
    #expect(small.width == 64)
    small.mayKeepBusy(1)
    #expect(small.width == 1)
  }
}
