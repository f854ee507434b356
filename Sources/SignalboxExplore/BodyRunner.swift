// BodyRunner.swift: runs a test's body under schedules that are chosen, in a thread of its own and with an engine of its own. Which
// schedules those are is Explore.swift's; what chooses is the core's (CSignalboxExplore).
import CSignalboxExplore
import CSignalboxExploreInside
import SignalboxDiagnosis
import SignalboxDispatch
import SignalboxExplorer
import SignalboxSystem
import SignalboxWaits

/// The body of one exploration, and what runs it.
///
/// The body's thread and all that it starts are under control; the owner, who calls `explore` and `replay`, is not. A run that fails
/// leaves its threads where they are: they end without another step, and what they shared is not used again, so the next run has a
/// thread, an engine and memory of its own. `README.md` tells the protocol.
///
/// Thread safety: one owner. What both sides touch is handed over by `turn`.
final class BodyRunner: ScheduleRunner, @unchecked Sendable {
  // SAFETY of @unchecked: fields belong to the owner while `turn` is `owners`, to the body's side while it is `bodys`.

  /// What the body's thread is to do.
  private enum Task {
    case schedules(ClosedRange<UInt64>)
    case replay
    case end
  }

  private static let owners: UInt32 = 0, bodys: UInt32 = 1
  /// Whose turn it is. A word of the kernel's: no thread here may be taken for one under control.
  private let turn = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

  private let body: @Sendable () throws -> Void
  let options: ExploreSettings
  private(set) var shared: OpaquePointer
  let id = Threads.mainID
  private var engine = BodyRunner.takeEngine()
  private var hasThread = false
  private var task = Task.end
  private var flags: UInt32 = 0
  private var wall: UInt64 = 0
  private var estimate: UInt32 = 100
  /// The schedule under way or, after `explore`, the last.
  private(set) var run: UInt64 = 0
  private(set) var counts = ExploreCounts()
  /// What the body threw in the last run.
  private(set) var thrown: (any Error)?
  /// What is to be reported of the failure.
  private var words = ""

  init(_ options: ExploreSettings, _ body: @escaping @Sendable () throws -> Void) throws {
    self.options = options
    self.body = body
    turn.initialize(to: Self.owners)
    shared = try Self.memory()
  }

  deinit { turn.deallocate() }

  /// Lets the thread end. Nothing is run afterwards.
  ///
  /// What a failed run has left is abandoned with its memory, its engine, and this object, which its thread's stack still refers to.
  func end() {
    guard !failed else { return }
    if hasThread {
      task = .end
      hand(over: Self.bodys)
      awaitTurn()
      hasThread = false
    }
    sbx_inside_free(shared)
    Self.spare = engine
  }

  // SAFETY: explorations take turns (Exploring.turns).
  /// The engine of the last exploration that did not fail: engines live forever.
  nonisolated(unsafe) private static var spare: PrivateEngine?
  private static func takeEngine() -> PrivateEngine {
    defer { spare = nil }
    return spare ?? PrivateEngine()
  }

  private static func memory() throws -> OpaquePointer {
    guard let made = sbx_inside_make() else { throw ExploreTrouble("the system has no memory for an exploration") }
    return made
  }

  // MARK: the owner's side

  /// Runs schedules until one fails; nil if none does.
  func explore(_ runs: ClosedRange<UInt64>, wall: UInt64) throws -> FoundFailure? {
    self.wall = wall
    guard let result = try perform(.schedules(runs)) else { return nil }
    let plan = sbx_run_of(shared).pointee
    return FoundFailure(run: run, strategy: plan.strategy, flags: plan.flags, wall: wall, result: result, server: self)
  }

  func replay(_ decisions: [Decision], flags: UInt32, wall: UInt64) -> RunResult? {
    (self.flags, self.wall) = (flags, wall)
    guard let result = try? perform(.replay, decisions) else { return nil }
    return result
  }

  /// Goes over all schedules, in runs of those numbers at most; nil if none fails. `isComplete` then says whether these are all.
  ///
  /// - Parameter trial: after this many runs the search stops, unless by what it has seen of the tree the runs are enough for all.
  func search(_ runs: ClosedRange<UInt64>, trial: UInt64 = .max, wall: UInt64) throws -> FoundFailure? {
    isSearching = true
    defer { isSearching = false }
    trialEnd = trial == .max ? .max : runs.lowerBound + trial - 1
    searchEnd = runs.upperBound
    if Environment.value("SIGNALBOX_EXPLORE_REDUCE") == "off" { sbx_inside_blunt(shared) }
    return try explore(runs, wall: wall)
  }
  private var isSearching = false
  private var restarts = 0
  private static let mostRestarts = 4
  private var trialEnd = UInt64.max, searchEnd = UInt64.max
  /// Whether there is no further schedule, or too many.
  private var hasSearched = false
  /// Whether the search has come to its end, and how many schedules it has found to differ.
  private(set) var isComplete = false
  private(set) var searched: UInt64 = 0
  /// Runs of the search that would only have repeated others.
  private(set) var cut: UInt64 = 0
  /// Which share of all schedules lay behind the search when it was abandoned, by what it had seen of their tree; 0: nobody knows.
  private(set) var share = 0.0

  /// What the last of the task's runs was like if it failed, or if it is a replay.
  private func perform(_ task: Task, _ decisions: [Decision] = []) throws -> RunResult? {
    if failed { try beginAnew() }
    let plan = sbx_plan_of(shared)
    for (index, decision) in decisions.sorted().prefix(Int(SBX_MAX_DECISIONS)).enumerated() {
      plan[index] = sbx_decision(thread: decision.thread, next: decision.next, point: decision.point, step: 0, hash: 0)
    }
    planCount = UInt32(min(decisions.count, Int(SBX_MAX_DECISIONS)))
    self.task = task
    if !hasThread { try startThread() }
    hand(over: Self.bodys)
    awaitTurn()
    if failed { sbx_inside_abandon(shared) }
    let result = RunResult(shared, output: words)
    if case .replay = task { return result }
    return result.failure == nil && !result.isStuck ? nil : result
  }
  private var planCount: UInt32 = 0
  /// Whether the last run has left its threads where they were.
  private var failed = false

  private func beginAnew() throws {
    shared = try Self.memory()
    engine = PrivateEngine()
    isNew = true
    (failed, hasThread) = (false, false)
  }

  private func startThread() throws {
    Inside.install()
    do throws(SystemError) {
      try Threads.spawn(name: "explore", stackSize: options.stackSize) { self.serve() }
    } catch {
      throw ExploreTrouble("the system has no thread for an exploration: \(error)")
    }
    hasThread = true
  }

  private func hand(over side: UInt32) {
    // SAFETY: an atomic word has the layout of the integer it holds; release and acquire hand over all fields.
    Word(turn).store(side)
    sbx_inside_wake(turn)
  }

  /// Until the body's side is through. One that neither goes on nor waits in sight is helped, and abandoned in the end.
  private func awaitTurn() {
    var steps: UInt32 = 0, still = 0
    while Word(turn).load() == Self.bodys {
      sbx_inside_sleep(turn, Self.bodys, Self.period)
      guard Word(turn).load() == Self.bodys else { break }
      let now = sbx_inside_progress(shared)
      still = now == steps ? still + 1 : 0
      steps = now
      guard isRunning, sbx_inside_is_stuck(shared) != 0 else { continue }
      if still == 2 * Self.slowness { sbx_inside_take_over(shared) }
      if still == Self.patience * Self.slowness { giveUp() }
    }
  }
  /// Whether it is the plain run that an exploration begins with.
  private var isFirst: Bool {
    if case .schedules = task { return run == 1 }
    return false
  }
  private var isRunning: Bool {
    if case .end = task { return false }
    return true
  }
  private static let period: UInt64 = 50_000_000
  /// The thread sanitizer asks another process for names while a thread has the baton.
  private static let slowness = sbx_inside_is_sanitized() != 0 ? 50 : 1
  /// A second.
  private static let patience = 20

  private func giveUp() {
    sbx_outcome_of(shared).pointee.failure = SBX_STUCK_OUTSIDE.rawValue
    words = "a thread of the body waits for something that is not seen: a descriptor, or a lock of another thread"
    failed = true
    Word(turn).store(Self.owners)
  }

  // MARK: the body's side

  private func serve() {
    sbx_inside_pin()
    while true {
      while Word(turn).load() != Self.bodys { sbx_inside_sleep(turn, Self.owners, .max >> 1) }
      switch task {
      case .end: return hand(over: Self.owners)
      case .replay:
        // What is made at first use is there in a schedule that others went before.
        if isNew, !warmUp() { break }
        var plan = self.plan(flags: flags, wall: wall)
        plan.is_replay = 1
        plan.plan_count = planCount
        perform(plan)
      case .schedules(let runs): perform(runs)
      }
      PrivateEngine.leave()
      hand(over: Self.owners)
    }
  }

  /// Whether no run was made with this engine yet.
  private var isNew = true

  /// Runs the plain schedule, which says nothing. False: that fails, and nothing can be run after it.
  private func warmUp() -> Bool {
    perform(self.plan(flags: options.flags(SBX_API_POINTS.rawValue), wall: wall))
    return true
  }

  private func perform(_ runs: ClosedRange<UInt64>) {
    for number in runs {
      run = number
      var plan = self.plan(flags: 0, wall: wall)
      sbx_plan_run(number, options.seed, isSearching ? 1 << SBX_EXHAUSTIVE.rawValue : options.strategy.bits, &plan)
      plan.flags = options.flags(plan.flags)
      plan.step_estimate = estimate
      if isSearching { sbx_tree_begin(sbx_tree_of(shared)) }
      perform(plan)
      if isSearching { goOnSearching(number) }
      let outcome = sbx_outcome_of(shared).pointee
      counts.runs += 1
      counts.steps += UInt64(outcome.steps)
      counts.switches += UInt64(outcome.switches)
      counts.perStrategy[Int(plan.strategy)] += 1
      if number == 1 { estimate = max(20, outcome.steps) }
      if outcome.failure != SBX_NONE.rawValue || isSearching && hasSearched || options.isOver { return }
    }
  }

  /// Whether the search had no room for more; from the beginning it would have none either.
  private var isFull: Bool {
    let tree = sbx_tree_of(shared)
    return tree.pointee.depth == UInt32(SBX_MAX_NODES) || tree.pointee.sleeper_count == UInt32(SBX_MAX_SLEEPERS)
  }

  private func goOnSearching(_ number: UInt64) {
    let tree = sbx_tree_of(shared), outcome = sbx_outcome_of(shared)
    let isCut = outcome.pointee.failure == SBX_CUT.rawValue
    if isCut {
      outcome.pointee.failure = SBX_NONE.rawValue
      cut += 1
    } else {
      searched += 1
    }
    // What is made at first use adds points to one schedule, which others then do not meet: the search begins anew, after it.
    if tree.pointee.is_partial != 0, !isFull, restarts < Self.mostRestarts {
      restarts += 1
      (searched, cut) = (0, 0)
      (tree.pointee.depth, tree.pointee.sleeper_count, tree.pointee.is_partial) = (0, 0, 0)
      return
    }
    if sbx_tree_advance(tree) != 0 {
      guard number == trialEnd || number == searchEnd else { return }
      share = sbx_tree_progress(tree)
      let tried = Double(counts.runs)
      hasSearched = tree.pointee.is_partial != 0 || tried > share * Double(searchEnd)
      return
    }
    hasSearched = true
    isComplete = tree.pointee.is_partial == 0
  }

  private func plan(flags: UInt32, wall: UInt64) -> sbx_run {
    var plan = sbx_run()
    plan.flags = flags
    plan.wall = Int64(clamping: wall)
    plan.step_limit = options.steps
    plan.step_estimate = 100
    return plan
  }

  /// One run. Returns if it leaves nothing behind, whether it fails or not.
  private func perform(_ plan: sbx_run) {
    isNew = false
    words = ""
    sbx_inside_forget_leftovers()
    let races = sbx_inside_races()
    sbx_reset(shared)
    sbx_run_of(shared).pointee = plan
    engine.begin()
    engine.adopt()
    WaitRecord.prepare()
    Inside.current = self
    sbx_inside_keep(Unmanaged.passUnretained(engine).toOpaque())
    // With the engine's words as points its fast paths are what is explored, and its operations tell nothing besides.
    Instruments.set(options.words == 0 ? Instruments.explorer : 0, mask: Instruments.explorer)
    ExplorerLink.search(options.words == 0 && plan.strategy == SBX_EXHAUSTIVE.rawValue && plan.is_replay == 0)
    var calls = sbx_inside_calls(
      begins: { Inside.begins() }, over: { Inside.over() }, turns: { Inside.turns($0, $1) }, awaits: isFirst ? 1 : 0)
    sbx_inside_begin(shared, &calls)
    thrown = nil
    // A run that fails is over on another thread: what was written here comes before that.
    Word(turn).store(Self.bodys)
    do { try body() } catch { thrown = error }
    sbx_inside_rest()
    let thrownWords = thrown.map { String(describing: $0) }
    let left = leftovers
    if !left.isEmpty {
      words = thrownWords ?? left.joined(separator: "\n")
      fail(thrownWords == nil ? SBX_UNFINISHED : SBX_ERROR)
    }
    engine.endThreads()
    sbx_inside_end()
    PrivateEngine.leave()
    engine.reset()
    if let thrownWords {
      words = thrownWords
      sbx_outcome_of(shared).pointee.failure = SBX_ERROR.rawValue
    } else if sbx_inside_races() != races {
      words = "the thread sanitizer has reported a race: see above"
      sbx_outcome_of(shared).pointee.failure = SBX_RACE.rawValue
    }
  }

  private func fail(_ failure: sbx_failure) -> Never { sbx_inside_fail(failure.rawValue) }

  /// What is still there when nobody can go on without time doing so.
  private var leftovers: [String] {
    var lines: [String] = []
    let busy = Int(sbx_inside_others(shared)) - engine.idleThreads
    if busy > 0 { lines.append("\(busy == 1 ? "a thread has" : "\(busy) threads have") not ended, and cannot go on") }
    let armed = engine.armedTimers
    if armed > 0 { lines.append("\(armed == 1 ? "a timer is" : "\(armed) timers are") still armed") }
    let groups = enteredGroups.map { ($0, Int(sbx_object_named_by(shared, $0.address))) }.sorted { $0.1 < $1.1 }
    for (group, number) in groups {
      // By its number among the objects of the run: an address would be another in each.
      let name = group.name.map { "\"\($0)\"" } ?? "\(number)"
      let often = group.count == 1 ? "once" : "\(group.count) times"
      lines.append("group \(name) was entered \(often) more than it was left")
    }
    for (title, isInactive, items) in stoppedQueues {
      let what = items == 1 ? "an item" : "\(items) items"
      lines.append("\(title) \(isInactive ? "is inactive" : "is suspended") and holds \(what)")
    }
    return lines.isEmpty ? [] : ["left behind when the body had returned:"] + lines.map { "  " + $0 }
  }

  // MARK: called on threads under control

  /// The run has failed on the calling thread, which never goes on.
  func isOver() {
    failed = true
    hand(over: Self.owners)
  }

  func failWithReport(_ report: () -> String) -> Never {
    // Naming places takes a thread, which is none of the body's.
    sbx_inside_suspend(1)
    if sbx_run_of(shared).pointee.flags & SBX_DETAIL.rawValue != 0 { words = report() }
    fail(SBX_DEADLOCK)
  }
}

/// A group that was entered in the run, and not left as often.
private struct EnteredGroup {
  let address: UInt64
  let count: Int
  let name: String?
}
private var enteredGroups: [EnteredGroup] {
  var all: [EnteredGroup] = []
  var index: UInt32 = 0
  while let group = sbx_inside_group_at(index) {
    let name = String(cString: sbx_inside_group_name(group))
    let found = EnteredGroup(address: group.pointee.address, count: Int(group.pointee.count), name: name.isEmpty ? nil : name)
    if found.count > 0 { all.append(found) }
    index += 1
  }
  return all
}

/// The queues of the run that are stopped and hold items.
private var stoppedQueues: [(title: String, isInactive: Bool, items: Int)] {
  (0...).lazy.map { sbx_inside_stopped_at($0) }.prefix { $0 != 0 }.compactMap { PrivateEngine.stoppedQueue(at: UInt($0)) }
    .sorted { $0.title < $1.title }
}

/// A word that both sides of a hand-over read, one of which must not be seen by the explorer.
private struct Word {
  private let pointer: UnsafeMutablePointer<Atomic32>
  init(_ pointer: UnsafeMutablePointer<UInt32>) {
    // SAFETY: an atomic word has the layout of the integer it holds.
    self.pointer = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Atomic32.self)
  }
  // acquire H1: pairs with the store; all fields are handed over with it
  func load() -> UInt32 { pointer.pointee.loadAcquire() }
  // acquire-release H1: a store by another thread of the same side comes after this one's, with what came before
  func store(_ value: UInt32) { _ = pointer.pointee.exchangeAcqRel(value) }
}
