// Eventually.swift: waits for a condition that other threads make true.
import SignalboxDispatch
import SignalboxSystem

/// A condition did not become true in time.
///
/// ```swift
/// do {
///   try eventually(within: 0.05) { false }
/// } catch let error as NotInTime {
///   print(error.description)  // …: not true within 0.05 s
/// }
/// ```
public struct NotInTime: Error, CustomStringConvertible, Sendable {
  /// The condition's place in the source, and how long it was waited for.
  public let description: String
}

/// Waits until `condition` returns true.
///
/// The condition is evaluated again after one millisecond, then after growing intervals of at most a sixteenth of the time waited so far. In an
/// explored body and in virtual time, waiting takes no real time.
///
/// ```swift file
/// import SignalboxFoundation
/// func theLogIsWritten() throws {
///   let lines = OSAllocatedUnfairLock(initialState: [String]())
///   DispatchQueue.global().async { lines.withLock { $0.append("started") } }
///   try eventually(within: 5) { lines.withLock { !$0.isEmpty } }
/// }
/// ```
///
/// - Parameter seconds: the longest time to wait, in seconds of the caller's time: virtual time in an explored body.
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

/// Waits until `condition` returns true.
///
/// The condition is evaluated again after one millisecond, then after growing intervals of at most a sixteenth of the time waited so far. In an
/// explored body and in virtual time, waiting takes no real time.
///
/// ```swift
/// let begin = ContinuousClock.now
/// try eventually(within: 5) { ContinuousClock.now - begin >= .milliseconds(10) }
/// print(ContinuousClock.now - begin < .seconds(5))  // true
/// ```
///
/// - Parameter seconds: the longest time to wait, in seconds of the caller's time: virtual time in an explored body.
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
