// ConditionLockTests.swift: the lock with a number: which thread is called for which number, and that no number waits
// for its thread.
import Glibc
import SignalboxDiagnosis
import SignalboxWaits
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxLocks

/// A lock with a number, and plain variables that only it protects.
private final class Room: @unchecked Sendable {
  // SAFETY: touched only while the lock is held, or after all threads have ended.
  let lock: ConditionLockCore
  var visits = 0
  var visitors: [Int] = []
  init(_ condition: Int) { lock = ConditionLockCore(condition: condition) }

  func enter(_ condition: Int, until deadline: LockDeadline = .never) -> Bool {
    lock.lock(when: condition, .nsConditionLock, object: 16, until: deadline, .certain)
  }
  func tryEntering(_ condition: Int) -> Bool { lock.tryLock(when: condition, .nsConditionLock, object: 16) }
  // False: the calling thread is not inside.
  @discardableResult func leave(with condition: Int) -> Bool { lock.unlock(with: condition, .nsConditionLock, object: 16) }
  @discardableResult func leave() -> Bool { lock.unlock(.nsConditionLock, object: 16) }
  var condition: Int { lock.condition }
  var isEntered: Bool { lock.lock.isHeld }

  /// How many threads are listed: 0, 1, or 2 for more.
  var waiters: Int {
    lock.waiters.guardian.withLock {
      guard let first = ConditionCore.Place(bitPattern: UInt(lock.waiters.first.load())) else { return 0 }
      return first.pointee.next == nil ? 1 : 2
    }
  }
  func callForOneAndHold() {
    lock.setCondition(1)
    lock.waiters.wake(lock.waiters.call(tag: 1))
  }
  func letGo() { lock.lock.release() }
}

@Suite("The condition lock's core") struct ConditionLockTests {
  @Test("The number is that of the last unlock that gave one")
  func number() {
    let room = Room(3)
    #expect(room.condition == 3)
    #expect(room.enter(3))
    room.leave()
    #expect(room.condition == 3)
    #expect(!room.tryEntering(-4))
    #expect(room.tryEntering(3))
    room.leave(with: -4)
    #expect(room.condition == -4)
    #expect(room.enter(-4, until: .uptime(0)))
    room.leave(with: .min)
    #expect(room.condition == .min)
  }

  @Test("A ring of threads, each waiting for its own number, goes round")
  func ring() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let room = Room(0)
      onThreads(6) { number in
        for round in 0..<500 {
          while !room.enter(number, until: round % 4 == 0 ? .after(.microseconds(40)) : .never) {}
          room.visits += 1
          room.leave(with: (number + 1) % 6)
        }
      }
      #expect(room.visits == 3_000)
    }
  }

  @Test("Several threads that wait for one number all get it, one after the other, from unlocks that keep it")
  func shared() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      for _ in 0..<50 {
        let room = Room(0)
        let threads = (0..<5).map { number in
          TestThread {
            #expect(room.enter(7))
            room.visitors.append(number)
            room.leave()
          }
        }
        #expect(room.enter(0))
        room.leave(with: 7)
        for thread in threads { thread.join() }
        #expect(room.visitors.sorted() == [0, 1, 2, 3, 4])
      }
    }
  }

  @Test("A thread that was called and gives up calls the next one, so that nobody sleeps beside a number that is there")
  func givingUp() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let room = Room(0)
      let running = Tally()
      running.add(3)
      onThreads(6) { number in
        if number < 3 {
          // These want 1, patiently: each must get it in the end.
          for _ in 0..<300 {
            #expect(room.enter(1))
            room.visits += 1
            room.leave(with: 0)
          }
          running.add(-1)
        } else if number == 3 {
          // This one leaves 1 whenever it finds 0.
          while running.value > 0 { if room.enter(0, until: .after(.milliseconds(1))) { room.leave(with: 1) } }
        } else {
          // These want 1 too, and give up at every moment there is; or get it and leave it as it was.
          while running.value > 0 { if room.enter(1, until: .after(.microseconds(number * 7))) { room.leave() } }
        }
      }
      #expect(room.visits == 900)
    }
  }

  @Test("When the thread that was called first gives up while another has the lock, the next one is called")
  func givingUpBesideAPasserBy() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let room = Room(0)
      let hasty = TestThread { #expect(!room.enter(1, until: .after(.milliseconds(200)))) }
      #expect(eventually { room.waiters == 1 })
      let patient = TestThread { #expect(room.enter(1)) }
      #expect(eventually { room.waiters == 2 })
      #expect(room.enter(0))
      // What an unlock with 1 does, and then a thread that wants 2 was faster than the one called: it sees 1, and lets
      // go of the lock to wait. It owes no thread a call.
      room.callForOneAndHold()
      hasty.join()
      room.letGo()
      patient.join()
      #expect(room.condition == 1 && room.isEntered)
    }
  }

  @Test("Only the holder can give the lock back")
  func strangers() {
    let room = Room(2)
    #expect(!room.leave())
    #expect(!room.leave(with: 5))
    #expect(room.condition == 2)
  }

  @Test("An unlock by another thread, where it is tolerated, frees the lock and calls who waits for the number")
  func strangerFrees() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let room = Room(0)
      #expect(room.enter(0))
      let waiter = TestThread { #expect(room.enter(9)) }
      TestThread { room.lock.unlockForAnybody(with: 9, .nsConditionLock) }.join()
      waiter.join()
      #expect(room.condition == 9)
      #expect(room.isEntered)
    }
  }
}
