// Things.swift: what the deadlock tests hold and want: each kind of thing that has an owner, behind one protocol.
import SignalboxDispatch
import SignalboxLocks

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Something that one thread at a time holds.
protocol Thing: Sendable {
  /// What the report must call it.
  var word: String { get }
  /// Runs `body` while holding the thing; not always on the calling thread.
  func hold(_ body: @escaping @Sendable () -> Void)
  /// Waits for the thing without limit.
  func want()
}

/// The word under every lock.
final class LockThing: Thing {
  let core = LockCore()
  var word: String { "mutex 0x" }
  func hold(_ body: @escaping @Sendable () -> Void) {
    core.lock(.mutex)
    body()
    _ = core.unlock(.mutex)
  }
  func want() { hold {} }
}

/// A serial queue that is entered by `sync`.
final class QueueThing: Thing {
  let queue = DispatchQueue(label: "held")
  var word: String { "serial queue \"held\"" }
  func hold(_ body: @escaping @Sendable () -> Void) { queue.sync(execute: body) }
  func want() { queue.sync {} }
}

/// A serial queue whose worker holds it.
final class DrainThing: Thing {
  let queue = DispatchQueue(label: "drained")
  var word: String { "serial queue \"drained\"" }
  func hold(_ body: @escaping @Sendable () -> Void) { runToEnd(on: queue, body) }
  func want() { queue.sync {} }
}

/// A target: held through one inner queue, wanted through another.
final class TargetThing: Thing {
  let target = DispatchQueue(label: "target")
  let first: DispatchQueue
  let second: DispatchQueue
  init() {
    let middle = DispatchQueue(label: "middle", target: target)
    first = DispatchQueue(label: "first", target: target)
    second = DispatchQueue(label: "second", target: middle)
  }
  var word: String { "serial queue \"" }
  func hold(_ body: @escaping @Sendable () -> Void) { runToEnd(on: first, body) }
  func want() { second.sync {} }
}

/// A concurrent queue: held by a reader, wanted by a barrier.
final class BarrierThing: Thing {
  let queue = DispatchQueue(label: "shared", attributes: .concurrent)
  var word: String { "concurrent queue \"shared\"" }
  func hold(_ body: @escaping @Sendable () -> Void) { queue.sync(execute: body) }
  func want() { queue.sync(flags: .barrier) {} }
}

/// A concurrent queue: held by a barrier, wanted by a reader.
final class ReaderThing: Thing {
  let queue = DispatchQueue(label: "exclusive", attributes: .concurrent)
  var word: String { "concurrent queue \"exclusive\"" }
  func hold(_ body: @escaping @Sendable () -> Void) { queue.sync(flags: .barrier, execute: body) }
  func want() { queue.sync {} }
}

/// A run-once token.
final class OnceThing: Thing, @unchecked Sendable {
  // SAFETY of @unchecked: the token is touched by OnceToken only, atomically.
  let token = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  init() { token.initialize(to: 0) }
  deinit { token.deallocate() }
  var word: String { "once 0x" }
  func hold(_ body: @escaping @Sendable () -> Void) { OnceToken.run(token, body) }
  func want() { OnceToken.run(token) {} }
}

/// A serial queue that is waited for by `asyncAndWait`.
final class AsyncAndWaitThing: Thing {
  let queue = DispatchQueue(label: "awaited")
  var word: String { "serial queue \"awaited\"" }
  func hold(_ body: @escaping @Sendable () -> Void) { runToEnd(on: queue, body) }
  func want() { queue.asyncAndWait {} }
}

/// A work item under way, and one behind it in the same queue.
final class WorkItemThing: Thing, @unchecked Sendable {
  // SAFETY of @unchecked: written before the threads that want it begin.
  let queue = DispatchQueue(label: "of items")
  let behind: DispatchWorkItem?
  let running = Box<DispatchWorkItem>()
  init(behind isBehind: Bool) { behind = isBehind ? DispatchWorkItem {} : nil }
  var word: String { "work item 0x" }
  func hold(_ body: @escaping @Sendable () -> Void) {
    let isSubmitted = DispatchSemaphore(value: 0)
    let item = DispatchWorkItem {
      isSubmitted.wait()  // submitting it may close the chain too, while nobody parks: that is the monitor's to find
      body()
    }
    running.value = item
    queue.async(execute: item)
    if let behind { queue.async(execute: behind) }
    isSubmitted.signal()
    item.wait()
  }
  func want() { (behind ?? running.value!).wait() }
}

/// A value that is set before other threads read it.
final class Box<Value>: @unchecked Sendable {
  // SAFETY of @unchecked: ordered by the tests' gates.
  var value: Value?
}

/// Runs `body` as an item of `queue`, and returns when it has run.
func runToEnd(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
  let over = DispatchSemaphore(value: 0)
  queue.async {
    body()
    over.signal()
  }
  over.wait()
}
