// GateTests.swift: who sleeps for a lock or for a queue's turn is woken, whichever way the one before goes: to items that came
// later, or without having got anything. Whoever is forgotten sleeps until its patience has run out, so time stands still, or is read.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxDispatch
@testable import SignalboxLocks
@testable import SignalboxWords

@Suite(.serialized) struct GateTests {
  init() { LockTuning.rounds = 0 }

  @Test("A thread asleep at a queue's gate is woken when the queue goes to an item that came after it")
  func gateBeforeItems() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number()
      race(
        {
          queue.sync {
            number.add()
            queue.async { number.add() }
          }
        }, { queue.sync { number.add() } })
      try queue.sync { try number.expect(3) }
    }
  }

  /// How a thread comes to wait for an answer.
  enum Wait: CaseIterable { case spinsFirst, sleeps, isRecorded }

  @Test("Who is answered sees what the answering thread did, all schedules", arguments: Wait.allCases)
  func answered(_ wait: Wait) throws {
    try expectAll(weaker: [.releases, .acquires, .wakes]) {
      let box = AnswerBox(), queue = DispatchQueue(label: "queue"), number = Number(), saw = Saw()
      race(
        {
          number.add()
          withUnsafePointer(to: box.answer.word) { AnswerWord.answer($0) }
        },
        {
          switch wait {
          case .spinsFirst: box.answer.wait(for: queue, .sync)
          case .sleeps: box.answer.sleep { QueueWaits.begin(.sync, queue, park: $0) }
          case .isRecorded: box.answer.waitRecorded()
          }
          saw.values = [number.read()]
        })
      try require(saw.values == [1], "\(saw.values)")
    }
  }

  @Test("Two threads asleep at a queue's gate are woken, though items come meanwhile")
  func gateOfTwo() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number()
      race(
        { queue.sync { queue.async { number.add() } } }, { queue.sync { number.add() } }, { queue.sync { number.add() } })
      try queue.sync { try number.expect(3) }
    }
  }

  @Test("Threads that sync on a queue inside another one take turns", arguments: [false, true])
  func nested(isConcurrent: Bool) throws {
    try expectSome {
      let outer = DispatchQueue(label: "outer"), number = Number()
      let inner = DispatchQueue(label: "inner", attributes: isConcurrent ? .concurrent : [], target: outer)
      let visit: @Sendable () -> Void = { inner.sync(flags: .barrier) { number.add() } }
      race(visit, visit, { outer.sync { number.add() } })
      try number.expect(3)
    }
  }

  @Test("Readers that come and go at a queue inside another one, and an item, leave nobody behind")
  func nestedReaders() throws {
    try expectSome {
      let outer = DispatchQueue(label: "outer", attributes: .concurrent), number = Number()
      let inner = DispatchQueue(label: "inner", attributes: .concurrent, target: outer)
      race(
        { inner.sync {} }, { inner.sync(flags: .barrier) { number.add() } },
        {
          inner.async(flags: .barrier) { number.add() }
          inner.sync {}
        })
      try inner.sync(flags: .barrier) { try number.expect(2) }
    }
  }

  /// What a thread does whose patience at the gate has run out: it asks to be the next, and adds one in its turn.
  private static func insist(_ queue: DispatchQueue, _ number: Number) {
    guard queue.insist(ThreadSlot.owner()) else { return queue.sync { number.add() } }
    number.add()
    queue.leaveAlone(ThreadSlot.current)
  }

  @Test("A thread that insists gets the queue from the owner that goes, and sees what that one wrote, all schedules")
  func insistent() throws {
    try expectAll {
      let queue = DispatchQueue(label: "queue"), number = Number()
      race({ queue.sync { number.add() } }, { Self.insist(queue, number) })
      try number.expect(2)
    }
  }

  @Test("The record of a thread that insists is whole for the owner that goes, all schedules")
  func insistentRecord() throws {
    try expectAll {
      let queue = DispatchQueue(label: "queue"), number = Number()
      touch(queue)
      // The first thread stands for an owner that goes without having read the word before, as a drain does.
      queue.set { $0.with(QueueState.owner, ThreadSlot.owner()).with(QueueState.exclusive, 1) }
      race(
        {
          number.add()
          queue.releaseAndRecheck(queue.itemsOfOwnTurn())
        }, { Self.insist(queue, number) })
      try number.expect(2)
    }
  }

  @Test("Of two threads that insist one gets the queue at once, and the other later")
  func insistentOfTwo() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number()
      let insist: @Sendable () -> Void = { Self.insist(queue, number) }
      race({ queue.sync { number.add() } }, insist, insist)
      try number.expect(3)
    }
  }

  @Test("A thread that insists, and an item that comes meanwhile")
  func insistentBeforeItems() throws {
    try expectSome {
      let queue = DispatchQueue(label: "queue"), number = Number()
      race(
        {
          queue.sync {
            number.add()
            queue.async { number.add() }
          }
        }, { Self.insist(queue, number) })
      try queue.sync { try number.expect(3) }
    }
  }

  @Test("A thread that gives up a lock hands on the wake that it may have used up")
  func givenUp() throws {
    LockTuning.patience = 3_600_000_000_000
    defer { LockTuning.patience = 10_000_000 }
    try expectSome(isStill: false) {
      let lock = GateLock(), number = Number(), began = Clock.uptime()
      race(
        {
          lock.core.lock(.mutex)
          number.add()
          _ = lock.core.unlock(.mutex)
        },
        {
          guard lock.core.lock(.mutex, until: .uptime(Clock.uptime() + 1_000)) else { return }
          _ = lock.core.unlock(.mutex)
        },
        {
          lock.core.lock(.mutex)
          number.add()
          _ = lock.core.unlock(.mutex)
        })
      try number.expect(2)
      try require(Clock.uptime() - began < 1_800_000_000_000, "a thread slept until its patience had run out")
    }
  }
}

private final class AnswerBox: Sendable { let answer = AnswerWord() }
private final class GateLock: Sendable { let core = LockCore() }
