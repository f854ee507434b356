// Explore.swift: `explore { }`: a body under many schedules, in a test.
import CSignalboxExplore
import CSignalboxExploreInside
import SignalboxDispatch
import SignalboxExplorer
import SignalboxLocks
import SignalboxSystem

/// Runs `body` under many schedules, each another order in which its threads, queue items and timers go on, and throws the first
/// failure, shrunk to the switches that matter.
///
/// The body's threads run one at a time; a schedule decides who goes on at each operation of queues, groups, semaphores, locks, threads
/// and timers. Time is virtual: sleeps, timeouts and timers take none. The body has a pool, timers and a main queue of its own, so other
/// tests of the process neither change it nor are changed.
///
/// A run fails if the body throws (use `#require` rather than `#expect`), if no thread can ever go on, if it makes no progress, and if
/// it leaves something behind: threads that cannot end, armed timers, groups that are entered.
///
/// ```swift file
/// import SignalboxFoundation
/// func transfersDoNotDeadlock() throws {
///   try explore(schedules: 500) {
///     let left = NSLock(), right = NSLock(), done = DispatchGroup()
///     for _ in 1...2 { DispatchQueue.global().async(group: done) { left.withLock { right.withLock {} } } }
///     done.wait()  // a schedule that deadlocks is thrown as an ExploreFailure
///   }
/// }
/// ```
///
/// - Parameters:
///   - schedules: the largest number of schedules to run.
///   - strategy: how schedules are chosen.
///   - seed: the start of the random numbers: the same number gives the same schedules.
///   - seconds: the longest time in seconds of real time: no schedule starts later. nil: no limit.
///   - steps: how long one schedule may be. After this many steps all take turns; one that is not over after twice as many fails with
///     `.noProgress`. A body of thousands of items asks for more.
///   - file: where saved tokens and messages say that the test is; leave it out.
///   - function: the same.
///   - line: the same.
///   - body: called once for each schedule, and not at the same time. It must begin anew each time: what it uses is made in it.
/// - Returns: what was explored.
/// - Throws: `ExploreFailure` for a schedule that fails; `ExploreTrouble` if the system has no memory or thread left.
/// - Note: Thread safety: any thread that is not explored itself; explorations of one process take turns.
@discardableResult
public func explore(
  schedules: Int = 1_000, strategy: ExploreStrategy = .portfolio, seed: UInt64 = 1, seconds: Double? = nil, steps: Int = 20_000,
  file: StaticString = #filePath, function: StaticString = #function, line: UInt = #line,
  _ body: @escaping @Sendable () throws -> Void
) throws -> ExploreResult {
  precondition(schedules > 0, "explore(schedules:): at least one schedule must be run, not \(schedules)")
  precondition(steps > 0, "explore(steps:): a schedule has one step at least, not \(steps)")
  var settings = ExploreSettings(strategy: strategy, seed: seed)
  settings.set(seconds: seconds)
  settings.steps = UInt32(clamping: min(steps, Int(UInt32.max / 2)))
  let place = TestPlace(file: "\(file)", function: "\(function)", line: line)
  return try Exploring.inTurn(settings, place, body) { try $0.run(UInt64(schedules)) }
}

/// Runs an asynchronous `body` under many schedules, each another order in which its tasks, actors, threads and queue items go on, and
/// throws the first failure, shrunk to the switches that matter.
///
/// This works like the form for synchronous bodies. What the body awaits is explored as well: a schedule decides which job of which task runs
/// next. `Task.sleep` takes no time.
///
/// ```swift
/// let result = try await explore(schedules: 100) {
///   async let left = [1, 2].reduce(0, +)
///   async let right = [3, 4].reduce(0, +)
///   guard await left + right == 10 else { throw CancellationError() }  // in a test: try #require(…)
/// }
/// print(result)  // explored … schedules …: none fails
/// ```
///
/// - Throws: `ExploreFailure` for a schedule that fails; `ExploreTrouble` if the system has no memory or thread left.
/// - Note: Thread safety: any task that is not explored itself. The caller's thread is free meanwhile.
/// - Returns: what was explored.
@discardableResult
public func explore(
  schedules: Int = 1_000, strategy: ExploreStrategy = .portfolio, seed: UInt64 = 1, seconds: Double? = nil, steps: Int = 20_000,
  file: StaticString = #filePath, function: StaticString = #function, line: UInt = #line,
  _ body: @escaping @Sendable () async throws -> Void
) async throws -> ExploreResult {
  try await onOwnThread {
    try explore(
      schedules: schedules, strategy: strategy, seed: seed, seconds: seconds, steps: steps, file: file, function: function,
      line: line
    ) { try runToItsEnd(body) }
  }
}

/// Waits for an asynchronous body, on a thread under control.
func runToItsEnd(_ body: @escaping @Sendable () async throws -> Void) throws {
  let end = BodyEnd()
  Task.detached {
    do {
      try await body()
      end.reach(nil)
    } catch { end.reach(error) }
  }
  try end.wait()
}

/// How an asynchronous body ended.
private final class BodyEnd: @unchecked Sendable {
  // SAFETY of @unchecked: written before the semaphore is signalled, read after it was waited for.
  private var error: (any Error)?
  private let semaphore = DispatchSemaphore(value: 0)

  func reach(_ error: (any Error)?) {
    self.error = error
    semaphore.signal()
  }
  func wait() throws {
    semaphore.wait()
    if let error { throw error }
  }
}

/// Explorations take turns, and wait: not on a thread of the tasks' pool.
func onOwnThread<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    do throws(SystemError) {
      try Threads.spawn(name: "explorer") { continuation.resume(with: Result(catching: work)) }
    } catch {
      continuation.resume(throwing: ExploreTrouble("the system has no thread for an exploration: \(error)"))
    }
  }
}

/// One call of `explore`.
struct Exploring {
  /// Explorations of one process take turns: the core has one state.
  private static let turns = UnfairLock()

  let runner: BodyRunner
  let place: TestPlace
  let seed: UInt64
  /// The time of day that every body sees at its begin.
  static let wall: UInt64 = 1_767_225_600

  /// Calls `work` with an exploration of `body` when others have ended.
  static func inTurn<R>(
    _ settings: ExploreSettings, _ place: TestPlace, _ body: @escaping @Sendable () throws -> Void,
    _ work: (Exploring) throws -> R
  ) throws -> R {
    if Exploration.isOfCaller {
      throw ExploreTrouble("explore() and withVirtualTime() cannot be called in a body that is explored itself")
    }
    return try turns.withLock {
      let exploring = try Exploring(settings, place, body)
      defer { exploring.runner.end() }
      return try work(exploring)
    }
  }

  private init(_ settings: ExploreSettings, _ place: TestPlace, _ body: @escaping @Sendable () throws -> Void) throws {
    runner = try BodyRunner(settings, body)
    self.place = place
    seed = settings.seed
  }

  func run(_ schedules: UInt64) throws -> ExploreResult {
    if let text = Environment.value("SIGNALBOX_EXPLORE_REPLAY") { return try replay(text) }
    // A token of a weaker engine says nothing of this one, nor of one that is weaker otherwise.
    var saved = runner.options.isWeakened ? nil : SavedTokens(place)
    sbx_inside_catch(place.text, saved?.folder ?? "", saved?.path ?? "")
    defer { sbx_inside_catch_no_more() }
    // One run first, so that what a process makes at first use is made in each replay.
    var found = try runner.explore(1...1, wall: Self.wall)
    if let failure = try replaySaved(&saved) { throw failure }
    // What happens at first use may have affected it: only a failure that repeats is reported.
    // The same holds for one that something outside affected.
    if let first = found {
      found = try runner.explore(1...1, wall: Self.wall) ?? (first.result.outcome.outside > 0 ? nil : first)
    }
    if found == nil, schedules > 1 {
      found = try searchOrSample(2...schedules)
    }
    guard let found else {
      let counts = runner.counts
      let isAll = runner.isComplete && runner.options.strategy == .exhaustive
      let searched = runner.isComplete ? runner.searched : 0
      return ExploreResult(
        schedules: isAll ? searched : counts.runs - runner.cut, isExhaustive: runner.isComplete, distinct: searched,
        steps: counts.steps, switches: counts.switches,
        estimate: runner.share > 0 ? Double(runner.searched + runner.cut) / runner.share : nil)
    }
    let failure = told(found)
    if let token = Token(failure.token) { saved?.add(token, failure.kind.rawValue) }
    throw failure
  }

  /// All schedules, if they are asked for; else first a few of these, and the rest of them if there seem to be few. What remains is
  /// drawn even then: bodies share more than is seen.
  private func searchOrSample(_ runs: ClosedRange<UInt64>) throws -> FoundFailure? {
    let strategy = runner.options.strategy
    if strategy == .exhaustive { return try runner.search(runs, wall: Self.wall) }
    guard strategy == .portfolio else { return try runner.explore(runs, wall: Self.wall) }
    if let found = try runner.search(runs, trial: max(8, UInt64(runs.count) / 8), wall: Self.wall) { return found }
    guard !runner.options.isOver, runner.run < runs.upperBound else { return nil }
    return try runner.explore(runner.run + 1...runs.upperBound, wall: Self.wall)
  }

  /// The schedules that failed before, the newest first.
  private func replaySaved(_ saved: inout SavedTokens?) throws -> ExploreFailure? {
    for entry in saved?.entries ?? [] {
      guard let result = runner.replay(entry.token.decisions, flags: entry.token.flags, wall: entry.token.wall) else {
        continue
      }
      if result.failure != nil {
        return told(
          FoundFailure(
            run: nil, strategy: entry.token.strategy, flags: entry.token.flags, wall: entry.token.wall, result: result,
            server: runner))
      }
      if saved?.isOfThisCall(entry) == true { saved?.drop(entry.token) }
    }
    return nil
  }

  private func replay(_ text: String) throws -> ExploreResult {
    guard let token = Token(text) else {
      throw ExploreTrouble("SIGNALBOX_EXPLORE_REPLAY=\(text) is no token: copy it whole, from xp1: to its end")
    }
    guard let result = runner.replay(token.decisions, flags: token.flags | SBX_DETAIL.rawValue, wall: token.wall) else {
      throw ExploreTrouble("the system has no thread for an exploration")
    }
    guard result.failure != nil else {
      return ExploreResult(
        schedules: 1, isExhaustive: false, distinct: 0, steps: UInt64(result.outcome.steps),
        switches: UInt64(result.outcome.switches))
    }
    throw failure(StudiedFailure(replayed: result, token), schedule: nil)
  }

  func told(_ found: FoundFailure) -> ExploreFailure {
    if found.result.isStuck {
      let description = "explore: schedule \(runner.run) of \(place.text) was abandoned: \(found.result.output)"
      return ExploreFailure(
        kind: .unfinished, message: found.result.output, switches: [], token: "", schedule: runner.run,
        schedules: runner.counts.runs, description: description)
    }
    let schedule = runner.run
    // The sanitizer reports each race once: to run it again would show nothing.
    if found.result.failure == .race {
      return failure(FailureStudy(server: runner, wall: Self.wall).unstudied(found), schedule: schedule)
    }
    var study = FailureStudy(server: runner, wall: Self.wall)
    study.budget = 300
    let studied = study.study(found)
    return failure(studied, schedule: studied.run.map { _ in schedule })
  }

  private func failure(_ studied: StudiedFailure, schedule: UInt64?) -> ExploreFailure {
    let report = FailureReport(
      studied, runner, program: "/proc/self/exe", replay: ("SIGNALBOX_EXPLORE_REPLAY=", " in the environment of the test"))
    return ExploreFailure(
      kind: studied.kind, message: studied.result.output, switches: report.switches, token: studied.token.text,
      schedule: schedule, schedules: runner.counts.runs,
      description: "explored \(runner.counts.runs) schedule\(runner.counts.runs == 1 ? "" : "s") of \(place.text)\n"
        + report.text)
  }
}
