// DispatchPrecondition.swift: asserting which queue the calling code runs on.
import SignalboxDiagnosis
public import SignalboxSystem

/// A condition on the queue the calling code runs on.
public enum DispatchPredicate: Sendable {
  /// The code is an item of the queue, or of one that targets it.
  case onQueue(DispatchQueue)
  /// As `onQueue`, and alone on it: a barrier, or a serial queue.
  case onQueueAsBarrier(DispatchQueue)
  /// The code is not an item of the queue, nor of one that targets it.
  case notOnQueue(DispatchQueue)
}

/// Stops the program unless `condition` holds.
///
/// - Complexity: O(depth of nested queues on this thread); allocates nothing when the condition holds.
@inlinable @inline(__always)
public func dispatchPrecondition(
  condition: @autoclosure () -> DispatchPredicate, file: StaticString = #file, line: UInt = #line
) {
  // The common question is about the innermost queue, and needs no walk. Spelt out so that no predicate is made in memory.
  switch condition() {
  case .onQueue(let queue): if _slowPath(!queue.isInnermost) { DispatchPredicate.onQueue(queue).check(file, line) }
  case .onQueueAsBarrier(let queue): DispatchPredicate.onQueueAsBarrier(queue).check(file, line)
  case .notOnQueue(let queue): DispatchPredicate.notOnQueue(queue).check(file, line)
  }
}

extension DispatchPredicate {
  @usableFromInline func check(_ file: StaticString, _ line: UInt) {
    guard let problem else { return }
    Misuse.stop("precondition failed at \(file):\(line): \(problem)\n  running inside: \(ThreadFrames.description())")
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
  /// Whether the calling code is an item of this very queue.
  @inlinable @inline(__always) final var isInnermost: Bool {
    guard let frame = ThreadSlot.current.innermostFrame else { return false }
    return frame.pointee.object == address
  }

  /// Whether the calling code runs on this queue, directly or through targets.
  package final var isCurrent: Bool {
    if isInnermost { return true }
    if ThreadFrames.contains({ queue, _ in queue.leads(to: self) }) { return true }
    return kind == .main && Threads.isMain
  }

  /// As `isCurrent`, and nothing else of the queue runs meanwhile.
  package final var isCurrentAlone: Bool {
    if ThreadFrames.contains({ queue, kind in
      if queue === self { return kind == .syncAlone || kind == .drainAlone || self.kind == .serial }
      return self.kind == .serial && queue.leads(to: self)
    }) {
      return true
    }
    return kind == .main && isCurrent
  }
}
