// QueueOrderTests.swift: orders among locks, queues and onces, and waits under locks; each in a process of its own.
import Glibc
import Signalbox
import SignalboxSystem
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxDispatch
@testable import SignalboxLocks

private func watch() {
  alarm(500)
  LockOrder.mode = .report
}

private var kinds: [LockOrderReport.Kind] { LockOrder.reports.map(\.kind) }

/// Nests both ways in one item of the only worker, which never meets itself; then one way in another item of it.
private func expectOneInversion(_ nest: @escaping @Sendable (_ isForward: Bool) -> Void) {
  setenv("SIGNALBOX_MAX_THREADS", "1", 1)
  watch()
  let (group, global) = (DispatchGroup(), DispatchQueue.global())
  global.async(group: group) {
    for turn in 0..<10 { nest(turn % 2 == 0) }
  }
  group.wait()
  #expect(kinds.isEmpty)
  global.async(group: group) { nest(false) }
  group.wait()
  #expect(kinds == [.inversion])
  #expect(Set(LockOrder.reports.flatMap(\.steps).map(\.threadID)).count == 1)
}

@Suite("Lock order covers queues and once flags") struct QueueOrderTests {
  @Test("A lock taken around a sync and inside it is reported, with the queue's label")
  func lockAndSync() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (lock, queue) = (Lock("A"), DispatchQueue(label: "q"))
      lock.with { queue.sync {} }
      #expect(kinds.isEmpty)
      onThread { queue.sync { lock.with {} } }
      #expect(kinds == [.inversion])
      #expect(LockOrder.reports[0].steps[0].held == "queue \"q\"")
      #expect(LockOrder.reports[0].steps[0].heldAt.isEmpty == false)
    }
  }

  @Test("Two queues whose syncs nest both ways are reported")
  func syncBothWays() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "other"))
      one.sync { other.sync {} }
      onThread { other.sync { one.sync {} } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("An item of a serial queue holds it; one of a global queue holds nothing")
  func items() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (lock, queue, group) = (Lock("A"), DispatchQueue(label: "q"), DispatchGroup())
      lock.with { DispatchQueue.global().sync {} }
      DispatchQueue.global().async(group: group) { lock.with {} }
      group.wait()
      #expect(kinds.isEmpty)
      queue.async(group: group) { lock.with {} }
      group.wait()
      #expect(kinds.isEmpty)
      onThread { lock.with { queue.sync {} } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("Both orders of two locks in two items of one worker are reported; in one item they are not")
  func locksOfOneWorker() async {
    await #expect(processExitsWith: .success) {
      let (a, b) = (Lock("A"), Lock("B"))
      expectOneInversion { isForward in isForward ? a.with { b.with {} } : b.with { a.with {} } }
    }
  }

  @Test("Both orders of two queues in two items of one worker are reported; in one item they are not")
  func queuesOfOneWorker() async {
    await #expect(processExitsWith: .success) {
      let (one, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "other"))
      expectOneInversion { isForward in isForward ? one.sync { other.sync {} } : other.sync { one.sync {} } }
    }
  }

  @Test("Items of one serial queue that nest locks both ways keep each other out, whatever worker they have")
  func oneQueue() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (a, b, queue) = (Lock("A"), Lock("B"), DispatchQueue(label: "q"))
      for turn in 0..<10 { queue.async { turn % 2 == 0 ? a.with { b.with {} } : b.with { a.with {} } } }
      queue.sync {}
      #expect(kinds.isEmpty)
    }
  }

  @Test("A queue's target is held with it")
  func targets() async {
    await #expect(processExitsWith: .success) {
      watch()
      let lock = Lock("A")
      let target = DispatchQueue(label: "target")
      let queue = DispatchQueue(label: "inner", target: target)
      lock.with { queue.sync {} }
      onThread { target.sync { lock.with {} } }
      #expect(kinds == [.inversion])
      #expect(LockOrder.reports[0].steps[0].held == "queue \"target\"")
    }
  }

  @Test("Plain syncs of concurrent queues are readers, barriers are writers")
  func concurrent() async {
    await #expect(processExitsWith: .success) {
      watch()
      let one = DispatchQueue(label: "one", attributes: .concurrent)
      let other = DispatchQueue(label: "other", attributes: .concurrent)
      one.sync { other.sync {} }
      onThread { other.sync { one.sync {} } }
      #expect(kinds.isEmpty)
      one.sync(flags: .barrier) {}
      other.sync(flags: .barrier) {}
      #expect(kinds == [.inversion])
    }
  }

  @Test("An error that leaves sync leaves nothing held")
  func thrown() async {
    await #expect(processExitsWith: .success) {
      struct Wrong: Error {}
      watch()
      let (lock, queue) = (Lock("A"), DispatchQueue(label: "q"))
      #expect(throws: Wrong.self) { try queue.sync { () throws -> Void in throw Wrong() } }
      lock.with {}
      #expect(LockWorld.graph.edges.isEmpty)
    }
  }

  @Test("Running once holds its token, so that a lock inside it must not be taken around it, also after it has run")
  func once() async {
    await #expect(processExitsWith: .success) {
      watch()
      let lock = Lock("A")
      let token = Token()
      OnceToken.run(token.pointer) { lock.with {} }
      #expect(kinds.isEmpty)
      onThread { lock.with { if !OnceToken.isPassed(token.pointer) { OnceToken.run(token.pointer) {} } } }
      #expect(kinds == [.inversion])
    }
  }

  @Test("Waiting under a lock for a group, semaphore or item gives a note for each place, and never stops the program")
  func waits() async {
    await #expect(processExitsWith: .success) {
      alarm(500)
      LockOrder.mode = .stop
      let (lock, other) = (Lock("A"), Lock("B"))
      let (group, semaphore) = (DispatchGroup(), DispatchSemaphore(value: 9))
      let item = DispatchWorkItem {}
      item.perform()
      group.wait()
      semaphore.wait()
      #expect(kinds.isEmpty)
      for lock in [lock, other, lock] {
        lock.with {
          group.wait()
          semaphore.wait()
          _ = semaphore.wait(timeout: .now())
        }
      }
      #expect(kinds == [.waitUnderLock, .waitUnderLock])
      lock.with { item.wait() }
      #expect(kinds.count == 3)
      #expect(LockOrder.reports.map { $0.steps[0].wanted } == ["group", "semaphore", "work item"])
      for _ in 0..<7 { semaphore.signal() }
    }
  }

  @Test("A note says of a wait with a deadline that it ends by then, and only of one without that it may never end")
  func waitWithDeadline() async {
    await #expect(processExitsWith: .success) {
      watch()
      let (lock, semaphore) = (Lock("A"), DispatchSemaphore(value: 2))
      lock.with {
        _ = semaphore.wait(timeout: .now() + .seconds(36_000))
        semaphore.wait()
      }
      let messages = LockOrder.reports.map(\.message)
      #expect(messages.count == 2)
      let end = "only its timeout can end it, 3"
      #expect(messages[0].contains(end + "6000.0 s later") || messages[0].contains(end + "59"), "\(messages[0])")
      #expect(messages[1].contains("it never ends") && !messages[1].contains("timeout"))
      for _ in 0..<2 { semaphore.signal() }
    }
  }
}

/// A once token with a place of its own.
private final class Token: @unchecked Sendable {
  // SAFETY: touched by OnceToken only.
  let pointer = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  init() { pointer.initialize(to: 0) }
  deinit { pointer.deallocate() }
}
