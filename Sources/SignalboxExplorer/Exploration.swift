// Exploration.swift: shares the schedules out over the processors, and stops at a failure. What is done with one is FailureStudy.swift.
import CSignalboxExplore
import SignalboxLaunch
import SignalboxSystem

/// What has been done so far.
public struct ExploreCounts: Sendable {
  /// Schedules that were run to an end.
  public var runs: UInt64 = 0
  /// Saved schedules that were run before.
  public var saved: UInt64 = 0
  /// Those of both that failed.
  public var failed: UInt64 = 0
  /// Those that waited for what nobody sees, and were abandoned.
  public var stuck: UInt64 = 0
  /// Those that something outside affected.
  public var outside: UInt64 = 0
  /// Those of them that failed, and ended otherwise when they were run again; not among `failed`.
  public var unrepeated: UInt64 = 0
  /// Those of an exhaustive search that were cut short because they would only have repeated others; not among `runs`.
  public var cut: UInt64 = 0
  /// Whether there is no further schedule.
  public var isComplete = false
  /// Steps of all of them.
  public var steps: UInt64 = 0
  /// Hand-overs from one thread to another.
  public var switches: UInt64 = 0
  /// Processor time of the runs, in nanoseconds.
  public var processorTime: UInt64 = 0
  /// How many by each strategy.
  public var perStrategy: [UInt64] = Array(repeating: 0, count: Int(SBX_STRATEGIES.rawValue))

  package init() {}
}

/// A failure as it was met.
package struct FoundFailure {
  /// The schedule's number; nil if it was a saved one.
  let run: UInt64?
  let strategy: UInt32
  let flags: UInt32
  let wall: UInt64
  package let result: RunResult
  let server: any ScheduleRunner
  /// Further lines of the report.
  var notes: [String] = []

  package init(
    run: UInt64?, strategy: UInt32, flags: UInt32, wall: UInt64, result: RunResult, server: any ScheduleRunner,
    notes: [String] = []
  ) {
    (self.run, self.strategy, self.flags, self.wall) = (run, strategy, flags, wall)
    (self.result, self.server, self.notes) = (result, server, notes)
  }
}

/// What runs a schedule again: a server's program, or a test's body.
package protocol ScheduleRunner: AnyObject {
  /// What the last run has left.
  var shared: OpaquePointer { get }
  /// The process in which it was.
  var id: Int32 { get }
  /// Runs one schedule and waits for its end; nil if that cannot be done any more.
  func replay(_ decisions: [Decision], flags: UInt32, wall: UInt64) -> RunResult?
}

/// The servers of one exploration, and what they have done.
final class Exploration {
  private(set) var counts = ExploreCounts()
  /// Told now and then, for a line on the terminal.
  var tellProgress: ((ExploreCounts) -> Void)?
  /// Whether somebody wants it to end.
  var isInterrupted: () -> Bool = { false }
  /// Hears of the first schedule that waits for what nobody sees, while the server still has it.
  var tellStuck: ((UInt64, ExploreServer) -> Void)?
  let servers: [ExploreServer]
  let wall: UInt64
  private let options: ExploreOptions
  private var next: UInt64 = 2
  /// Parts of portions that a failure has kept from being run.
  private var left: [ClosedRange<UInt64>] = []
  private var estimate: UInt32 = 100
  private let start = Clock.uptime()

  init(_ servers: [ExploreServer], _ options: ExploreOptions, wall: UInt64) {
    self.servers = servers
    self.options = options
    self.wall = wall
  }

  var elapsed: Double { Double(Clock.uptime() - start) / 1e9 }

  /// Runs the plain schedule, in which nobody is interrupted.
  func runPlainly() throws(Refusal) -> FoundFailure? {
    let server = servers[0]
    server.stepLimit = ExploreServer.plainLimit
    guard server.explore(1...1, options, estimate: estimate, wall: wall), server.finish() else { throw Self.gone }
    let found = try collect(server)
    estimate = max(20, server.outcome.steps)
    return found
  }

  /// The plain schedule is done with. A failure of it is studied under a limit of its own.
  func limitSteps() {
    for server in servers { server.stepLimit = max(ExploreServer.stepLimit, 4 * estimate) }
  }

  /// Goes on until a schedule fails; nil when all are through, the time is over, or it is interrupted.
  func run() throws(Refusal) -> FoundFailure? {
    let poller: Poller
    do throws(SystemError) {
      poller = try Poller()
      for (index, server) in servers.enumerated() {
        try poller.register(server.answers, for: .readable, token: UInt64(index))
      }
    } catch {
      throw Refusal(.programNotRunnable, "no descriptors are left to wait for the program: \(error.words)")
    }
    var found: FoundFailure?
    var isOver = false
    for server in servers { give(server, isOver: false) }
    while servers.contains(where: { $0.task != nil }) {
      if !isOver, isInterrupted() || options.seconds.map({ elapsed >= $0 }) ?? false {
        isOver = true
        for server in servers { server.control.pointee.stop = 1 }
      }
      tellProgress?(running)
      var ready: [Int] = []
      poller.wait(untilUptime: Clock.uptime() + 100_000_000) { token, _ in ready.append(Int(token)) }
      for index in ready where servers[index].task != nil {
        let server = servers[index]
        guard server.finish() else { throw Self.gone }
        if let failure = try collect(server) {
          found = first(of: found, failure)
          // What comes before it is still run, so that the number told is the first.
          let number = found?.run ?? 0
          for other in servers where other.task.map({ $0.lowerBound > number }) ?? false { other.control.pointee.stop = 1 }
        }
        if found == nil { give(server, isOver: isOver) }
      }
    }
    return found
  }

  private static var gone: Refusal {
    Refusal(.programNotRunnable, "the program that stood before its main function has gone: was it killed?")
  }

  /// So few that a failure is reported soon, so many that asking costs nothing.
  private static let portion: UInt64 = 32

  private func give(_ server: ExploreServer, isOver: Bool) {
    guard !isOver, !counts.isComplete else { return }
    if let part = left.popLast() {
      _ = server.explore(part, options, estimate: estimate, wall: wall)
      return
    }
    guard next <= options.runs else { return }
    let last = min(options.runs, next + Self.portion - 1)
    if server.explore(next...last, options, estimate: estimate, wall: wall) { next = last + 1 }
  }

  /// Those under way included.
  private var running: ExploreCounts {
    var all = counts
    for server in servers where server.task != nil { all.runs += server.control.pointee.done }
    return all
  }

  /// Of two failures that are met at once, one is reported. The other counts as not run: it is run again if the exploration goes on.
  private func first(of one: FoundFailure?, _ other: FoundFailure) -> FoundFailure {
    guard let one, let number = one.run, let another = other.run else { return other }
    let (told, later) = number < another ? (one, other) : (other, one)
    let outcome = later.result.outcome
    counts.runs -= 1
    counts.failed -= 1
    counts.outside -= outcome.outside > 0 ? 1 : 0
    counts.steps -= UInt64(outcome.steps)
    counts.switches -= UInt64(outcome.switches)
    counts.perStrategy[Int(later.strategy)] -= 1
    left.append(max(number, another)...max(number, another))
    return told
  }

  /// A failure did not repeat, and something outside affected it.
  func noteUnrepeated() {
    counts.failed -= 1
    counts.unrepeated += 1
  }

  /// Counts a saved schedule that was replayed.
  func noteSaved(_ result: RunResult) {
    counts.saved += 1
    counts.failed += result.failure == nil ? 0 : 1
    counts.stuck += result.isStuck ? 1 : 0
    counts.outside += result.outcome.outside > 0 ? 1 : 0
  }

  /// After this many schedules of which each waited for what nobody sees no other will be of use.
  private static let mostStuck: UInt64 = 5

  private func noteStuck(_ server: ExploreServer) throws(Refusal) {
    if sbx_failure(rawValue: server.outcome.failure) == SBX_OVERFLOW {
      throw Refusal(
        .programNotRunnable,
        "a schedule of the program starts more than \(SBX_MAX_THREADS - 1) threads, ended ones included: "
          + "explore it in parts")
    }
    guard sbx_failure(rawValue: server.outcome.failure) == SBX_STUCK_OUTSIDE else { return }
    tellStuck?(server.control.pointee.failed_run, server)
    tellStuck = nil
    guard counts.stuck < Self.mostStuck || counts.stuck < counts.runs else {
      throw Refusal(
        .programNotRunnable,
        "each of the first \(counts.stuck) schedules "
          + (server.outcome.is_computing != 0 ? "computes on and on without anything" : "waits for something")
          + " that is not seen, so none "
          + "comes to an end")
    }
  }

  /// Takes over what the server has done, and its failure if there is one.
  private func collect(_ server: ExploreServer) throws(Refusal) -> FoundFailure? {
    let control = server.control.pointee
    if control.is_complete != 0 {
      counts.isComplete = server.tree.pointee.is_partial == 0
      left = []
      next = .max
    } else if let task = server.task, control.done < UInt64(task.count) {
      left.append(task.lowerBound + control.done...task.upperBound)
    }
    server.task = nil
    counts.runs += control.done - control.cut
    counts.cut += control.cut
    counts.stuck += control.stuck
    counts.outside += control.outside
    counts.steps += control.steps
    counts.switches += control.switches
    counts.processorTime += control.processor_time
    withUnsafeBytes(of: control.per_strategy) { bytes in
      for (index, count) in bytes.bindMemory(to: UInt64.self).enumerated() { counts.perStrategy[index] += count }
    }
    let result = server.result
    guard control.done > 0 else { return nil }
    if control.stuck > 0 { try noteStuck(server) }
    guard result.failure != nil else { return nil }
    counts.failed += 1
    let run = sbx_run_of(server.shared).pointee
    return FoundFailure(
      run: control.failed_run, strategy: run.strategy, flags: run.flags, wall: wall, result: result, server: server)
  }
}
