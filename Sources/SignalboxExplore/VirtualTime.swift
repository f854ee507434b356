// VirtualTime.swift: `withVirtualTime { }`: a body under one schedule, always the same, in which time takes no time.
import SignalboxSystem

/// Runs `body` once, under one schedule, always the same, in which sleeps, timeouts and timers take no real time.
///
/// For ordinary tests of timers and delays. All clocks begin at the same times in each run; when no thread can go on they go to the
/// next deadline. `body` may use all that a body of `explore` may.
///
/// ```swift file
/// import SignalboxFoundation
/// func aDayPasses() throws {
///   let outcome = try withVirtualTime { DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(86_400)) }
///   print(outcome)  // timedOut, at once
/// }
/// ```
///
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; `ExploreFailure` if no thread can ever go on, or something is left behind; `ExploreTrouble` where the
///   system has no memory or thread.
/// - Note: Thread safety: any thread that is not explored itself.
public func withVirtualTime<R: Sendable>(
  file: StaticString = #filePath, function: StaticString = #function, line: UInt = #line,
  _ body: @escaping @Sendable () throws -> R
) throws -> R {
  let box = ResultBox<R>()
  let place = TestPlace(file: "\(file)", function: "\(function)", line: line)
  // A day has 86,400 seconds, and a timer may come in each.
  var settings = ExploreSettings()
  settings.steps = 20_000_000
  return try Exploring.inTurn(settings, place, { box.value = try body() }) { exploring in
    if let found = try exploring.runner.explore(1...1, wall: Exploring.wall) {
      if found.result.failure == .error, let error = exploring.runner.thrown { throw error }
      throw exploring.told(found)
    }
    return box.value!  // the body has returned
  }
}

/// Runs an asynchronous `body` once, under one schedule, always the same, in which sleeps, timeouts and timers take no real time.
///
/// This works like the form for synchronous bodies; `Task.sleep` takes no time either.
///
/// ```swift
/// let slept = try await withVirtualTime {
///   let begin = ContinuousClock.now
///   try await Task.sleep(for: .seconds(3_600))
///   return ContinuousClock.now - begin
/// }
/// print(slept >= .seconds(3_600))  // true, at once
/// ```
///
/// - Throws: what `body` throws; `ExploreFailure` if it can never end; `ExploreTrouble` if the system has no memory or thread left.
/// - Returns: what `body` returns.
public func withVirtualTime<R: Sendable>(
  file: StaticString = #filePath, function: StaticString = #function, line: UInt = #line,
  _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
  try await onOwnThread {
    let box = ResultBox<R>()
    try withVirtualTime(file: file, function: function, line: line) { try runToItsEnd { box.value = try await body() } }
    return box.value!  // the body has returned
  }
}

/// What a body has returned.
private final class ResultBox<R: Sendable>: @unchecked Sendable {
  // SAFETY of @unchecked: written by the body, read after its run has ended.
  var value: R?
}
