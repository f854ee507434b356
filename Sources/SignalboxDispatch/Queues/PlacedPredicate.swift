// PlacedPredicate.swift: `dispatchPrecondition` with nothing but a condition, which carries the caller's file and line.
//
// In a file that sees the toolchain's function of this name too, a call like `condition: .onQueue(.main)` fits both. Of two
// functions that fit, the compiler takes the one with fewer parameters: so there is one here with nothing but the condition. The
// place comes with that: `.onQueue` is a function of its type, and has a default for it.

/// A condition about the current queue that records its source location: this is what `.onQueue(…)` means in a call of
/// `dispatchPrecondition(condition:)`. To keep a condition in a variable, use `DispatchPredicate`.
@frozen public enum PlacedPredicate: Sendable {
  // Not under the names of the conditions: to the compiler those would lose against the cases of `DispatchPredicate`, which have
  // fewer values.
  /// See `onQueue(_:file:line:)`.
  case current(DispatchQueue, StaticString, UInt)
  /// See `onQueueAsBarrier(_:file:line:)`.
  case currentAlone(DispatchQueue, StaticString, UInt)
  /// See `notOnQueue(_:file:line:)`.
  case notCurrent(DispatchQueue, StaticString, UInt)

  /// The code runs as an item of the queue, or of a queue that targets it.
  @_transparent
  public static func onQueue(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    .current(queue, file, line)
  }
  /// Like `onQueue`, and nothing else of the queue runs at the same time: the queue is serial, or the item is a barrier.
  @_transparent
  public static func onQueueAsBarrier(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    .currentAlone(queue, file, line)
  }
  /// The code runs neither as an item of the queue nor of a queue that targets it.
  @_transparent
  public static func notOnQueue(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    .notCurrent(queue, file, line)
  }
}

/// Stops the program unless the calling code runs on a queue as `condition` says.
///
/// To check a condition from a variable, or to report another source location, use
/// `dispatchPrecondition(condition:file:line:)`.
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
