// PlacedPredicate.swift: `dispatchPrecondition` in a file that imports SignalboxFoundation, with the caller's file and line.
//
// The toolchain's function of this name, which Foundation brings along, fits a call like `condition: .onQueue(.main)` as well as
// Signalbox's. Of two functions that fit, the compiler takes the one with fewer parameters: so there is one here with nothing but
// the condition. The place comes with that: `.onQueue` is a function of the condition's type, and has a default for it.
public import Signalbox

/// A condition on the current queue that knows where it is written: what `.onQueue(…)` means in a call of
/// `dispatchPrecondition(condition:)`. A condition that is kept in a variable is a `DispatchPredicate`.
@frozen public struct PlacedPredicate: Sendable {
  @usableFromInline let predicate: DispatchPredicate
  @usableFromInline let file: StaticString
  @usableFromInline let line: UInt

  @inlinable init(_ predicate: DispatchPredicate, _ file: StaticString, _ line: UInt) {
    self.predicate = predicate
    self.file = file
    self.line = line
  }

  /// The code is an item of the queue, or of one that targets it.
  @inlinable public static func onQueue(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    Self(.onQueue(queue), file, line)
  }
  /// As `onQueue`, and alone on it: a barrier, or a serial queue.
  @inlinable public static func onQueueAsBarrier(
    _ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line
  ) -> Self {
    Self(.onQueueAsBarrier(queue), file, line)
  }
  /// The code is not an item of the queue, nor of one that targets it.
  @inlinable public static func notOnQueue(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    Self(.notOnQueue(queue), file, line)
  }
}

/// Stops the program unless the calling code runs on a queue as `condition` says.
///
/// For a condition in a variable, and to pass another place on, there is `dispatchPrecondition(condition:file:line:)`.
///
/// - Complexity: O(depth of nested queues on this thread); allocates nothing when the condition holds.
@_transparent
public func dispatchPrecondition(condition: @autoclosure () -> PlacedPredicate) {
  let placed = condition()
  Signalbox.dispatchPrecondition(condition: placed.predicate, file: placed.file, line: placed.line)
}
