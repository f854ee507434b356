// WaitForCompletion.swift: an asynchronous function with a completion, called as if it were a synchronous one.
import SignalboxLocks
import SignalboxSystem

/// The reason why `waitForCompletion` has no result.
public enum TimeoutError: Error, Equatable, CustomStringConvertible {
  /// The completion was not called in time. A later call has no effect.
  case timedOut(after: DispatchTimeInterval)
  /// The completion can no longer be called: all that held it have released it.
  case neverCalled

  /// The error in words.
  public var description: String {
    switch self {
    case .timedOut(let timeout): "the completion was not called within \(timeout)"
    case .neverCalled: "the completion was released without having been called"
    }
  }
}

/// Starts asynchronous work and blocks the calling thread until its completion is called.
///
///     let answer = try waitForCompletion(timeout: .seconds(5)) { completion in request(url, completion: completion) }
///
/// Do not use it on the main thread, or in an item of the queue that delivers the completion: the blocked thread would keep the
/// completion from coming. If items wait for a second in a queue that the caller blocks, this is reported on standard error. If
/// the caller is a worker of the pool, the pool starts another thread in its place.
///
/// Thread safety: any thread. Any thread may call the completion, even before `start` returns. A second call has no effect and
/// is reported. Memory: everything before the completion happens before the return.
/// - Parameters:
///   - timeout: the longest time to wait; zero or less checks once.
///   - start: starts the work; its argument is the completion.
/// - Returns: the value passed to the completion.
/// - Throws: `TimeoutError` if the completion was not called in time, or can no longer be called.
public func waitForCompletion<Value: Sendable>(
  timeout: DispatchTimeInterval = .never, _ start: (_ completion: @escaping @Sendable (Value) -> Void) -> Void
) throws(TimeoutError) -> Value {
  let outcome = Outcome<Value>()
  begin(outcome, start)
  return try outcome.wait(timeout)
}

/// Starts asynchronous work and blocks the calling thread until its completion, which has no value, is called. Otherwise like the form whose
/// completion has a value.
///
/// ```swift
/// try waitForCompletion(timeout: .seconds(5)) { done in
///   DispatchQueue.global().async { done() }
/// }
/// ```
///
/// - Throws: `TimeoutError` if the completion was not called in time, or can no longer be called.
public func waitForCompletion(
  timeout: DispatchTimeInterval = .never, _ start: (_ completion: @escaping @Sendable () -> Void) -> Void
) throws(TimeoutError) {
  try waitForCompletion(timeout: timeout) { (completion: @escaping @Sendable (()) -> Void) in start { completion(()) } }
}

/// In a function of its own, so that the caller keeps no reference to the completion while it waits.
@inline(never)
private func begin<Value: Sendable>(
  _ outcome: Outcome<Value>, _ start: (_ completion: @escaping @Sendable (Value) -> Void) -> Void
) {
  let completion = Completion(outcome)
  start { completion.call($0) }
}

/// What the completion's holders hold; when all have let go, no code can call any more.
private final class Completion<Value: Sendable>: Sendable {
  private let outcome: Outcome<Value>
  init(_ outcome: Outcome<Value>) { self.outcome = outcome }
  func call(_ value: Value) { outcome.arrive(value) }
  deinit { outcome.lost() }
}

/// What becomes of the call, shared by the thread that waits and those that may call.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
  private enum State {
    case open, arrived(Value), taken, neverCalled, late
  }
  private enum Arrival { case first, tooLate, again }

  private let lock = UnfairLock()
  // SAFETY of @unchecked: touched only under `lock`.
  private var state = State.open
  private let ended = DispatchSemaphore(value: 0)

  func arrive(_ value: Value) {
    switch lock.withLock({ afterArrivalAssumingLocked(value) }) {
    case .first: ended.signal()
    case .tooLate: break
    case .again: Misuse.report("the completion of waitForCompletion is called again, which has no effect: call it once")
    }
  }

  private func afterArrivalAssumingLocked(_ value: Value) -> Arrival {
    switch state {
    case .open:
      state = .arrived(value)
      return .first
    case .late, .neverCalled: return .tooLate
    case .arrived, .taken: return .again
    }
  }

  func lost() {
    let isNews = lock.withLock {
      guard case .open = state else { return false }
      state = .neverCalled
      return true
    }
    if isNews { ended.signal() }
  }

  /// The value, once it is there. Whatever comes after a failure is too late.
  func wait(_ timeout: DispatchTimeInterval) throws(TimeoutError) -> Value {
    _ = WaitWithHint.wait(ended, until: .now() + timeout)
    return try lock.withLock { () throws(TimeoutError) in
      switch state {
      case .arrived(let value):
        state = .taken
        return value
      case .neverCalled: throw .neverCalled
      case .open, .taken, .late:
        state = .late
        throw .timedOut(after: timeout)
      }
    }
  }
}

/// A wait that checks once, after a second, whether the waiting thread itself keeps an item from ending it.
private enum WaitWithHint {
  static func wait(_ semaphore: DispatchSemaphore, until deadline: DispatchTime) -> Bool {
    let checkTime = DispatchTime.now() + .seconds(1)
    if deadline > checkTime {
      if semaphore.wait(timeout: checkTime) == .success { return true }
      tell(DispatchQueue.labelsHeldWithItems, until: deadline)
    }
    return semaphore.wait(timeout: deadline) == .success
  }

  private static func tell(_ labels: [String], until deadline: DispatchTime) {
    guard !labels.isEmpty else { return }
    let names = labels.map { "\"\($0)\"" }.joined(separator: ", ")
    Misuse.report(
      "waitForCompletion() has waited for 1 s in a turn of \(names), where items wait for this turn to end: if the completion is to "
        + "come by one of them, \(end(deadline)); call waitForCompletion() on another queue, or pass the completion on")
  }

  private static func end(_ deadline: DispatchTime) -> String {
    if deadline == .distantFuture { return "this wait never ends" }
    let now = DispatchTime.now().uptimeNanoseconds
    let tenths = (deadline.uptimeNanoseconds - min(now, deadline.uptimeNanoseconds) + 50_000_000) / 100_000_000
    return "only its timeout can end this wait, \(tenths / 10).\(tenths % 10) s from now"
  }
}
