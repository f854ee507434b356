// Support.swift: how the tests of explorations expect a failure.
import Glibc
import SignalboxExplore
import Synchronization
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

/// Whether this program has the thread sanitizer, which reports races that a body is meant to have.
let isSanitized = dlsym(nil, "__tsan_init") != nil

/// What threads may set and read at any time.
final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .acquiring) }
  func add() { count.add(1, ordering: .acquiringAndReleasing) }
}

/// A value that threads share without a lock: what the tests get wrong on purpose, or guard with what is tested.
final class Shared<Value>: @unchecked Sendable {
  // SAFETY of @unchecked: in a body that is explored one thread runs at a time.
  var value: Value
  init(_ value: Value) { self.value = value }
}
