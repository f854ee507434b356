// FailureReport.swift: a failure in words: what happened, the switches that matter, each thread's last steps, how to see it again.
import CSignalboxExplore
import SignalboxLaunch
import SignalboxSystem

package struct FailureReport {
  private let failure: StudiedFailure
  private let shared: OpaquePointer
  private var places: Places
  private let replay: String
  /// Whether it is a test's body that failed, and not a program.
  private let isBody: Bool
  private var outcome: sbx_outcome { failure.result.outcome }

  /// Reads what the last run has left, which must be the failure's, with stacks.
  ///
  /// - Parameter replay: how the schedule is run again, before its token and after it.
  package init(
    _ failure: StudiedFailure, _ server: any ScheduleRunner, program: RawString, replay: (before: String, after: String)
  ) {
    self.failure = failure
    self.replay = replay.before + failure.token.text + replay.after
    isBody = server.id == Threads.mainID
    shared = server.shared
    places = Places(process: server.id, program: program, holdsEngine: server.id == Threads.mainID)
    learn()
  }

  /// The last step that was seen of a thread: `thread 2 comes to  lock mutex 1  File.c:8`.
  static func lastSeen(of number: UInt32, _ server: ExploreServer, program: RawString) -> String {
    let thread = sbx_thread_at(server.shared, number).pointee
    var places = Places(process: server.id, program: program, holdsEngine: false)
    places.learn([[thread.place]])
    let own = withUnsafePointer(to: thread) { String(cString: sbx_thread_name($0)) }
    let name = "thread \(number)" + (own.isEmpty ? "" : " \"\(own)\"")
    let place = places.place([thread.place]).map { "  \($0.short)" } ?? ""
    return "\(name) comes to  \(PointKind.words(thread.kind, object: thread.object))\(place)"
  }

  /// What was done in one step: `step 12, thread 2: lock mutex 1  File.c:8`; nil if it is not kept.
  static func done(at number: UInt32, _ server: any ScheduleRunner, program: RawString) -> String? {
    guard let step = sbx_step_at(server.shared, number)?.pointee else { return nil }
    var places = Places(process: server.id, program: program, holdsEngine: false)
    let stack = sbx_stack_at(server.shared, number).map { kept in
      (0..<Int(kept.pointee.count)).map { sbx_frames(kept)[$0] }
    }
    let frames = [step.place] + (stack ?? [])
    places.learn([frames])
    let place = places.place(frames).map { "  \($0.short)" } ?? ""
    return "step \(number), thread \(step.thread): \(PointKind.words(UInt32(step.kind), object: step.object))\(place)"
  }

  // MARK: what is shown

  /// Whether nobody holds anything up: the main thread waits for whatever the main queue may bring, other threads for work. What was
  /// to come, a task or an item, never does.
  var isUnfinished: Bool {
    guard failure.kind == .deadlock, !RunResult.tellsOfDeadlock(failure.result.output), let threads else { return false }
    return threads.allSatisfy { number in
      let record = thread(number).pointee
      guard record.state == SBX_WAITING.rawValue else { return true }
      let frames = stack(of: record)
      return number == 1 ? places.isMainLoop(frames) : places.place(frames) == nil
    }
  }

  /// The last in which something happened: what came after are waits that timed out and began anew.
  private var lastStep: UInt32 { outcome.steps - min(outcome.vain_steps, outcome.steps) }

  /// How many steps of each thread.
  private static let lastSteps = 5
  private static let mostOutputLines = 40
  private static let mostSwitches = 40

  /// All of it.
  package var text: String {
    var lines = [headline]
    lines += story.map { "  " + $0 }
    if !decisionLines.isEmpty { lines += ["  the switches that matter:"] + decisionLines.map { "    " + $0 } }
    if outcome.decisions == 0, failure.kind != .nondeterminism {
      lines.append("  no switch is needed: no thread is interrupted")
    }
    if failure.kind == .noProgress { lines += ["  again and again:"] + repeatedLines.map { "    " + $0 } }
    lines += ["  last steps:"] + threadLines.map { "    " + $0 }
    let title = isBody ? "  the body:" : "  the program's output:"
    if !outputLines.isEmpty { lines += [title] + outputLines.map { "    | " + $0 } }
    lines += failure.notes.map { "  note: " + $0 }
    lines.append("  replay: \(replay)")
    return lines.joined(separator: "\n")
  }

  /// A line for who stops where, and one for who goes on.
  package var switches: [String] { decisionLines }

  private var headline: String {
    let isOther = failure.kind == .nondeterminism || failure.kind == .unfinished
    let words = isOther ? failure.kind.rawValue : failure.result.words
    var line = "failure: \(words) after \(lastStep) steps"
    let strategy = String(cString: sbx_strategy_name(failure.strategy))
    if let run = failure.run { line += ", found at schedule \(run) (\(strategy))" }
    if failure.isSaved { line += ", in a saved schedule (\(strategy))" }
    let now = failure.result.decisions.count
    if failure.decisionsBefore != now {
      line += ", shrunk from \(count(failure.decisionsBefore, "switch", "switches")) to \(now)"
    }
    return line
  }
  private func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }

  // MARK: threads

  private func thread(_ number: UInt32) -> UnsafeMutablePointer<sbx_thread> { sbx_thread_at(shared, number) }
  private var threads: ClosedRange<UInt32>? { outcome.threads > 0 ? 1...outcome.threads : nil }

  private func name(_ number: UInt32) -> String {
    if number == 0 { return "the clock" }
    let name = String(cString: sbx_thread_name(thread(number)))
    return name.isEmpty ? "thread \(number)" : "thread \(number) \"\(name)\""
  }

  /// Who waits for what, and who has it.
  private var story: [String] {
    if failure.kind == .unfinished {
      if isBody { return [] }
      return ["every thread waits for work, and none is left: something was never resumed, signalled or submitted"]
    }
    if failure.kind == .freedWord { return [freedStory] }
    guard failure.kind == .deadlock, let threads else { return [] }
    return threads.compactMap { number in
      let record = thread(number).pointee
      guard record.state == SBX_WAITING.rawValue else { return nil }
      return "\(name(number)) \(holdings(number))\(waiting(number, record))"
    }
  }

  /// Who comes to a word in memory that was given back, and who gave it back.
  private var freedStory: String {
    guard let step = sbx_step_at(shared, outcome.steps)?.pointee else { return "" }
    let maker = sbx_thread_at(shared, UInt32(step.next)).pointee
    return "\(name(maker.number)) comes to  \(PointKind.words(maker.kind, object: maker.object)), in memory that "
      + "\(name(UInt32(outcome.status))) gave back"
  }

  private func holdings(_ number: UInt32) -> String {
    let held = (1..<max(1, outcome.objects + 1)).filter { sbx_object_numbered(shared, $0).pointee.owner == number }
    guard !held.isEmpty else { return "" }
    let words = held.map { index -> String in
      let object = sbx_object_numbered(shared, index).pointee
      let place = place(step: object.owner_step).map { " (taken at \($0.short))" } ?? ""
      return "\(PointKind.noun(object.kind)) \(index)\(place)"
    }
    return "holds \(words.joined(separator: " and ")), "
  }

  private func waiting(_ number: UInt32, _ record: sbx_thread) -> String {
    var text: String
    if record.wait_kind == SBX_JOIN.rawValue {
      text = "waits for the end of \(name(sbx_thread_named_by(shared, record.wait_address)))"
    } else {
      let object = sbx_object_named_by(shared, record.wait_address)
      text = Self.waits(PointKind.words(record.wait_kind, object: object))
      let owner = object == 0 ? 0 : sbx_object_numbered(shared, object).pointee.owner
      if owner != 0 { text += owner == number ? ", which it holds itself" : ", which \(name(owner)) holds" }
    }
    if let place = places.place(stack(of: record)) {
      if record.wait_kind == SBX_FUTEX_WAIT.rawValue, let words = engineWait(of: number) { text = Self.waits(words) }
      text += ", in \(place.text)"
    }
    if record.deadline != .max { text += " (with a time limit, in vain, again and again)" }
    return text
  }

  /// `waits for group 3`, `waits to sync on queue 2`.
  private static func waits(_ words: String) -> String {
    words.hasPrefix("wait ") ? "waits " + words.dropFirst(5) : "waits to " + words
  }

  /// Which of the engine's operations a thread is in that sleeps on a word: its last, if it is one that waits.
  private func engineWait(of thread: UInt32) -> String? {
    var number = lastStep, seen = 0
    while number > 0, seen < 4_000, let step = sbx_step_at(shared, number)?.pointee {
      if UInt32(step.thread) == thread, UInt32(step.kind) >= SBX_ENGINE.rawValue {
        let kind = UInt32(step.kind), noun = PointKind.noun(kind)
        guard PointKind.mayWait(kind) else { return nil }
        return PointKind.words(kind, object: step.object) + (step.object == 0 && !noun.isEmpty ? " a \(noun)" : "")
      }
      number -= 1
      seen += 1
    }
    return nil
  }

  private func stack(of record: sbx_thread) -> [UInt64] {
    withUnsafePointer(to: record) { pointer in
      let frames = sbx_wait_frames(pointer)
      return (0..<Int(record.stack_count)).map { frames[$0] }
    }
  }

  // MARK: steps

  private func stack(step: UInt32) -> [UInt64] {
    // A task that goes over to an actor is jumped from: its stack does not lead to where that is.
    let place = sbx_step_at(shared, step).map { [$0.pointee.place] } ?? []
    guard let stack = sbx_stack_at(shared, step) else { return place }
    let frames = sbx_frames(stack)
    return place + (0..<Int(stack.pointee.count)).map { frames[$0] }
  }
  private func place(step: UInt32) -> Place? { places.place(stack(step: step)) }

  private func deed(_ step: sbx_step, _ number: UInt32) -> String {
    let place = place(step: number).map { "  \($0.short)" } ?? ""
    let order = Self.orders[step.order].map { Self.operations.contains(UInt32(step.kind)) ? " \($0) \(step.value)" : "" } ?? ""
    return words(UInt32(step.kind), step.object) + order + place
  }

  /// With the order its value is shown: what was read by a load, what stood there after another.
  private static let orders: [UInt32: String] = [
    SBX_RELAXED.rawValue: "relaxed:", SBX_ACQUIRE.rawValue: "acquire:", SBX_RELEASE.rawValue: "release:",
    SBX_ACQ_REL.rawValue: "acquire-release:", SBX_SEQ_CST.rawValue: "seq_cst:",
  ]
  private static let operations = [SBX_ATOMIC_LOAD.rawValue, SBX_ATOMIC_STORE.rawValue, SBX_ATOMIC_UPDATE.rawValue]

  private func words(_ kind: UInt32, _ object: UInt32) -> String {
    let named = sbx_thread_named_by(shared, sbx_object_numbered(shared, object).pointee.address)
    switch kind {
    case SBX_JOIN.rawValue where named != 0: return "join \(name(named))"
    case SBX_DETACH.rawValue where named != 0: return "detach \(name(named))"
    default: return PointKind.words(kind, object: object)
    }
  }

  /// The decisions in the order in which they were made.
  private var made: [sbx_decision] {
    let list = sbx_decisions_of(shared)
    return (0..<min(Int(outcome.decisions), Self.mostSwitches)).map { list[$0] }
  }

  /// The step in which the thread goes on: where it was when it was chosen.
  private func lastStep(of thread: UInt16, before step: UInt32) -> (UInt32, sbx_step)? {
    var number = step
    while number > 0, let record = sbx_step_at(shared, number) {
      if record.pointee.thread == thread { return (number, record.pointee) }
      number -= 1
    }
    return nil
  }

  private var decisionLines: [String] {
    guard failure.kind != .nondeterminism else { return [] }
    var lines: [String] = []
    for (index, decision) in made.enumerated() {
      let number = decision.step + 1
      guard let step = sbx_step_at(shared, number)?.pointee else { continue }
      let mark = "\(index + 1)  "
      if step.kind == UInt8(SBX_PICK.rawValue) {
        lines.append("\(mark)\(name(UInt32(decision.thread))) wakes \(name(UInt32(decision.next)))  \(deed(step, number))")
        continue
      }
      if step.kind == UInt8(SBX_FAULT.rawValue) {
        let place = place(step: number).map { "  \($0.short)" } ?? ""
        lines.append("\(mark)\(name(UInt32(decision.thread))) cannot start a thread: the system has none left (EAGAIN)\(place)")
        continue
      }
      if step.kind == UInt8(SBX_STALE.rawValue) {
        let age = count(Int(decision.next), "store", "stores")
        lines.append("\(mark)\(name(UInt32(decision.thread))) reads what was there \(age) before  \(deed(step, number))")
        continue
      }
      let verb = step.flags & 2 != 0 ? "waits at" : "stops before"
      lines.append("\(mark)\(name(UInt32(decision.thread))) \(verb)  \(deed(step, number))")
      lines.append("   \(goesOn(decision))\(step.flags & 8 != 0 ? "  (woken for no reason, as conditions may be)" : "")")
    }
    if lines.isEmpty, outcome.decisions > 0 {
      lines.append("\(count(Int(outcome.decisions), "switch", "switches")) long before, whose steps are no longer kept")
    }
    if Int(outcome.decisions) > Self.mostSwitches { lines.append("… and \(Int(outcome.decisions) - Self.mostSwitches) more") }
    return lines
  }

  private func goesOn(_ decision: sbx_decision) -> String {
    if decision.next == 0 { return "the clock goes on: a timeout or timer is due" }
    guard let (number, step) = lastStep(of: decision.next, before: decision.step) else {
      return "\(name(UInt32(decision.next))) begins"
    }
    return "\(name(UInt32(decision.next))) goes on at  \(deed(step, number))"
  }

  private var threadLines: [String] {
    guard let threads else { return [] }
    var last: [UInt16: [(UInt32, sbx_step)]] = [:]
    var number = lastStep, seen = 0
    while number > 0, seen < 4_000, let step = sbx_step_at(shared, number)?.pointee {
      if last[step.thread, default: []].count < Self.lastSteps { last[step.thread, default: []].append((number, step)) }
      number -= 1
      seen += 1
    }
    return threads.flatMap { thread -> [String] in
      guard let steps = last[UInt16(thread)] else { return [] }
      return ["\(name(thread)):"] + steps.reversed().map { "  step \($0.0)  \(deed($0.1, $0.0))" }
    }
  }

  /// What each thread goes on doing: the shortest part of which its last steps are made up; all of its kinds of steps if there is none.
  private var repeatedLines: [String] {
    guard let threads else { return [] }
    var last: [UInt16: [(UInt32, sbx_step)]] = [:]
    var number = lastStep
    while number > 0, let step = sbx_step_at(shared, number)?.pointee, lastStep - number < 20_000 {
      last[step.thread, default: []].append((number, step))
      number -= 1
    }
    return threads.flatMap { thread -> [String] in
      guard let steps = last[UInt16(thread)].map({ Array($0.prefix(Self.mostCompared).reversed()) }), steps.count > 1 else {
        return []
      }
      let part = Repetition.part(of: steps.map { Deed($0.1) })
      let shown = part.prefix(Self.mostRepeated).map { "  \(deed(steps[$0].1, steps[$0].0))" }
      let more = part.count > Self.mostRepeated ? ["  … and \(part.count - Self.mostRepeated) more"] : []
      return ["\(name(thread)):"] + shown + more
    }
  }
  private static let mostCompared = 2_000, mostRepeated = 12

  /// What makes two steps of a thread the same.
  private struct Deed: Equatable {
    var kind: UInt8
    var object: UInt32
    var place: UInt64
    init(_ step: sbx_step) { (kind, object, place) = (step.kind, step.object, step.place) }
  }

  private var outputLines: [String] {
    let lines = failure.result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let kept = lines.last == "" ? Array(lines.dropLast()) : lines
    guard kept.count > Self.mostOutputLines else { return kept }
    // The engine's report begins with what it is about; a program may say much before it fails.
    if isBody { return kept.prefix(Self.mostOutputLines) + ["… \(kept.count - Self.mostOutputLines) more lines"] }
    let before = kept.dropLast(Self.mostOutputLines)
    let told = before.filter(Self.tellsOfFailure).prefix(Self.mostOutputLines)
    let head = "… \(before.count) lines before" + (told.isEmpty ? "" : ", of these:")
    return [head] + told + (told.isEmpty ? [] : ["…"]) + kept.suffix(Self.mostOutputLines)
  }

  /// Lines by which XCTest, Swift Testing, the runtime and the engine tell what went wrong: a bundle has many others.
  private static func tellsOfFailure(_ line: String) -> Bool {
    line.contains(": error: ") || line.contains("Fatal error: ") || line.contains(" recorded an issue")
      || line.hasPrefix("signalbox")
  }

  /// Where the last steps were, each place once.
  private var lastPlaces: [[UInt64]] {
    var seen: Set<[UInt64]> = []
    var number = lastStep
    while number > 0, lastStep - number < 20_000, sbx_step_at(shared, number) != nil {
      seen.insert(stack(step: number))
      number -= 1
    }
    return Array(seen)
  }

  private mutating func learn() {
    var stacks: [[UInt64]] = []
    if let threads { stacks += threads.map { stack(of: thread($0).pointee) } }
    for decision in made {
      stacks.append(stack(step: decision.step + 1))
      if let (number, _) = lastStep(of: decision.next, before: decision.step) { stacks.append(stack(step: number)) }
    }
    let first = lastStep > 200 ? lastStep - 200 : 1
    if lastStep > 0 { for number in first...lastStep { stacks.append(stack(step: number)) } }
    if failure.kind == .noProgress { stacks += lastPlaces }
    for index in 1..<max(1, outcome.objects + 1) where sbx_object_numbered(shared, index).pointee.owner != 0 {
      stacks.append(stack(step: sbx_object_numbered(shared, index).pointee.owner_step))
    }
    places.learn(stacks)
  }
}
