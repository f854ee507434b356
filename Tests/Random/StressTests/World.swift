// World.swift: everything that one seed builds: queues in random hierarchies, groups, semaphores, and what is promised of them.
import Signalbox
import Synchronization

/// The objects of one round. Items hold it, so it goes when the last of them has gone.
final class World: @unchecked Sendable {
  // SAFETY of @unchecked: the arrays never change; `guarded` is touched with its semaphore held only.
  let seed: UInt64
  let threads: Int
  let steps: Int
  let sites: [Site]
  let groups: [DispatchGroup]
  let semaphores: [Gauge]
  /// Which steps are taken, each as often as it stands here.
  let mixture: [Kind]
  let ledger: Ledger
  let census = Census()
  let failures = Failures()
  let threadsLeft: Atomic<Int>
  private let passed = Atomic<Int>(0)

  /// A semaphore, what it started with, and a plain variable that it guards when that is one.
  final class Gauge: @unchecked Sendable {
    // SAFETY of @unchecked: `guarded` is touched between a wait and a signal of a semaphore that starts with 1.
    let semaphore: DispatchSemaphore
    let initial: Int
    var guarded = 0
    let expected = Atomic<Int>(0)
    init(_ initial: Int) {
      self.initial = initial
      semaphore = DispatchSemaphore(value: initial)
    }
  }

  init(seed: UInt64, steps: Int) {
    var random = SeededRandom(seed)
    self.seed = seed
    self.steps = steps
    threads = random.pick(2...6)
    threadsLeft = Atomic(threads)
    ledger = Ledger(capacity: 400_000)
    var made: [Site] = []
    let count = random.pick(3...7)
    for rank in (0..<count).reversed() {
      let target = made.isEmpty || random.once(in: 2) ? nil : random.pick(made)
      let isSerial = !random.once(in: 3)
      var plan = SitePlan(label: "\(isSerial ? "serial" : "concurrent").\(rank)", isSerial: isSerial)
      if random.once(in: 3) { plan.qos = random.pick(World.classes) }
      plan.isInactive = random.once(in: 4)
      made.append(Site(plan, rank: rank, target: target, threads: threads, census: census, failures: failures))
    }
    sites = made.reversed()
    groups = (0..<random.pick(1...3)).map { _ in DispatchGroup() }
    semaphores = [Gauge(1), Gauge(random.pick(1...4))]
    mixture = Kind.mixture(&random)
  }

  static let classes: [DispatchQoS] = [.background, .utility, .default, .userInitiated, .userInteractive]

  /// With more things under way than this, a step adds none: keeps the threads of the pool below their bound.
  var isCrowded: Bool { ledger.outstanding > 200 || ledger.isFull }

  /// A label for a queue that comes and goes.
  func passingLabel() -> String { "passing.\(passed.add(1, ordering: .relaxed).oldValue)" }

  /// What is still to happen, for the report of a round that hangs.
  var description: [String] {
    let kinds = Set(mixture).map { "\($0)" }.sorted().joined(separator: " ")
    var lines = [
      "steps: \(kinds)", "seed \(seed): \(threads) threads, \(threadsLeft.load(ordering: .relaxed)) of them still at work",
    ]
    lines += sites.map(\.description)
    lines.append("\(ledger.outstanding) of \(ledger.count) entries are outstanding, among them:")
    return lines + ledger.broken() + failures.all
  }
}

/// What a step may do, given where it runs.
struct Context {
  var random: SeededRandom
  /// The highest rank whose turn is held here.
  var held = Site.passing
  var depth = 0
  /// Steps may wait without limit for what others do; not while those others may wait for us.
  var mayWait = true
  /// The thread whose own order this step stands in; nil in items, which run in no order of their submitters.
  var program: Program?

  /// For something that runs elsewhere, in an item of a queue that holds up to `reach`.
  mutating func inner(holding reach: Int) -> Context {
    Context(random: random.fork(), held: reach, depth: depth + 1, mayWait: true, program: nil)
  }
}

/// One thread of a world: its numbers for what it submits, one sequence for each queue.
final class Program: @unchecked Sendable {
  // SAFETY of @unchecked: used by its thread, and by what that thread waits for.
  let thread: Int
  private var numbers: [Int]
  private var readers: [Int]

  init(thread: Int, sites: Int) {
    self.thread = thread
    numbers = Array(repeating: 0, count: sites)
    readers = numbers
  }

  func order(at site: Site, isBarrier: Bool) -> Site.Order? {
    guard site.rank != Site.passing else { return nil }
    numbers[site.rank] += 1
    defer { if !site.isSerial, !isBarrier { readers[site.rank] += 1 } }
    return Site.Order(thread: thread, number: numbers[site.rank], readersBefore: readers[site.rank])
  }
}
