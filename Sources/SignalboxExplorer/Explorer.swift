// Explorer.swift: `signalbox explore` from the command line to the exit status. The parts are in the files beside this one.
import CSignalboxExplore
import SignalboxLaunch
import SignalboxSystem

/// What the command does.
public final class Explorer {
  /// How it ended.
  public enum End: Sendable, Equatable {
    /// No schedule failed.
    case clean
    /// One did.
    case failed
    /// The first did, in which nobody is interrupted.
    case failsPlainly
  }

  /// The library that stands before the C library's functions.
  public static let preloadName = "libSignalboxExplorePreload.so"

  private let options: ExploreOptions
  private let launch: Launch
  private let command: String
  private let progress = ProgressLine()
  private var servers: [ExploreServer] = []
  private var told: [ToldFailure] = []
  private var saved: SavedSchedules?
  private var dropped: [Token] = []
  private var cannotSave = false
  private var floor: UInt64?, free: UInt64?
  private let wall: UInt64
  /// Whether the system puts programs at the same addresses each time.
  private var isFixed = true

  /// Prepares the program that the last `count` arguments of this process name.
  public init(_ options: ExploreOptions, lastArguments count: Int) throws(Refusal) {
    self.options = options
    launch = try Launch(lastArguments: count)
    if let obstacle = launch.preloadObstacle { throw Refusal(.programNotRunnable, obstacle) }
    let words = Array(ProcessInput.arguments.suffix(count))
    command = words.map { Self.quoted($0.description) }.joined(separator: " ")
    if options.replay == nil, let folder = options.savedFolder {
      saved = SavedSchedules(in: folder, program: launch.program, arguments: words, command: command)
    }
    wall = options.replay?.wall ?? Clock.wall() / 1_000_000_000
  }

  private static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "-_./=:,+@%".utf8.contains(byte)
    }
    return plain && !word.isEmpty
      ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// Does it.
  public func run() throws(Refusal) -> End {
    isFixed = OwnProcess.fixAddressesOfChildren()
    Interrupts.watch()
    let processors = Processors.available()
    // A search's path is one server's.
    let jobs = options.replay != nil || options.isExhaustive ? 1 : min(options.jobs ?? processors, processors)
    for index in 0..<jobs { servers.append(try start(processor: index, wall: wall)) }
    for path in [options.jsonFile, options.xunitFile] { if let path { try ResultFile.make(path) } }
    if !isFixed {
      tell(
        "note: the system does not let programs lie at the same addresses each time: "
          + "sets ordered by the addresses of code or of the main thread's stack may differ")
    }
    if let token = options.replay { return try replay(token) }
    return try explore()
  }

  private func start(processor: Int, wall: UInt64) throws(Refusal) -> ExploreServer {
    let server = try ExploreServer.start(
      launch, preload: try Library.beside(Self.preloadName).path, processor: processor,
      processors: max(Processors.available(), 4), wall: wall, isFixed: isFixed)
    server.isInterrupted = { Self.isInterrupted }
    return server
  }

  // MARK: interrupts

  private static var isInterrupted: Bool { Interrupts.haveCome }

  // MARK: one schedule

  private func replay(_ token: Token) throws(Refusal) -> End {
    let server = servers[0]
    server.stepLimit = max(ExploreServer.stepLimit, token.steps.value)
    guard let result = server.replay(token.decisions, flags: token.flags | SBX_DETAIL.rawValue, wall: wall) else {
      throw Refusal(.programNotRunnable, "the program that stood before its main function has gone")
    }
    var counts = ExploreCounts()
    counts.runs = 1
    let note = parting(result, token, server).map { "this is not the run that the token names: \($0)" }
    if let kind = result.failure {
      counts.failed = 1
      let seen = Token(
        strategy: token.strategy, flags: token.flags, wall: wall, steps: result.steps, hash: result.outcome.hash,
        decisions: result.decisions, checks: result.checks)
      let studied = StudiedFailure(
        kind: kind, result: result, token: seen, run: nil, strategy: token.strategy, decisionsBefore: result.decisions.count,
        notes: note.map { [$0] } ?? [])
      tell(studied, server)
    } else {
      tell("the schedule ends without a failure after \(result.outcome.steps) steps")
      if let note { tell("note: \(note)") }
    }
    try finish(
      ExploreSummary(counts: counts, failures: told.count, seconds: 0, seed: options.seed, floor: nil, isInterrupted: false))
    return counts.failed > 0 ? .failed : .clean
  }

  /// Where the run leaves the one that the token names; nil if it is that one.
  private func parting(_ result: RunResult, _ token: Token, _ server: ExploreServer) -> String? {
    Parting(result, token, shared: server.shared)?.text(server, program: launch.program)
  }

  // MARK: saved schedules

  /// Says how much of what is saved cannot be replayed.
  private func tellDamage() {
    guard let saved, let note = saved.damageNote else { return }
    progress.clear()
    tell("note: \(note)")
  }

  /// Replays what earlier explorations have found. What no longer fails is dropped.
  private func replaySaved(_ exploration: Exploration) throws(Refusal) -> End {
    var end = End.clean
    var byWall = [wall: servers[0]]
    for entry in saved?.entries ?? [] where !Self.isInterrupted {
      let token = entry.token
      // What the program has done before its first thread it has done at the token's time.
      let server: ExploreServer
      if let there = byWall[token.wall] { server = there } else { server = try start(processor: 0, wall: token.wall) }
      byWall[token.wall] = server
      guard let result = server.replay(token.decisions, flags: token.flags, wall: token.wall) else {
        throw Refusal(.programNotRunnable, "the program that stood before its main function has gone")
      }
      if Self.isInterrupted && result.isStuck { break }
      exploration.noteSaved(result)
      let parting = parting(result, token, server)
      guard result.failure != nil else {
        let why = parting.map { ": \($0)" } ?? ""
        progress.clear()
        if result.isStuck {
          tell("note: the saved schedule \(token.text) (\(entry.failure)) waits for something that is not seen: kept")
        } else {
          tell("note: the saved schedule \(token.text) (\(entry.failure)) no longer fails\(why): dropped")
          dropped.append(token)
          keep { saved throws(SystemError) in try saved.drop(token) }
        }
        continue
      }
      var found = FoundFailure(
        run: nil, strategy: token.strategy, flags: token.flags, wall: token.wall, result: result, server: server)
      if let parting { found.notes = ["this is not the run that was saved: \(parting)"] }
      let outcome = study(found)
      if isUnrepeated(outcome, exploration) { continue }
      end = .failed
      if case .told(let told) = outcome, told.token != token {
        keep { saved throws(SystemError) in
          try saved.drop(token)
          try saved.add(.init(token: told.token, failure: told.kind.rawValue))
        }
      }
      guard options.keepsGoing else { break }
    }
    return end
  }

  /// Changes what is saved; says once where that cannot be.
  private func keep(_ change: (inout SavedSchedules) throws(SystemError) -> Void) {
    guard var saved, !cannotSave else { return }
    do throws(SystemError) { try change(&saved) } catch {
      cannotSave = true
      tell("note: tokens are not saved in \(options.savedFolder ?? ""): \(error.words)")
    }
    self.saved = saved
  }

  // MARK: many

  private func explore() throws(Refusal) -> End {
    let exploration = Exploration(servers, options, wall: wall)
    exploration.isInterrupted = { Self.isInterrupted }
    exploration.tellProgress = { [progress] counts in
      progress.show("explore: \(ExploreSummary.grouped(counts.runs)) schedules, \(tenths(exploration.elapsed)) s")
    }
    exploration.tellStuck = { [self] run, server in tellStuck(run, server) }
    floor = servers[0].floor(20)
    // For Scripts/explore-figures.
    if let count = Environment.value("SIGNALBOX_EXPLORE_FREE").flatMap({ UInt64($0) }), count > 0 {
      free = servers[0].free(count)
    }
    var end = End.clean
    if let found = try exploration.runPlainly(), !isUnrepeated(study(found), exploration) {
      end = .failsPlainly
    } else {
      exploration.limitSteps()
      if servers[0].outcome.threads == 1, exploration.counts.stuck == 0 {
        tell(
          "note: the program has one thread only, so all its schedules are alike; other processes, which it may start or become, "
            + "are not explored")
      }
      tellDamage()
      end = try replaySaved(exploration)
    }
    while (end == .clean || options.keepsGoing && end == .failed) && !Self.isInterrupted {
      guard let found = try exploration.run() else { break }
      let outcome = study(found)
      if isUnrepeated(outcome, exploration) { continue }
      end = .failed
      if case .told(let told) = outcome, told.kind != .nondeterminism {
        keep { saved throws(SystemError) in try saved.add(.init(token: told.token, failure: told.kind.rawValue)) }
      }
    }
    progress.clear()
    try finish(
      ExploreSummary(
        counts: exploration.counts, failures: told.count, dropped: dropped, seconds: exploration.elapsed, seed: options.seed,
        floor: floor, free: free, isInterrupted: Self.isInterrupted))
    return end
  }

  /// What came of a failure that was studied.
  private enum Study {
    case told(StudiedFailure)
    /// With --keep-going the same one is met again and again.
    case toldBefore
    /// It did not repeat, and something outside the program affected it: not a failure of the program.
    case unrepeated
  }

  private func study(_ found: FoundFailure) -> Study {
    let which = found.run.map { "schedule \(ExploreSummary.grouped($0))" } ?? "a saved schedule"
    progress.show("explore: \(which) failed: \(found.result.words); shrinking")
    var study = FailureStudy(server: found.server, wall: found.wall)
    study.isInterrupted = { Self.isInterrupted }
    let studied = study.study(found)
    progress.clear()
    if let otherEnd = studied.otherEnd {
      tell(
        "note: \(which) ended with \(found.result.words), and with \(otherEnd) when it was run again with the same choices. "
          + "Something outside the program affected it (a wait that cannot be seen): counted separately")
      return .unrepeated
    }
    guard !told.contains(where: { $0.studied.isSame(as: studied) }) else { return .toldBefore }
    return .told(tell(studied, found.server))
  }

  /// Whether it is not to be counted as a failure; counts it apart then.
  private func isUnrepeated(_ study: Study, _ exploration: Exploration) -> Bool {
    guard case .unrepeated = study else { return false }
    exploration.noteUnrepeated()
    return true
  }

  private func tellStuck(_ run: UInt64, _ server: ExploreServer) {
    progress.clear()
    let last = FailureReport.lastSeen(of: UInt32(max(0, server.outcome.status)), server, program: launch.program)
    let what =
      server.outcome.is_computing != 0
      ? "computes for ten seconds without anything that is seen" : "waits for something that is not seen"
    tell("note: schedule \(run) was abandoned: \(last), and then \(what); such schedules are counted separately")
  }

  // MARK: telling

  @discardableResult private func tell(_ studied: StudiedFailure, _ server: any ScheduleRunner) -> StudiedFailure {
    var studied = studied
    let replay = (before: "signalbox explore --replay ", after: " -- \(command)")
    var report = FailureReport(studied, server, program: launch.program, replay: replay)
    if report.isUnfinished {
      studied.kind = .unfinished
      report = FailureReport(studied, server, program: launch.program, replay: replay)
    }
    let failure = ToldFailure(studied: studied, text: report.text)
    told.append(failure)
    tell(failure.text)
    return studied
  }

  private func tell(_ text: String) { OwnProcess.write(text + "\n") }

  private func finish(_ summary: ExploreSummary) throws(Refusal) {
    if options.replay == nil { tell(summary.text) }
    if let path = options.jsonFile {
      let lines = told.map(\.json.text) + [summary.json.text]
      try ResultFile.write(lines.joined(separator: "\n") + "\n", to: path)
    }
    if let path = options.xunitFile { try ResultFile.write(XUnit.text(command, summary, told), to: path) }
  }
}

extension StudiedFailure {
  /// Whether both are one failure: of one kind, with the same switches.
  func isSame(as other: StudiedFailure) -> Bool {
    kind == other.kind && result.outcome.status == other.result.outcome.status
      && result.decisions.map { [$0.thread, $0.next] } == other.result.decisions.map { [$0.thread, $0.next] }
  }
}
