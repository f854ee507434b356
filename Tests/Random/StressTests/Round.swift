// Round.swift: one seed's round from the first thread to the last object: runs the world, observes it, takes stock.
import Glibc
import Signalbox
import Synchronization
import SignalboxTestSupport

enum Round {
  /// Runs the world of `seed`; returns what was wrong. A world that does not end is described, and the process ended.
  static func run(seed: UInt64, steps: Int) -> [String] {
    var world: World? = World(seed: seed, steps: steps)
    let (census, failures) = (world!.census, world!.failures)
    runThreads(world!)
    let watch = Watch("seed \(seed)") { [weak world] in world?.description ?? ["the world is gone"] }
    watch.wait { [world] in world!.ledger.outstanding == 0 }
    takeStock(world!)
    var ghosts = objects(of: world!)
    world = nil
    watch.wait(describing: { ["\(census.count) counted objects and \(ghosts.count { $0.object != nil }) others stay alive"] }) {
      ghosts.removeAll { $0.object == nil }
      return census.count == 0 && ghosts.isEmpty
    }
    return failures.all
  }

  private static func runThreads(_ world: World) {
    var random = SeededRandom(world.seed ^ 0xA11CE)
    let threads = (0..<world.threads).map { number in
      let own = random.fork()
      return Thread {
        var context = Context(random: own)
        context.program = Program(thread: number, sites: world.sites.count)
        for _ in 0..<world.steps { world.step(&context) }
        world.threadsLeft.subtract(1, ordering: .relaxed)
      }
    }
    for site in world.sites { site.queue.activate() }
    Watch("seed \(world.seed)") { world.description }.wait { world.threadsLeft.load(ordering: .relaxed) == 0 }
    for thread in threads { thread.join() }
  }

  /// The world is quiet: counts and balances.
  private static func takeStock(_ world: World) {
    for site in world.sites { site.checkBalance() }
    for line in world.ledger.broken() { world.failures.add(line) }
    for (index, group) in world.groups.enumerated() {
      world.failures.check(
        group.wait(timeout: .now() + .seconds(Int(patience))) == .success, "group \(index) does not become empty")
    }
    for (index, gauge) in world.semaphores.enumerated() {
      var left = 0
      while left <= gauge.initial, gauge.semaphore.wait(timeout: .now()) == .success { left += 1 }
      for _ in 0..<left { gauge.semaphore.signal() }
      world.failures.check(left == gauge.initial, "semaphore \(index): \(left) left of \(gauge.initial)")
      let expected = gauge.expected.load(ordering: .relaxed)
      world.failures.check(gauge.guarded == expected, "semaphore \(index): \(gauge.guarded) counted under it, not \(expected)")
    }
  }

  private struct Ghost { weak var object: AnyObject? }

  private static func objects(of world: World) -> [Ghost] {
    [Ghost(object: world)] + world.sites.map { Ghost(object: $0.queue) } + world.groups.map { Ghost(object: $0) }
      + world.semaphores.map { Ghost(object: $0.semaphore) }
  }
}

/// Ends the process with a description when a condition does not come about, and nothing moves for a minute, or for a quarter of an hour.
struct Watch {
  private let name: String
  private let describe: () -> [String]
  private static let limit = Settings.deadlineSeconds
  /// Seconds after which a world is stuck although it moves.
  private static let most = 15 * limit

  init(_ name: String, _ describe: @escaping () -> [String] = { [] }) {
    self.name = name
    self.describe = describe
  }

  /// Checks about every half millisecond, without the engine, until `isOver`. As long as the description changes, something moves:
  /// a slow machine is not a world that is stuck.
  func wait(describing special: (() -> [String])? = nil, until isOver: () -> Bool) {
    let start = Watch.seconds()
    var moved = start
    var last: [String] = []
    while !isOver() {
      sleepPlainly(microseconds: 500)  // between two readings
      let now = Watch.seconds()
      guard now - moved > Watch.limit else { continue }
      let description = (special ?? describe)()
      if description == last { stop("nothing moves for \(Watch.limit) s", description) }
      if now - start > Watch.most { stop("no end after \(Watch.most) s", description) }
      last = description
      moved = now
    }
  }

  private func stop(_ why: String, _ description: [String]) -> Never {
    let lines = ["STUCK: \(why): \(name) (process \(getpid()))"] + description
    Settings.tell(lines.joined(separator: "\n  "))
    if Settings.holdsWhenStuck { sleepForEver() }
    _exit(70)
  }

  private static func seconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec
  }
}

/// What the environment asks for.
enum Settings {
  /// The seed to begin with; nil: the fixed slice.
  static var seed: UInt64? { value("SIGNALBOX_STRESS_SEED") }
  /// How many worlds a seed stands for.
  static var worlds: Int { value("SIGNALBOX_STRESS_WORLDS").map { Int($0) } ?? 16 }
  /// Steps of each thread of a world.
  static var steps: Int { value("SIGNALBOX_STRESS_STEPS").map { Int($0) } ?? 300 }
  /// How many times longer than in a plain test run the storms are.
  static var scale: Int { seed == nil ? 1 : value("SIGNALBOX_STRESS_SCALE").map { Int($0) } ?? 4 }
  /// How many seconds the mixed load goes on; nil: it does not run.
  static var mixedSeconds: Int? { value("SIGNALBOX_STRESS_MIXED").map { Int($0) } }
  /// A generator for one thread of a storm.
  static func random(_ number: Int) -> SeededRandom { SeededRandom((seed ?? 0) &* 64 &+ UInt64(number)) }
  /// How many seconds nothing may move in a world before it counts as stuck.
  static var deadlineSeconds: Int { value("SIGNALBOX_STRESS_DEADLINE").map { Int($0) } ?? 60 }
  /// Whether a stuck process stays, to be inspected with a debugger.
  static var holdsWhenStuck: Bool { value("SIGNALBOX_STRESS_HOLD") != nil }

  /// Whether each world's seed is printed before it runs.
  static var isVerbose: Bool { value("SIGNALBOX_STRESS_VERBOSE") != nil }

  /// Writes a line to the standard error, at once: the process may be about to die.
  static func tell(_ line: String) {
    var line = line + "\n"
    line.withUTF8 { _ = write(2, $0.baseAddress!, $0.count) }
  }

  private static func value(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}
