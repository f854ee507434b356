// PlacedPredicate.swift: `dispatchPrecondition` with nothing but a condition, which carries the caller's file and line.
//
// In a file that sees the toolchain's function of this name too, a call like `condition: .onQueue(.main)` fits both. Of two
// functions that fit, the compiler takes the one with fewer parameters: so there is one here with nothing but the condition. The
// place comes with that: `.onQueue` is a function of its type, and has a default for it.

/// A condition on the current queue that knows where it is written: what `.onQueue(…)` means in a call of
/// `dispatchPrecondition(condition:)`. A condition that is kept in a variable is a `DispatchPredicate`.
@frozen public enum PlacedPredicate: Sendable {
  // Not under the names of the conditions: to the compiler those would lose against the cases of `DispatchPredicate`, which have
  // fewer values.
  /// As `onQueue(_:file:line:)` says.
  case current(DispatchQueue, StaticString, UInt)
  /// As `onQueueAsBarrier(_:file:line:)` says.
  case currentAlone(DispatchQueue, StaticString, UInt)
  /// As `notOnQueue(_:file:line:)` says.
  case notCurrent(DispatchQueue, StaticString, UInt)

  /// The code is an item of the queue, or of one that targets it.
  @_transparent
  public static func onQueue(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    .current(queue, file, line)
  }
  /// As `onQueue`, and alone on it: a barrier, or a serial queue.
  @_transparent
  public static func onQueueAsBarrier(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    .currentAlone(queue, file, line)
  }
  /// The code is not an item of the queue, nor of one that targets it.
  @_transparent
  public static func notOnQueue(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    .notCurrent(queue, file, line)
  }
}

/// Stops the program unless the calling code runs on a queue as `condition` says.
///
/// For a condition in a variable, and to pass another place on, there is `dispatchPrecondition(condition:file:line:)`.
///
/// - Complexity: O(depth of nested queues on this thread); allocates nothing when the condition holds.
@_transparent
public func dispatchPrecondition(condition: @autoclosure () -> PlacedPredicate) {
  // Each case is one call that the queue is lent to: a branch here would make the optimiser count its reference.
  switch condition() {
  case .current(let queue, let file, let line): queue.checkIsCurrent(file, line)
  case .currentAlone(let queue, let file, let line): queue.checkIsCurrentAlone(file, line)
  case .notCurrent(let queue, let file, let line): queue.checkIsNotCurrent(file, line)
  }
}
