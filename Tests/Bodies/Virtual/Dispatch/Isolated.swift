// Isolated.swift: where the body of a conformance test runs here: in virtual time, under the plain schedule and some that are drawn. Its
// twin in Tests/Conformance runs it in real time.
import Glibc
import SignalboxExplore
import Testing

/// How many schedules a body is run under that are drawn, if it is short; the plain one comes first.
private let schedules = getenv("SIGNALBOX_VIRTUAL_SCHEDULES").flatMap { Int(String(cString: $0)) } ?? 4
private let mostStepsOfShortOnes = 2_000, mostSteps = 20_000_000

/// Nothing is saved beside the text: a token would be another text's as well.
private let savesNothing: Void = { setenv("SIGNALBOX_EXPLORE_SAVE", "off", 1) }()

/// What a body has found under one schedule.
private struct Findings: Error, CustomStringConvertible {
  let list: [Finding]
  var description: String {
    list.prefix(5).map { "\($0.text), at \($0.location.fileName):\($0.location.line)" }.joined(separator: "\n")
  }
}

/// Runs a test's body under some schedules and reports the first under which it finds something, or leaves something behind.
func isolated(at location: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void) async {
  savesNothing
  let explorer = await withCheckedContinuation { continuation in
    _ = onThread {
      do {
        try explore(body)
      } catch {
        _ = takeFindings()
        report("\(error)", at: location)
      }
      continuation.resume(returning: Helper(handle: pthread_self()))
    }
  }
  explorer.join()
  recordFindings()
}

private func explore(_ body: @escaping @Sendable () -> Void) throws {
  @Sendable func run() throws {
    // On a thread of its own, whose run loop goes with it.
    onThread(body).join()
    let found = takeFindings()
    if !found.isEmpty { throw Findings(list: found) }
  }
  let plain = try explore(schedules: 1, steps: mostSteps, run)
  if plain.steps <= mostStepsOfShortOnes { try explore(schedules: schedules, strategy: .random, run) }
}
