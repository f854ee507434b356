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
  private var floor: UInt64?
  private let wall: UInt64

  /// Prepares the program that the last `count` arguments of this process name.
  public init(_ options: ExploreOptions, lastArguments count: Int) throws(Refusal) {
    self.options = options
    launch = try Launch(lastArguments: count)
    if let obstacle = launch.preloadObstacle { throw Refusal(.programNotRunnable, obstacle) }
    command = ProcessInput.arguments.suffix(count).map { Self.quoted($0.description) }.joined(separator: " ")
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
    let preload = try Library.beside(Self.preloadName)
    // Where that is refused the addresses differ from process to process, and with them what is ordered by address.
    let isFixed = OwnProcess.fixAddressesOfChildren()
    Self.watchInterrupts()
    let processors = Processors.available()
    let jobs = options.replay != nil ? 1 : min(options.jobs ?? processors, processors)
    for index in 0..<jobs {
      servers.append(
        try ExploreServer.start(launch, preload: preload.path, processor: index, processors: max(processors, 4), wall: wall))
    }
    if !isFixed {
      tell("note: the system does not let programs lie at the same addresses each time: sets ordered by address may differ")
    }
    if let token = options.replay { return try replay(token) }
    return try explore()
  }

  // MARK: interrupts

  private static let interrupt = HandledInterrupt()
  private static func watchInterrupts() { interrupt.watch() }
  private static var isInterrupted: Bool { interrupt.hasCome }

  // MARK: one schedule

  private func replay(_ token: Token) throws(Refusal) -> End {
    let server = servers[0]
    server.stepLimit = max(ExploreServer.stepLimit, token.steps)
    guard let result = server.replay(token.decisions, flags: token.flags | SBX_DETAIL.rawValue, wall: wall) else {
      throw Refusal(.programNotRunnable, "the program that stood before its main function has gone")
    }
    var counts = ExploreCounts()
    counts.runs = 1
    let isSame = result.outcome.hash == token.hash && result.outcome.steps == token.steps
    let place = FailureStudy.divergence(
      FailureStudy.checked(token.steps, token.checks), result.checks, result.outcome.steps)
    let note = isSame ? nil : "this is not the run that the token tells of: " + (place ?? "the two part before their last step")
    if let kind = result.failure {
      counts.failed = 1
      let seen = Token(
        strategy: token.strategy, flags: token.flags, wall: wall, steps: result.outcome.steps, hash: result.outcome.hash,
        decisions: result.decisions, checks: result.checks)
      let studied = StudiedFailure(
        kind: kind, result: result, token: seen, run: nil, strategy: token.strategy, decisionsBefore: result.decisions.count,
        notes: note.map { [$0] } ?? [])
      tell(studied, server)
    } else {
      tell("the schedule ends without a failure after \(result.outcome.steps) steps")
      if let note { tell("note: \(note)") }
    }
    try finish(ExploreSummary(counts: counts, seconds: 0, seed: options.seed, floor: nil, isInterrupted: false))
    return counts.failed > 0 ? .failed : .clean
  }

  // MARK: many

  private func explore() throws(Refusal) -> End {
    let exploration = Exploration(servers, options, wall: wall)
    exploration.isInterrupted = { Self.isInterrupted }
    exploration.tellProgress = { [progress] counts in
      progress.show("explore: \(ExploreSummary.grouped(counts.runs)) schedules, \(tenths(exploration.elapsed)) s")
    }
    floor = servers[0].floor(20)
    var end = End.clean
    if let found = try exploration.runPlainly() {
      end = .failsPlainly
      study(found)
    }
    while end == .clean || options.keepsGoing && end == .failed {
      guard let found = try exploration.run() else { break }
      end = .failed
      study(found)
      if Self.isInterrupted { break }
    }
    progress.clear()
    try finish(
      ExploreSummary(
        counts: exploration.counts, seconds: exploration.elapsed, seed: options.seed, floor: floor,
        isInterrupted: Self.isInterrupted))
    return end
  }

  private func study(_ found: FoundFailure) {
    progress.show("explore: schedule \(ExploreSummary.grouped(found.run)) failed: \(found.result.words); shrinking")
    var study = FailureStudy(server: found.server, wall: wall)
    study.isInterrupted = { Self.isInterrupted }
    guard let studied = study.study(found) else { return }
    progress.clear()
    // With --keep-going the same failure is met again and again: it is told once.
    guard !told.contains(where: { $0.studied.isSame(as: studied) }) else { return }
    tell(studied, found.server)
  }

  // MARK: telling

  private func tell(_ studied: StudiedFailure, _ server: ExploreServer) {
    var studied = studied
    var report = FailureReport(studied, server, program: launch.program, command: command)
    if report.isUnfinished {
      studied.kind = .unfinished
      report = FailureReport(studied, server, program: launch.program, command: command)
    }
    let failure = ToldFailure(studied: studied, text: report.text)
    told.append(failure)
    tell(failure.text)
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

/// Ctrl-C, and a wish that the command ends, as something to be asked for.
private final class HandledInterrupt: Sendable {
  // The kernel's numbers of SIGINT and SIGTERM.
  private let signals: [Int32] = [2, 15]

  func watch() {
    for signal in signals { try? SignalCounts.watch(signal) }  // refused: the command ends without its summary, as others do
  }
  var hasCome: Bool { signals.contains { SignalCounts.count($0) > 0 } }
}
