// AsyncAndWaitTests.swift: submit and wait in one call, which the toolchain's library lacks. What both libraries have is
// tested in Tests/Conformance.
import Signalbox
import Testing

@Suite("asyncAndWait") struct AsyncAndWaitTests {
  private enum Failure: Error, Equatable { case refused(Int) }

  @Test("asyncAndWait returns what its body returns and throws the very error its body threw, on every kind of queue")
  func resultsAndErrors() throws {
    for queue in [DispatchQueue(label: "serial"), DispatchQueue(label: "wide", attributes: .concurrent), .global()] {
      #expect(queue.asyncAndWait { 42 } == 42)
      #expect(queue.asyncAndWait(flags: .barrier) { "text" } == "text")
      #expect(throws: Failure.refused(3)) { try queue.asyncAndWait { throw Failure.refused(3) } }
      var ran = false
      queue.asyncAndWait { ran = true }
      #expect(ran)
    }
  }

  @Test("asyncAndWait takes its turn behind the items submitted before it")
  func order() {
    let queue = DispatchQueue(label: "order")
    let log = Log()
    for round in 0..<500 {
      queue.async { log.add(2 * round) }
      queue.asyncAndWait { log.add(2 * round + 1) }
    }
    #expect(log.entries == Array(0..<1000))
  }

  @Test("asyncAndWait waits for a suspended and for an inactive queue")
  func stoppedQueues() {
    let log = Log()
    let suspended = DispatchQueue(label: "suspended")
    suspended.suspend()
    let inactive = DispatchQueue(label: "inactive", attributes: .initiallyInactive)
    let group = DispatchGroup()
    for queue in [suspended, inactive] {
      DispatchQueue(label: "caller").async(group: group) { queue.asyncAndWait { log.add(2) } }
    }
    #expect(group.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
    log.add(1)
    suspended.resume()
    inactive.activate()
    group.wait()
    #expect(log.entries == [1, 2, 2])
  }

  @Test("Callers of asyncAndWait exclude one another and other items of a serial queue, through its targets too")
  func exclusion() {
    let root = DispatchQueue(label: "root")
    let queues = [DispatchQueue(label: "leaf", target: root), DispatchQueue(label: "other", target: root), root]
    let group = DispatchGroup()
    let number = Number()
    for index in 0..<4 {
      DispatchQueue(label: "caller \(index)").async(group: group) {
        for round in 0..<500 {
          queues[(index + round) % 3].asyncAndWait { number.value += 1 }
          queues[round % 3].async(group: group) { number.value += 1 }
        }
      }
    }
    group.wait()
    #expect(number.value == 4000)
  }

  @Test("asyncAndWait with the barrier flag is alone on a concurrent queue")
  func barrier() {
    let queue = DispatchQueue(label: "wide", attributes: .concurrent)
    let group = DispatchGroup()
    let number = Number()
    for round in 0..<500 {
      queue.async(group: group) { _ = number.value }
      queue.asyncAndWait(flags: .barrier) { number.value += 1 }
      if round % 5 == 0 { queue.async(group: group, flags: .barrier) { number.value += 1 } }
    }
    group.wait()
    #expect(number.value == 600)
  }

  @Test("asyncAndWait runs a work item, which completes, and passes over a cancelled one")
  func workItems() {
    let queue = DispatchQueue(label: "items")
    let log = Log()
    let item = DispatchWorkItem(flags: .barrier) { log.add(1) }
    queue.asyncAndWait(execute: item)
    #expect(item.wait(timeout: .now()) == .success)
    let cancelled = DispatchWorkItem { log.add(2) }
    cancelled.cancel()
    queue.asyncAndWait(execute: cancelled)
    #expect(cancelled.wait(timeout: .now()) == .success)
    #expect(log.entries == [1])
  }

  @Test("Inside, the queue's value is seen and its condition holds, whoever runs it")
  func context() {
    let queue = DispatchQueue(label: "context")
    let key = DispatchSpecificKey<Int>()
    queue.setSpecific(key: key, value: 6)
    for _ in 0..<200 {
      queue.async {}
      queue.asyncAndWait {
        #expect(DispatchQueue.getSpecific(key: key) == 6)
        dispatchPrecondition(condition: .onQueue(queue))
      }
    }
    #expect(DispatchQueue.getSpecific(key: key) == nil)
  }
}

/// A log under a lock of its own.
final class Log: Sendable {
  private let lock = DispatchQueue(label: "log")
  private let list = Shared<[Int]>([])

  var entries: [Int] { lock.sync { list.value } }

  func add(_ entry: Int) { lock.sync { list.value.append(entry) } }
}

/// A number that only the queue under test protects.
typealias Number = Shared<Int>

/// A value that only the queue under test protects.
// SAFETY: the test's queues order all accesses; a failure of that is what the tests detect.
final class Shared<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}

extension Shared<Int> {
  convenience init() { self.init(0) }
}
