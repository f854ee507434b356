// Support.swift: threads that race in an explored body, what they saw, and how many schedules a test may take.
import Glibc
import SignalboxSystem
import Synchronization
import Testing

@testable import SignalboxDispatch
@testable import SignalboxExplore

/// What must not be seen was seen.
struct Seen: Error, CustomStringConvertible {
  let description: String
  init(_ text: String) { description = text }
}

/// Throws unless the condition holds.
func require(_ condition: Bool, _ text: @autoclosure () -> String) throws { if !condition { throw Seen(text()) } }

/// Runs each closure on a thread of its own, and waits for their ends. That they begin and end is no point: what is explored is what
/// the closures do.
func race(_ bodies: @Sendable () -> Void...) {
  exploreUnseen(true)
  defer { exploreUnseen(false) }
  let threads = bodies.map { body in
    let context = Unmanaged.passRetained(RaceBody(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        // SAFETY: the race keeps it until the thread has ended.
        let body = Unmanaged<RaceBody>.fromOpaque(context!).takeUnretainedValue()
        body.run()
        exploreUnseen(true)
        return nil
      }, context.toOpaque())
    precondition(result == 0, "a race has no thread: errno \(result)")
    return (thread, context)
  }
  for (thread, context) in threads {
    pthread_join(thread, nil)
    context.release()
  }
}

private final class RaceBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// What one thread saw: written by it, read when it has ended.
final class Saw: @unchecked Sendable {
  // SAFETY of @unchecked: as said above.
  var values: [UInt64] = []
}

/// Uses words once, before threads begin that are to see them as they were made: the first value of a word hands on all that anyone
/// knows when it is first used.
func touch(_ queue: DispatchQueue) {
  // relaxed, all of them: the values are not used
  _ = (queue.state.hint(), queue.list.tail.loadRelaxed(), queue.list.head.loadRelaxed(), queue.insistent.loadRelaxed())
  _ = (queue.targetBits.loadRelaxed(), queue.targetLock.loadRelaxed(), queue.extrasBits.loadRelaxed())
  _ = (queue.gate.loadRelaxed(), queue.widthLimit.loadRelaxed(), queue.widthInUse.loadRelaxed())
}

/// What `body` does is no point.
func unseen<R>(_ body: () throws -> R) rethrows -> R {
  exploreUnseen(true)
  defer { exploreUnseen(false) }
  return try body()
}

/// All outcomes of a body over its schedules. Its lock is none of the engine's, so it is no point.
final class Outcomes: Sendable {
  private let all = Mutex(Set<[UInt64]>())
  func add(_ outcome: [UInt64]) { all.withLock { _ = $0.insert(outcome) } }
  var set: Set<[UInt64]> { all.withLock { $0 } }
}

/// What is drawn besides in each test that samples, as the environment says: until there are this many schedules, or this many seconds have
/// passed, from a seed of its own, so that each night draws others. Those that are in turn have more seconds.
private struct Besides {
  let schedules = Environment.value("SIGNALBOX_ENGINE_SCHEDULES").flatMap { Int($0) } ?? 0
  let seconds: Double
  let seed = Environment.value("SIGNALBOX_ENGINE_SEED").flatMap { UInt64($0) } ?? 1
  /// The suite and the test.
  let name: String

  /// Whether it is to be searched whole.
  let isWhole: Bool
  /// More schedules, and seconds, than any search of a protocol takes that is searched whole.
  static let mostOfAll = 100_000_000, secondsForAll = 1_800.0

  init(_ file: StaticString, _ function: StaticString) {
    let suite = "\(file)".split(separator: "/").last!.dropLast(".swift".count), name = "\(suite).\(function)"
    self.name = name
    let isNamed = { (variable: String) in
      Environment.value(variable)?.split(separator: " ").contains { $0 == name } ?? false
    }
    isWhole = isNamed("SIGNALBOX_ENGINE_WHOLE")
    let limit = isNamed("SIGNALBOX_ENGINE_IN_TURN") ? "SIGNALBOX_ENGINE_TURN_SECONDS" : "SIGNALBOX_ENGINE_SECONDS"
    seconds = Environment.value(limit).flatMap { Double($0) } ?? 86_400
  }

  /// Calls `explore` with how many, how, from which seed and for how many seconds, until there are enough; `drawn`: these there are.
  func draw(_ drawn: Int, _ explore: (Int, ExploreStrategy, UInt64, Double) throws -> ExploreResult) rethrows {
    guard drawn < schedules else { return }
    let start = Clock.uptime()
    var count = drawn, part: UInt64 = 0, left = seconds
    while count < schedules, left > 0 {
      let strategy: ExploreStrategy = [.pos, .pct, .random, .sticky][Int(part % 4)]
      part += 1
      count += Int(try explore(min(5_000, schedules - count), strategy, seed << 32 | part, left).schedules)
      left = seconds - Double(Clock.uptime() - start) / 1e9
    }
    print("\(name): \(count) schedules drawn in all, from seed \(seed)")
  }
}

/// Explores all schedules, and expects that none fails; and that one does with each of the weakenings.
///
/// - Parameter mustEnd: whether the search must say "all". Where what a run leaves in the process affects the next one, it may not.
func expectAll(
  memory: ExploreMemory = .weak, isStill: Bool = true, atMost: Int = 60_000, mustEnd: Bool = true,
  weaker: [ExploreWeakening] = [], file: StaticString = #filePath, function: StaticString = #function, line: UInt = #line,
  at location: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () throws -> Void
) throws {
  let result = try exploreWords(
    memory: memory, isStill: isStill, schedules: atMost, file: file, function: function, line: line, body)
  if mustEnd { #expect(result.isExhaustive, "\(result)", sourceLocation: location) }
  report(result, function)
  expectWeaker(weaker, memory, isStill, .exhaustive, atMost, function, location, body)
}

/// Explores many schedules, and expects that none fails; and that one does with each of the weakenings.
func expectSome(
  memory: ExploreMemory = .weak, isStill: Bool = true, startsMayFail: Bool = false, _ count: Int = 2_000,
  strategy: ExploreStrategy = .portfolio, weaker: [ExploreWeakening] = [],
  file: StaticString = #filePath, function: StaticString = #function, line: UInt = #line,
  at location: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () throws -> Void
) throws {
  let explore = { (count: Int, strategy: ExploreStrategy, seed: UInt64, seconds: Double?) in
    try exploreWords(
      memory: memory, isStill: isStill, startsMayFail: startsMayFail, schedules: count, strategy: strategy, seed: seed,
      seconds: seconds, file: file, function: function, line: line, body)
  }
  if let count = Environment.value("SIGNALBOX_ENGINE_SIZES").flatMap({ Int($0) }) {
    return reportSize(try explore(count, .exhaustive, 1, nil), function)
  }
  let besides = Besides(file, function)
  if besides.isWhole {
    let result = try explore(Besides.mostOfAll, .exhaustive, 1, Besides.secondsForAll)
    #expect(result.isExhaustive, "\(result)", sourceLocation: location)
    return print("\(besides.name): all \(result.distinct) schedules gone over")
  }
  let result = try explore(count, strategy, 1, nil)
  report(result, function)
  try besides.draw(Int(result.schedules)) { try explore($0, $1, $2, $3) }
  expectWeaker(weaker, memory, isStill, .portfolio, 2_000, function, location, body)
}

/// Expects that weaker operations are found. With SIGNALBOX_ENGINE_WEAKEN set, prints of each weakening whether it is.
private func expectWeaker(
  _ weaker: [ExploreWeakening], _ memory: ExploreMemory, _ isStill: Bool, _ strategy: ExploreStrategy, _ count: Int,
  _ function: StaticString, _ location: SourceLocation, _ body: @escaping @Sendable () throws -> Void
) {
  let printsAll = Environment.value("SIGNALBOX_ENGINE_WEAKEN") != nil
  let all: [ExploreWeakening] = [
    .releases, .acquires, .totalOrder, [.releases, .acquires, .totalOrder], .barriers, .wakes,
  ]
  for weakening in printsAll ? all : weaker {
    do {
      let result = try exploreWords(
        memory: memory, isStill: isStill, weaker: weakening, schedules: printsAll ? min(count, 3_000) : count,
        strategy: strategy, function: function, body)
      if printsAll { print("\(function): \(weakening.names) not found: \(result)") }
      if weaker.contains(weakening) { Issue.record("\(weakening.names): \(result)", sourceLocation: location) }
    } catch let failure as ExploreFailure {
      print("\(function): \(weakening.names) found at schedule \(failure.schedule ?? 0): \(failure.kind.rawValue)")
    } catch {
      Issue.record("\(error)", sourceLocation: location)
    }
  }
}

extension ExploreWeakening {
  fileprivate var names: String {
    let all: [(ExploreWeakening, String)] = [
      (.releases, "releases"), (.acquires, "acquires"), (.totalOrder, "total order"), (.barriers, "barriers"),
      (.wakes, "wakes"),
    ]
    return "without " + all.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}

/// What was explored, for whoever reads the log.
func report(_ result: ExploreResult, _ function: StaticString) {
  print("\(function): \(result)  (\(result.steps) steps)")
}

/// How many schedules a search of all would have, for whoever wants to make a body small enough for that.
private func reportSize(_ result: ExploreResult, _ function: StaticString) {
  if result.isExhaustive { return print("\(function): \(result.distinct) schedules, all of them gone over") }
  let power = result.estimate.map(log10) ?? .infinity
  print("\(function): \(power.isFinite ? "about 10^\(Int(power))" : "countless") schedules, by the first \(result.schedules)")
}

/// Explores until a schedule fails, and expects that one does.
///
/// - Parameter mayDiffer: whether the replay may take another way, because of what a run has left in the process.
func expectFailure(
  _ kind: FailureKindName, orOtherwise mayDiffer: Bool = false, memory: ExploreMemory = .weak, isStill: Bool = true,
  file: StaticString = #filePath,
  function: StaticString = #function, line: UInt = #line, at location: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () throws -> Void
) {
  do {
    let result = try exploreWords(
      memory: memory, isStill: isStill, schedules: 100_000, file: file, function: function, line: line, body)
    Issue.record("\(result)", sourceLocation: location)
  } catch let failure as ExploreFailure {
    #expect(
      failure.kind.rawValue == kind.rawValue || mayDiffer && failure.kind.rawValue == "nondeterminism", "\(failure)",
      sourceLocation: location)
    print("\(function): found at schedule \(failure.schedule ?? 0)")
  } catch {
    Issue.record("\(error)", sourceLocation: location)
  }
}

enum FailureKindName: String { case error, deadlock, unfinished, freed = "freed-word", noProgress = "no-progress" }
