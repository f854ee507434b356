// ExploreServer.swift: one program that stands before its `main` and is run again and again, on one processor. Who asks it for what
// is Exploration.swift.
import CSignalboxExplore
import SignalboxLaunch
import SignalboxSystem

/// A program under control, and what is shared with it. For one thread at a time.
final class ExploreServer: ScheduleRunner {
  /// Which of the runs are its own at present.
  var task: ClosedRange<UInt64>?
  /// Whether somebody wants what is under way to end.
  var isInterrupted: () -> Bool = { false }
  private let memory: SharedMemory
  private let output: NamelessFile
  private let process: ServedProcess
  /// The part of the program's output that is kept.
  private static let mostOutput = 1 << 20
  /// More steps than a run that ends should need; the fair ones after them, as many again, show whether it ends at all. A bundle may
  /// have long runs: the plain one, which is fair, may take long, and others are measured by it.
  var stepLimit = ExploreServer.stepLimit
  static let stepLimit: UInt32 = 300_000, plainLimit: UInt32 = 1_000_000

  /// Starts the program and waits until it stands before its first thread: what it does until then is the same in all runs, and is
  /// done once. A program for which that cannot be is run from its `main` on in each.
  ///
  /// - Parameter isFixed: whether the system puts programs at the same addresses each time.
  static func start(
    _ launch: Launch, preload: RawString, processor: Int, processors: Int, wall: UInt64, isFixed: Bool
  ) throws(Refusal) -> ExploreServer {
    func server(isEarly: Bool) throws(Refusal) -> ExploreServer {
      try ExploreServer(launch, preload, processor, processors, wall: wall, isEarly: isEarly, isFixed: isFixed)
    }
    let late = try server(isEarly: false)
    if late.isReady(milliseconds: prelude), late.refusal == SBX_CAN { return late }
    let early = try server(isEarly: true)
    guard early.isReady(milliseconds: loading) else {
      let said = early.text.split(separator: "\n").first.map { ": \($0)" } ?? ""
      throw Refusal(
        .programNotRunnable, "\(launch.program) ends before its main function, or cannot be taken under control\(said)")
    }
    switch early.refusal {
    case SBX_CAN: return early
    case SBX_THREADS_BEFORE_MAIN:
      throw Refusal(
        .programNotRunnable, "\(launch.program) starts threads before its main function: these cannot be controlled")
    default: throw Refusal(.libraryMissing, "\(preload) is not of the same build as this command: build all of the package")
    }
  }

  /// How long a program may take until its first thread, and to be loaded.
  private static let prelude: Int32 = 10_000, loading: Int32 = 60_000

  private init(
    _ launch: Launch, _ preload: RawString, _ processor: Int, _ processors: Int, wall: UInt64, isEarly: Bool,
    isFixed: Bool
  ) throws(Refusal) {
    do throws(SystemError) {
      memory = try SharedMemory(size: sbx_shared_size())
      output = try NamelessFile()
      let words = launch.words(setting: Self.variables(preload, isFixed: isFixed))
      let control = sbx_control_of(OpaquePointer(memory.start))
      control.pointee.layout = UInt32(SBX_LAYOUT)
      control.pointee.processor = UInt32(processor)
      control.pointee.processors = UInt32(processors)
      control.pointee.is_early = isEarly ? 1 : 0
      control.pointee.run = Self.run(flags: 0, wall: wall, limit: Self.plainLimit)
      process = try ServedProcess(
        launch.program, arguments: words.arguments, environment: words.environment, output: output.descriptor,
        memory: memory.descriptor)
    } catch {
      throw Refusal(.programNotRunnable, "\(launch.program) cannot be started: \(error.words)")
    }
  }

  private func isReady(milliseconds: Int32) -> Bool { process.hasAnswer(milliseconds: milliseconds) && process.receive() }
  private var refusal: sbx_refusal { sbx_refusal(rawValue: control.pointee.refused) }

  private static func variables(_ preload: RawString, isFixed: Bool) -> [String: RawString] {
    var list = preload
    if let set = EnvironmentList(ProcessInput.environment)["LD_PRELOAD"], !set.bytes.isEmpty { list = preload + ":" + set }
    let inherited = ServedProcess.inherited
    var variables: [String: RawString] = [
      "LD_PRELOAD": list,
      "SIGNALBOX_EXPLORE_SERVER": RawString("\(inherited.commands),\(inherited.answers),\(inherited.memory)"),
      "SIGNALBOX_EXPLORE": "1", "SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no",
      // Names are looked up once, not in each run.
      "LD_BIND_NOW": "1",
      // A report's helper would be a process outside: places are named here.
      "SIGNALBOX_SYMBOLICATOR": "none",
    ]
    // The preloaded library then sees to it as far as it can.
    if !isFixed { variables["SIGNALBOX_EXPLORE_MOVES"] = "1" }
    return variables
  }

  // MARK: what is shared

  package var shared: OpaquePointer { OpaquePointer(memory.start) }
  var control: UnsafeMutablePointer<sbx_control> { sbx_control_of(shared) }
  var outcome: sbx_outcome { sbx_outcome_of(shared).pointee }
  var tree: UnsafeMutablePointer<sbx_tree> { sbx_tree_of(shared) }
  package var id: Int32 { process.id }
  /// Readable when a command is through.
  var answers: Int32 { process.answers }

  /// The beginning of what the last run wrote.
  var text: String { String(decoding: output.contents(most: Self.mostOutput), as: UTF8.self) }

  // MARK: commands

  /// Begins to run the schedules with these numbers, until one fails.
  func explore(_ runs: ClosedRange<UInt64>, _ options: ExploreOptions, estimate: UInt32, wall: UInt64) -> Bool {
    task = runs
    control.pointee.first = runs.lowerBound
    control.pointee.count = UInt64(runs.count)
    control.pointee.stride = 1
    control.pointee.seed = options.seed
    control.pointee.strategies = options.strategies | (options.hasFaults ? UInt32(SBX_WITH_FAULTS) : 0)
    control.pointee.stop = 0
    control.pointee.run = run(flags: 0, wall: wall)
    control.pointee.run.step_estimate = estimate
    return send(SBX_EXPLORE)
  }

  /// Runs one schedule and waits for its end; nil if the server is gone.
  package func replay(_ decisions: [Decision], flags: UInt32, wall: UInt64) -> RunResult? {
    let plan = sbx_plan_of(shared)
    let count = min(decisions.count, Int(SBX_MAX_DECISIONS))
    for (index, decision) in decisions.sorted().prefix(count).enumerated() {
      plan[index] = sbx_decision(thread: decision.thread, next: decision.next, point: decision.point, step: 0, hash: 0)
    }
    control.pointee.stop = 0
    control.pointee.run = run(flags: flags, wall: wall)
    control.pointee.run.is_replay = 1
    control.pointee.run.plan_count = UInt32(count)
    guard send(SBX_REPLAY), finish() else { return nil }
    return result
  }

  /// Measures forks of the program that do nothing: nanoseconds of processor time for each.
  func floor(_ count: UInt64) -> UInt64? { measure(SBX_FLOOR, count) }
  /// The same of forks that run to their own end, with nobody in control: for programs that end well however they are scheduled.
  func free(_ count: UInt64) -> UInt64? { measure(SBX_FREE_RUN, count) }

  private func measure(_ command: sbx_command, _ count: UInt64) -> UInt64? {
    control.pointee.count = count
    guard send(command), finish() else { return nil }
    return control.pointee.processor_time / count
  }

  private static func run(flags: UInt32, wall: UInt64, limit: UInt32) -> sbx_run {
    var run = sbx_run()
    run.flags = flags
    run.wall = Int64(clamping: wall)
    run.step_limit = limit
    run.step_estimate = 100
    return run
  }

  private func run(flags: UInt32, wall: UInt64) -> sbx_run { Self.run(flags: flags, wall: wall, limit: stepLimit) }

  private func send(_ command: sbx_command) -> Bool {
    control.pointee.command = command.rawValue
    return process.send()
  }

  /// Waits for the command's end, and brings it about if it is to be. False if the server is gone.
  func finish() -> Bool {
    while !process.hasAnswer(milliseconds: 100) { if isInterrupted() { control.pointee.stop = 1 } }
    return process.receive()
  }

  /// What the last run was like.
  var result: RunResult { RunResult(shared, output: text) }
}
