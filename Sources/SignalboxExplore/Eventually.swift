// Eventually.swift: a condition that others bring about.
import SignalboxDispatch
import SignalboxSystem

/// A condition did not come about in time.
public struct NotInTime: Error, CustomStringConvertible, Sendable {
  /// Where the condition stands, and how long it was waited for.
  public let description: String
}

/// Waits until `condition` is true, and asks again after a millisecond and then ever longer, at most a sixteenth of the time so far: in
/// an explored body or virtual time that takes none.
///
/// - Parameter seconds: how long to wait, of whatever time the caller has.
/// - Parameter file: for messages; leave it out.
/// - Parameter line: for messages; leave it out.
/// - Parameter condition: called until it returns true, on the thread of the caller.
/// - Throws: `NotInTime`, or what `condition` throws.
public func eventually(
  within seconds: Double = 60, file: StaticString = #fileID, line: UInt = #line, _ condition: () throws -> Bool
) throws {
  let begin = Clock.uptime(), end = begin &+ UInt64(seconds * 1e9)
  let pause = DispatchSemaphore(value: 0)
  while try !condition() {
    if Clock.uptime() >= end { throw NotInTime(description: "\(file):\(line): not true within \(seconds) s") }
    _ = pause.wait(timeout: .now() + .nanoseconds(Int(max(1_000_000, (Clock.uptime() &- begin) / 16))))
  }
}

/// Waits until `condition` is true, and asks again after a millisecond and then ever longer, at most a sixteenth of the time so far: in
/// an explored body or virtual time that takes none.
///
/// - Parameter seconds: how long to wait, of whatever time the caller has.
/// - Parameter file: for messages; leave it out.
/// - Parameter line: for messages; leave it out.
/// - Parameter condition: called until it returns true, in the task of the caller.
/// - Throws: `NotInTime`, or what `condition` throws; `CancellationError` if the task is cancelled.
public func eventually(
  within seconds: Double = 60, file: StaticString = #fileID, line: UInt = #line, _ condition: () async throws -> Bool
) async throws {
  let clock = ContinuousClock()
  let begin = clock.now, end = begin + .seconds(seconds)
  while try await !condition() {
    if clock.now >= end { throw NotInTime(description: "\(file):\(line): not true within \(seconds) s") }
    try await Task.sleep(for: max(.milliseconds(1), (clock.now - begin) / 16))
  }
}
