// OperationHelpers.swift: what the tests of operations share: threads of their own, a log, waiting with an end.
import Glibc
import SignalboxLocks
import SignalboxSystem

@testable import SignalboxClasses

/// A value that threads share.
// SAFETY: touched only under its lock.
final class Box<Value>: @unchecked Sendable {
  private let lock = UnfairLock()
  private var value: Value
  init(_ value: Value) { self.value = value }
  func with<R>(_ body: (inout Value) -> R) -> R { lock.withLock { body(&value) } }
  var now: Value { with { $0 } }
}

/// Runs `body` on a thread of its own, which ends before this returns.
func onOwnThread(_ body: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    ended.signal()
  }
  ended.wait()
}

/// Waits, which asynchronous tests may not do themselves.
func wait(for operation: Operation) { operation.waitUntilFinished() }
func waitUntilEmpty(_ queue: OperationQueue) { queue.waitUntilAllOperationsAreFinished() }

/// Runs a closure as its main().
final class Job: Operation, @unchecked Sendable {
  let body: @Sendable (Job) -> Void
  init(_ name: String? = nil, _ body: @escaping @Sendable (Job) -> Void = { _ in }) {
    self.body = body
    super.init()
    self.name = name
  }
  override func main() { body(self) }
}

/// Says itself when it executes and when it is finished.
class OwnState: Operation, @unchecked Sendable {
  private let own = Box((executing: false, finished: false))
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { own.with { $0.executing } }
  override var isFinished: Bool { own.with { $0.finished } }
  override func start() {
    willChangeValue(forKey: "isExecuting")
    own.with { $0.executing = true }
    didChangeValue(forKey: "isExecuting")
  }
  func finish() {
    willChangeValue(forKey: "isFinished")
    willChangeValue(forKey: "isExecuting")
    own.with { $0 = (false, true) }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}
