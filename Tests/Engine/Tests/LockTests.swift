// LockTests.swift: the locks' words: whoever holds a lock sees what the last holder wrote, no two hold it, nobody is left asleep.
import SignalboxExplore
import SignalboxSystem
import Testing

@testable import SignalboxLocks
@testable import SignalboxWords

/// What a lock guards: read and written without any order of its own.
final class Guarded: Sendable {
  private let number = Atomic64(0)
  private let inside = Atomic64(0)
  private let failures = Atomic64(0)

  /// Adds one, in two steps between which nobody else may come.
  func add() {
    // relaxed, all of them: the lock orders them
    if inside.exchangeAcqRel(1) != 0 { _ = failures.addRelaxed(1) }
    number.storeRelaxed(number.loadRelaxed() + 1)
    inside.storeRelaxed(0)
  }
  func read() -> UInt64 { number.loadRelaxed() }

  func expect(_ count: UInt64) throws {
    try require(failures.loadRelaxed() == 0, "two threads were inside at once")
    try require(number.loadRelaxed() == count, "the number is \(number.loadRelaxed()), not \(count): a write was not seen")
  }
}

/// What is guarded, without a check of its own that costs schedules.
final class Number: Sendable {
  private let number = Atomic64(0)
  func add() { number.storeRelaxed(number.loadRelaxed() + 1) }  // relaxed: the lock orders it
  func read() -> UInt64 { number.loadRelaxed() }  // relaxed: as above
  func expect(_ count: UInt64) throws {
    try require(
      read() == count, "the number is \(read()), not \(count): a write was not seen, or two threads were inside at once")
  }
}

@Suite(.serialized) struct LockTests {
  init() { LockTuning.rounds = 0 }  // no spinning, and no doze, which only its own limit ends

  @Test("The engine's lock: two threads, all schedules")
  func unfairLock() throws {
    try expectAll(weaker: [.releases, .acquires, .wakes]) {
      let lock = LockBox(), number = Number()
      race({ lock.lock.withLock { number.add() } }, { lock.lock.withLock { number.add() } })
      try number.expect(2)
    }
  }

  @Test("The engine's lock: three threads in sequential memory, all schedules")
  func unfairLockThree() throws {
    try expectAll(memory: .sequential) {
      let lock = LockBox(), number = Number()
      let visit: @Sendable () -> Void = { lock.lock.withLock { number.add() } }
      race(visit, visit, visit)
      try number.expect(3)
    }
  }

  @Test("A lock whose release is relaxed is found")
  func weakUnlock() {
    expectFailure(.error) {
      let lock = WeakLock(), number = Number()
      let visit: @Sendable () -> Void = {
        while !lock.word.casAcquire(0, 1).exchanged {}
        number.add()
        lock.word.storeRelaxed(0)
      }
      race(visit, visit)
      try number.expect(2)
    }
  }

  @Test("A lock that forgets its sleepers is found")
  func forgetfulLock() {
    expectFailure(.deadlock) {
      let lock = WeakLock(), number = Number()
      let visit: @Sendable () -> Void = {
        // Who has slept takes the lock as 1: that others may sleep is forgotten.
        if !lock.word.casAcquire(0, 1).exchanged {
          while lock.word.loadRelaxed() != 0 || !lock.word.casAcquire(0, 1).exchanged {
            _ = lock.word.casRelaxed(1, 2)
            lock.word.parkBriefly(expected: 2)
          }
        }
        number.add()
        if lock.word.exchangeAcqRel(0) == 2 { lock.word.wake() }
      }
      race(visit, visit, visit)
    }
  }

  @Test("The lock of eight bytes: two threads, all schedules")
  func lockCore() throws {
    try expectAll(weaker: [.releases, .acquires, .barriers, .wakes]) {
      let lock = CoreBox(), number = Number()
      let visit: @Sendable () -> Void = {
        lock.core.lock(.mutex)
        number.add()
        _ = lock.core.unlock(.mutex)
      }
      race(visit, visit)
      try number.expect(2)
      try require(lock.core.word.loadRelaxed() == 0 && lock.core.crowd.hint().rawValue % CrowdState.ticket == 0, "not at rest")
    }
  }

  @Test("The lock of eight bytes: three threads")
  func lockCoreThree() throws {
    try expectSome {
      let lock = CoreBox(), number = Number()
      let visit: @Sendable () -> Void = {
        lock.core.lock(.mutex)
        number.add()
        _ = lock.core.unlock(.mutex)
      }
      race(visit, visit, visit)
      try number.expect(3)
    }
  }

  @Test("The lock of eight bytes without the sleeper's barrier of all threads is found")
  func lockCoreWithoutBarrier() {
    expectFailure(.deadlock, orOtherwise: true) {
      let lock = CoreBox()
      race(
        {
          lock.core.lock(.mutex)
          _ = lock.core.unlock(.mutex)
        },
        {
          // The steps of `announceAndPark` but for the barrier.
          let me = UInt32(ThreadSlot.owner())
          while !lock.core.swapIn(me) {
            let announced = lock.core.crowd.change { $0.afterAnnounce(.fresh) }
            if lock.core.swapIn(me) { return }
            lock.core.crowd.word.park(expected: announced.rawValue)
          }
        })
    }
  }

  @Test("The lock of four bytes: two threads, all schedules")
  func smallLockCore() throws {
    try expectAll(weaker: [.releases, .acquires, .wakes]) {
      let lock = SmallBox(), number = Number()
      let visit: @Sendable () -> Void = {
        if !lock.core.lockAtOnce() { lock.core.lockSlow(.spinLock) }
        number.add()
        _ = lock.core.unlock(.spinLock)
      }
      race(visit, visit)
      try number.expect(2)
      try require(lock.core.state.hint() == .free, "not at rest")
    }
  }

  @Test("The lock of four bytes: three threads")
  func smallLockCoreThree() throws {
    try expectSome {
      let lock = SmallBox(), number = Number()
      let visit: @Sendable () -> Void = {
        if !lock.core.lockAtOnce() { lock.core.lockSlow(.spinLock) }
        number.add()
        _ = lock.core.unlock(.spinLock)
      }
      race(visit, visit, visit)
      try number.expect(3)
    }
  }

  @Test("Whoever gets a lock of four bytes may free its memory")
  func smallLockFreed() throws {
    try expectAll {
      let lock = UnsafeMutablePointer<SmallLockCore>.allocate(capacity: 1)
      lock.initialize(to: SmallLockCore())
      let place = Place(UInt(bitPattern: lock)), visits = Number()
      let visit: @Sendable () -> Void = {
        let lock = UnsafeMutablePointer<SmallLockCore>.at(place.address)
        if !lock.pointee.lockAtOnce() { lock.pointee.lockSlow(.spinLock) }
        visits.add()
        let isLast = visits.read() == 2
        _ = lock.pointee.unlock(.spinLock)
        if isLast { lock.deallocate() }
      }
      race(visit, visit)
    }
  }

  @Test("A reader and a writer, all schedules")
  func readerWriter() throws {
    try expectAll {
      let lock = ReaderWriterLock(), number = Number(), saw = Saw()
      race(
        { lock.withWriteLock { number.add() } }, { saw.values = [lock.withReadLock { number.read() }] })
      try number.expect(1)
      try require(saw.values[0] <= 1, "the reader saw \(saw.values)")
    }
  }

  @Test("Two writers, all schedules")
  func writers() throws {
    try expectAll(weaker: [.releases, .acquires]) {
      let lock = ReaderWriterLock(), number = Number()
      race({ lock.withWriteLock { number.add() } }, { lock.withWriteLock { number.add() } })
      try number.expect(2)
    }
  }

  @Test("Two writers and a reader")
  func writersAndReader() throws {
    try expectSome(weaker: [.releases, .acquires, .wakes]) {
      let lock = ReaderWriterLock(), number = Number(), saw = Saw()
      race(
        { lock.withWriteLock { number.add() } }, { lock.withWriteLock { number.add() } },
        { saw.values = [lock.withReadLock { number.read() }, lock.withReadLock { number.read() }] })
      try number.expect(2)
      try require(saw.values[0] <= saw.values[1], "the reader saw \(saw.values)")
    }
  }

  /// One waits until a word is written, the other writes it and signals.
  private let signalledOnce: @Sendable () throws -> Void = {
    let hall = Hall()
    race(
      {
        hall.condition.withLock {
          hall.ready.storeRelaxed(1)
          hall.condition.signal()
        }
      }, { hall.condition.withLock { while hall.ready.loadRelaxed() == 0 { hall.condition.wait() } } })
  }

  @Test("A condition: what is signalled is not lost, in sequential memory")
  func condition() throws {
    try expectAll(memory: .sequential, mustEnd: false, signalledOnce)
  }

  @Test("A condition: what is signalled is not lost")
  func conditionSampled() throws {
    try expectSome(weaker: [.releases, .acquires, .barriers, .wakes], signalledOnce)
  }

  @Test("A condition: two wait, one broadcasts")
  func broadcast() throws {
    try expectSome {
      let hall = Hall()
      let wait: @Sendable () -> Void = {
        hall.condition.withLock { while hall.ready.loadRelaxed() == 0 { hall.condition.wait() } }
      }
      race(
        wait, wait,
        {
          hall.condition.withLock { hall.ready.storeRelaxed(1) }
          hall.condition.broadcast()
        })
    }
  }

  @Test("A condition that is signalled before its word is written is found")
  func conditionTooEarly() {
    expectFailure(.deadlock) {
      let hall = Hall()
      race(
        {
          hall.condition.signal()
          hall.condition.withLock { hall.ready.storeRelaxed(1) }
        }, { hall.condition.withLock { while hall.ready.loadRelaxed() == 0 { hall.condition.wait() } } })
    }
  }

  @Test("Once: it runs once, and both see what it wrote, all schedules")
  func once() throws {
    try expectAll(weaker: [.releases, .acquires, .wakes]) {
      let once = OnceBox(), number = Number(), saw = [Saw(), Saw()]
      race(
        {
          once.once.run { number.add() }
          saw[0].values = [number.read()]
        },
        {
          once.once.run { number.add() }
          saw[1].values = [number.read()]
        })
      try require(saw.allSatisfy { $0.values == [1] }, "\(saw.map(\.values))")
    }
  }

  @Test("Once: three threads")
  func onceThree() throws {
    try expectSome {
      let once = OnceBox(), number = Number(), saw = [Saw(), Saw(), Saw()]
      race(
        {
          once.once.run { number.add() }
          saw[0].values = [number.read()]
        },
        {
          once.once.run { number.add() }
          saw[1].values = [number.read()]
        },
        {
          once.once.run { number.add() }
          saw[2].values = [number.read()]
        })
      try require(saw.allSatisfy { $0.values == [1] }, "\(saw.map(\.values))")
    }
  }
}

private final class LockBox: Sendable { let lock = UnfairLock() }
private final class WeakLock: Sendable { let word = Atomic32(0) }
private final class CoreBox: Sendable { let core = LockCore() }
private final class SmallBox: Sendable { let core = SmallLockCore() }
private final class OnceBox: Sendable { let once = Once() }
private final class Hall: Sendable {
  let condition = ConditionVariable()
  let ready = Atomic64(0)
}
/// Where something is.
private struct Place: Sendable {
  let address: UInt
  init(_ address: UInt) { self.address = address }
}
