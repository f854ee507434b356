// FastPathTests.swift: how many steps on the engine's words an operation takes when nobody is in its way. Who loses a fast path, or
// wakes where nobody sleeps, changes nothing else.
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks

@Suite(.serialized) struct FastPathTests {
  init() { LockTuning.rounds = 0 }

  /// An operation that leaves everything as it was.
  struct Operation: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: UInt64
    let make: @Sendable () -> @Sendable () -> Void
    var testDescription: String { name }

    init(_ name: String, _ steps: UInt64, _ make: @escaping @Sendable () -> @Sendable () -> Void) {
      (self.name, self.steps, self.make) = (name, steps, make)
    }
  }

  @Test("An operation that nobody is in the way of takes as many steps as it needs, and no more", arguments: operations)
  func steps(_ operation: Operation) throws {
    let one = Operation("one step", 1) {
      let word = Number()
      return { _ = word.read() }
    }
    let (found, wanted) = (try points(of: operation), try operation.steps * points(of: one))
    #expect(found == wanted, "\(operation.name): \(found) points, not \(wanted)")
  }

  /// The points that the explorer finds in one more of the operation: the first has more to do, the thread is enrolled, say.
  private func points(of operation: Operation) throws -> UInt64 {
    func points(_ count: Int) throws -> UInt64 {
      try exploreWords(memory: .sequential) {
        let operate = operation.make()
        for _ in 0..<count { operate() }
      }.steps
    }
    return try points(3) - points(2)
  }

  static let operations = [
    Operation("the engine's lock", 2) {
      let lock = Boxed.Engine()
      return { lock.lock.withLock {} }
    },
    Operation("the lock of eight bytes", 5) {
      let lock = Boxed.Core()
      return {
        lock.core.lock(.mutex)
        _ = lock.core.unlock(.mutex)
      }
    },
    Operation("the lock of four bytes", 2) {
      let lock = Boxed.Small()
      return {
        if !lock.core.lockAtOnce() { lock.core.lockSlow(.spinLock) }
        _ = lock.core.unlock(.spinLock)
      }
    },
    Operation("a reader's lock", 3) {
      let lock = ReaderWriterLock()
      return { lock.withReadLock {} }
    },
    Operation("a writer's lock", 4) {
      let lock = ReaderWriterLock()
      return { lock.withWriteLock {} }
    },
    Operation("once, again", 1) {
      let once = Boxed.Single()
      return { once.once.run {} }
    },
    Operation("a semaphore with a token", 2) {
      let semaphore = DispatchSemaphore(value: 1)
      return {
        semaphore.wait()
        semaphore.signal()
      }
    },
    Operation("a group's member", 4) {  // one reads whether items were submitted with the group
      let group = DispatchGroup()
      return {
        group.enter()
        group.leave()
      }
    },
    Operation("the end of a work item that nobody waits for", 2) { { WorkItemCompletion().finish(of: 0) } },
    Operation("a sync on a serial queue", 6) {
      let queue = DispatchQueue(label: "serial")
      return { queue.sync {} }
    },
    Operation("a sync on a concurrent queue", 6) {
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      return { queue.sync {} }
    },
    Operation("a barrier on a concurrent queue", 6) {
      let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
      return { queue.sync(flags: .barrier) {} }
    },
    Operation("an asyncAndWait on an idle queue", 9) {
      let queue = DispatchQueue(label: "serial")
      return { queue.asyncAndWait {} }
    },
  ]

  @Test("The same while instruments count it", arguments: counted)
  func countedSteps(_ operation: Operation) throws {
    Instruments.set(Instruments.counts, mask: Instruments.counts)
    defer { Instruments.set(0, mask: Instruments.counts) }
    try steps(operation)
  }

  /// Without the inlined paths. Each event that is counted reads the instruments byte twice and adds to its number: at
  /// the site, and where its subscribers are called.
  static let counted: [Operation] = {
    let steps: [UInt64] = [2, 8, 7, 10, 11, 3, 5, 8, 2, 11, 11, 11, 14]
    return zip(operations, steps).map { Operation($0.name, $1, $0.make) }
  }()
}

/// Locks that closures can share.
private enum Boxed {
  final class Engine: Sendable { let lock = UnfairLock() }
  final class Core: Sendable { let core = LockCore() }
  final class Small: Sendable { let core = SmallLockCore() }
  final class Single: Sendable { let once = Once() }
}
