// DispatchPrecondition.swift: asserting which queue the calling code runs on, with a condition, or with a condition
// alone that carries the caller's file and line.
import SignalboxSystem
import SignalboxWaits

/// A condition about the queue on which the calling code runs.
///
/// ```swift
/// let store = DispatchQueue(label: "store")
/// let isOnStore = DispatchPredicate.onQueue(store)
/// store.sync { dispatchPrecondition(condition: isOnStore) }
/// dispatchPrecondition(condition: .notOnQueue(store))
/// ```
public enum DispatchPredicate: Sendable {
  /// The code runs as an item of the queue, or of a queue that targets it.
  case onQueue(DispatchQueue)
  /// Like `onQueue`, and nothing else of the queue runs at the same time: the queue is serial, or the item is a barrier.
  case onQueueAsBarrier(DispatchQueue)
  /// The code runs neither as an item of the queue nor of a queue that targets it.
  case notOnQueue(DispatchQueue)
}

/// Stops the program unless `condition` holds.
///
/// - Complexity: O(depth of nested queues on this thread); allocates nothing when the condition holds.
@_transparent
public func dispatchPrecondition(
  condition: @autoclosure () -> DispatchPredicate, file: StaticString = #file, line: UInt = #line
) {
  // Each case is one call that the queue is lent to: a branch here would make the optimiser count its reference.
  switch condition() {
  case .onQueue(let queue): queue.checkIsCurrent(file, line)
  case .onQueueAsBarrier(let queue): queue.checkIsCurrentAlone(file, line)
  case .notOnQueue(let queue): queue.checkIsNotCurrent(file, line)
  }
}

extension DispatchPredicate {
  func check(_ file: StaticString, _ line: UInt) {
    guard let problem else { return }
    let place = line == 0 ? "\(file)" : "\(file):\(line)"
    Misuse.stop("precondition failed at \(place): \(problem)\n  running inside: \(ThreadFrames.description())")
  }

  /// What is wrong; nil when the predicate holds.
  package var problem: String? {
    switch self {
    case .onQueue(let queue):
      queue.isCurrent ? nil : "expected to run on queue \"\(queue.name)\""
    case .onQueueAsBarrier(let queue):
      queue.isCurrentAlone ? nil : "expected to run alone (as a barrier) on queue \"\(queue.name)\""
    case .notOnQueue(let queue):
      queue.isCurrent ? "expected not to run on queue \"\(queue.name)\"" : nil
    }
  }
}

extension DispatchQueue {
  @inline(never) @usableFromInline final func checkIsCurrent(_ file: StaticString, _ line: UInt) {
    if _slowPath(!isInnermost) { DispatchPredicate.onQueue(self).check(file, line) }
  }
  @inline(never) @usableFromInline final func checkIsCurrentAlone(_ file: StaticString, _ line: UInt) {
    DispatchPredicate.onQueueAsBarrier(self).check(file, line)
  }
  @inline(never) @usableFromInline final func checkIsNotCurrent(_ file: StaticString, _ line: UInt) {
    DispatchPredicate.notOnQueue(self).check(file, line)
  }

  /// Whether the calling code is an item of this very queue.
  @inline(__always) final var isInnermost: Bool {
    guard let frame = ThreadSlot.current.innermostFrame else { return false }
    return frame.pointee.object == address
  }

  /// Whether the calling code runs on this queue, directly or through targets.
  package final var isCurrent: Bool {
    if isInnermost { return true }
    if ThreadFrames.contains({ queue, _ in queue.leads(to: self) }) { return true }
    return isMain && MainThreadHost.isMainThread
  }

  /// Like `isCurrent`, and nothing else of the queue runs meanwhile.
  package final var isCurrentAlone: Bool {
    if ThreadFrames.contains({ queue, kind in
      if queue === self { return kind == .syncAlone || kind == .drainAlone || isSerial }
      return (isSerial || isRunLoops) && queue.leads(to: self)
    }) {
      return true
    }
    return isMain && isCurrent
  }
}

// MARK: a condition that carries its place

// In a file that sees the toolchain's function of this name too, a call like `condition: .onQueue(.main)` fits both. Of
// two functions that fit, the compiler takes the one with fewer parameters: so there is one here with nothing but the
// condition. The place comes with that: `.onQueue` is a function of its type, and has a default for it.

/// A condition about the current queue that records its source location: this is what `.onQueue(…)` means in a call of
/// `dispatchPrecondition(condition:)`. To keep a condition in a variable, use `DispatchPredicate`.
///
/// ```swift
/// let store = DispatchQueue(label: "store")
/// let place: SourceLocatedPredicate = .onQueue(store)  // remembers this line for the message
/// store.sync { dispatchPrecondition(condition: place) }
/// switch place {
/// case .current(let queue, _, let line), .currentAlone(let queue, _, let line), .notCurrent(let queue, _, let line):
///   print(queue.label, line)
/// }
/// ```
@frozen public enum SourceLocatedPredicate: Sendable {
  // Not under the names of the conditions: to the compiler those would lose against the cases of `DispatchPredicate`, which have
  // fewer values.
  /// See `onQueue(_:file:line:)`.
  case current(DispatchQueue, StaticString, UInt)
  /// See `onQueueAsBarrier(_:file:line:)`.
  case currentAlone(DispatchQueue, StaticString, UInt)
  /// See `notOnQueue(_:file:line:)`.
  case notCurrent(DispatchQueue, StaticString, UInt)

  /// The code runs as an item of the queue, or of a queue that targets it.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store")
  /// store.sync { dispatchPrecondition(condition: .onQueue(store)) }  // elsewhere it stops the program
  /// ```
  @_transparent
  public static func onQueue(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    .current(queue, file, line)
  }
  /// Like `onQueue`, and nothing else of the queue runs at the same time: the queue is serial, or the item is a barrier.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store", attributes: .concurrent)
  /// store.sync(flags: .barrier) { dispatchPrecondition(condition: .onQueueAsBarrier(store)) }
  /// ```
  @_transparent
  public static func onQueueAsBarrier(_ queue: DispatchQueue, file: StaticString = #file, line: UInt = #line) -> Self {
    .currentAlone(queue, file, line)
  }
  /// The code runs neither as an item of the queue nor of a queue that targets it.
  ///
  /// ```swift
  /// let store = DispatchQueue(label: "store")
  /// dispatchPrecondition(condition: .notOnQueue(store))  // a sync to it does not wait for the caller
  /// store.sync { print("stored") }
  /// ```
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
/// ```swift
/// let store = DispatchQueue(label: "store")
/// func save() { dispatchPrecondition(condition: .onQueue(store)) }  // stops the program on another queue
/// store.sync { save() }
/// ```
///
/// - Complexity: O(depth of nested queues on this thread); allocates nothing when the condition holds.
@_transparent
public func dispatchPrecondition(condition: @autoclosure () -> SourceLocatedPredicate) {
  // Each case is one call that the queue is lent to: a branch here would make the optimiser count its reference.
  switch condition() {
  case .current(let queue, let file, let line): queue.checkIsCurrent(file, line)
  case .currentAlone(let queue, let file, let line): queue.checkIsCurrentAlone(file, line)
  case .notCurrent(let queue, let file, let line): queue.checkIsNotCurrent(file, line)
  }
}
