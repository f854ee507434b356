// DispatchPrecondition.swift: asserting which queue the calling code runs on.
import SignalboxWaits
import SignalboxSystem

/// A condition about the queue on which the calling code runs.
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
