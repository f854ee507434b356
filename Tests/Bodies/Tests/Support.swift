// Support.swift: how the tests of explorations expect a failure.
import Glibc
import SignalboxExplore
import Testing

/// Nothing is saved beside these tests: they fail on purpose.
private let savesNothing: Void = { setenv("SIGNALBOX_EXPLORE_SAVE", "off", 1) }()

/// The failure that `work` throws; nothing else may come of it.
func failure(sourceLocation: SourceLocation = #_sourceLocation, _ work: () throws -> ExploreResult) throws -> ExploreFailure {
  savesNothing
  do {
    let result = try work()
    Issue.record("no failure was found: \(result)", sourceLocation: sourceLocation)
    throw NoFailure()
  } catch let failure as ExploreFailure {
    return failure
  }
}
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> ExploreResult
) async throws -> ExploreFailure {
  savesNothing
  do {
    let result = try await work()
    Issue.record("no failure was found: \(result)", sourceLocation: sourceLocation)
    throw NoFailure()
  } catch let failure as ExploreFailure {
    return failure
  }
}
struct NoFailure: Error {}

struct Wrong: Error, CustomStringConvertible {
  let description: String
  init(_ text: String) { description = text }
}

/// A value that threads share without a lock: what the tests get wrong on purpose, or guard with what is tested.
final class Shared<Value>: @unchecked Sendable {
  // SAFETY of @unchecked: in a body that is explored one thread runs at a time.
  var value: Value
  init(_ value: Value) { self.value = value }
}
