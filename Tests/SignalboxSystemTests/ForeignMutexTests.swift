// ForeignMutexTests.swift: the C library's mutexes seen from outside: who sleeps in one and who holds it; and all the other things
// that threads sleep in and that must not be taken for one.
import Glibc
import Synchronization
import SignalboxTestSupport
import Testing

@testable import SignalboxSystem

/// C objects at a fixed place, for threads to share.
// SAFETY: memory from malloc that outlives the threads; the C library's functions are safe to call from any.
private final class CObjects: @unchecked Sendable {
  let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init(_ type: Int = Int(PTHREAD_MUTEX_NORMAL), protocol: Int32 = 0) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(type))
    pthread_mutexattr_setprotocol(&attributes, `protocol`)
    pthread_mutex_init(mutex, &attributes)
    pthread_cond_init(condition, nil)
    sem_init(semaphore, 0, 0)
    pthread_rwlock_init(lock, nil)
  }

  var address: UInt { UInt(bitPattern: mutex) }
}

/// A thread that says who it is, does something that sleeps, and is joined after that was ended.
private struct Sleeper {
  let number = SharedNumber()
  let thread: TestThread
  init(_ body: @escaping @Sendable () -> Void) {
    let number = number
    thread = TestThread {
      number.value.storeRelease(UInt64(ThreadSlot.kernelID()))
      body()
    }
  }
  var id: Int32 { Int32(number.value.loadAcquire()) }
  /// Waits until the thread sleeps in a futex.
  func isInFutex() -> Bool { eventually { id != 0 && KernelCall(of: id)?.number == ForeignMutex.Wait.futex } }
}

@Suite("The C library's mutexes seen from outside") struct ForeignMutexTests {
  @Test(
    "A sleeper's mutex names its holder, whatever its kind",
    arguments: [
      (Int(PTHREAD_MUTEX_NORMAL), .normal), (Int(PTHREAD_MUTEX_RECURSIVE), .recursive),
      (Int(PTHREAD_MUTEX_ERRORCHECK), .errorCheck), (3, .adaptive),
    ] as [(Int, ForeignMutex.Kind)])
  func kinds(type: Int, kind: ForeignMutex.Kind) {
    let objects = CObjects(type)
    pthread_mutex_lock(objects.mutex)
    let sleeper = Sleeper {
      pthread_mutex_lock(objects.mutex)
      pthread_mutex_unlock(objects.mutex)
    }
    #expect(sleeper.isInFutex())
    let found = ForeignMutex.awaited(by: sleeper.id)
    #expect(found?.address == objects.address && found?.owner == ThreadSlot.kernelID() && found?.kind == kind)
    #expect(ForeignMutex.awaited(by: ThreadSlot.kernelID()) == nil, "the holder runs")
    pthread_mutex_unlock(objects.mutex)
    sleeper.thread.join()
    #expect(ForeignMutex.awaited(by: sleeper.id) == nil)
  }

  @Test("A mutex with priority inheritance names its holder")
  func inheriting() {
    let objects = CObjects(protocol: Int32(PTHREAD_PRIO_INHERIT))
    pthread_mutex_lock(objects.mutex)
    let sleeper = Sleeper {
      pthread_mutex_lock(objects.mutex)
      pthread_mutex_unlock(objects.mutex)
    }
    #expect(sleeper.isInFutex())
    let found = ForeignMutex.awaited(by: sleeper.id)
    #expect(found?.address == objects.address && found?.owner == ThreadSlot.kernelID())
    #expect(found?.kind == .priorityInheriting)
    pthread_mutex_unlock(objects.mutex)
    sleeper.thread.join()
  }

  @Test("The holder of Swift's own mutex is known by its word, which the kernel keeps")
  func swiftsMutex() {
    final class Shared: Sendable { let mutex = Mutex(()) }
    let shared = Shared()
    shared.mutex._unsafeLock()
    let sleeper = Sleeper { shared.mutex.withLock { _ in } }
    #expect(sleeper.isInFutex())
    let found = ForeignMutex.awaited(by: sleeper.id)
    #expect(found?.owner == ThreadSlot.kernelID() && found?.kind == .priorityInheriting)
    shared.mutex._unsafeUnlock()
    sleeper.thread.join()
  }

  @Test("A wait with a timeout is not taken for a wait forever")
  func timed() {
    let objects = CObjects()
    pthread_mutex_lock(objects.mutex)
    let sleeper = Sleeper {
      var end = Glibc.timespec()
      clock_gettime(CLOCK_REALTIME, &end)
      end.tv_sec += Int(patience)
      pthread_mutex_timedlock(objects.mutex, &end)
      pthread_mutex_unlock(objects.mutex)
    }
    #expect(sleeper.isInFutex())
    #expect(ForeignMutex.awaited(by: sleeper.id) == nil)
    pthread_mutex_unlock(objects.mutex)
    sleeper.thread.join()
  }

  @Test("Conditions are no mutexes")
  func conditions() {
    let (objects, stop) = (CObjects(), SharedWord())
    let sleepers = (0..<3).map { _ in
      Sleeper {
        pthread_mutex_lock(objects.mutex)
        while stop.value.loadAcquire() == 0 { pthread_cond_wait(objects.condition, objects.mutex) }
        pthread_mutex_unlock(objects.mutex)
      }
    }
    // Signals without effect bring the condition's counters into other states.
    for _ in 0..<6 {
      #expect(sleepers.allSatisfy { $0.isInFutex() })
      #expect(sleepers.allSatisfy { ForeignMutex.awaited(by: $0.id) == nil })
      pthread_mutex_lock(objects.mutex)
      pthread_cond_signal(objects.condition)
      pthread_mutex_unlock(objects.mutex)
    }
    pthread_mutex_lock(objects.mutex)
    stop.value.storeRelease(1)
    pthread_cond_broadcast(objects.condition)
    pthread_mutex_unlock(objects.mutex)
    for sleeper in sleepers { sleeper.thread.join() }
  }

  @Test("A thread that was woken from a condition waits for its mutex")
  func conditionsMutex() {
    let (objects, stop) = (CObjects(), SharedWord())
    let sleeper = Sleeper {
      pthread_mutex_lock(objects.mutex)
      while stop.value.loadAcquire() == 0 { pthread_cond_wait(objects.condition, objects.mutex) }
      pthread_mutex_unlock(objects.mutex)
    }
    #expect(sleeper.isInFutex())
    pthread_mutex_lock(objects.mutex)
    stop.value.storeRelease(1)
    pthread_cond_signal(objects.condition)
    #expect(eventually { ForeignMutex.awaited(by: sleeper.id)?.owner == ThreadSlot.kernelID() })
    pthread_mutex_unlock(objects.mutex)
    sleeper.thread.join()
  }

  @Test("Semaphores and words of our own are no mutexes")
  func semaphoresAndOurs() {
    let (objects, word) = (CObjects(), SharedWord(2))
    let waiting = Sleeper { while sem_wait(objects.semaphore) != 0 {} }
    let parked = Sleeper { while word.value.loadAcquire() == 2 { _ = word.park(expected: 2) } }
    #expect(waiting.isInFutex() && parked.isInFutex())
    #expect(ForeignMutex.awaited(by: waiting.id) == nil)
    #expect(ForeignMutex.awaited(by: parked.id) == nil)
    sem_post(objects.semaphore)
    word.value.storeRelease(0)
    _ = word.wake()
    waiting.thread.join()
    parked.thread.join()
  }

  @Test("Reader-writer locks are no mutexes, for readers and for writers")
  func readerWriter() {
    let objects = CObjects()
    pthread_rwlock_wrlock(objects.lock)
    let all = [
      Sleeper {
        pthread_rwlock_rdlock(objects.lock)
        pthread_rwlock_unlock(objects.lock)
      },
      Sleeper {
        pthread_rwlock_wrlock(objects.lock)
        pthread_rwlock_unlock(objects.lock)
      },
      Sleeper {
        pthread_rwlock_wrlock(objects.lock)
        pthread_rwlock_unlock(objects.lock)
      },
    ]
    #expect(all.allSatisfy { $0.isInFutex() })
    #expect(all.allSatisfy { ForeignMutex.awaited(by: $0.id) == nil })
    pthread_rwlock_unlock(objects.lock)
    for sleeper in all { sleeper.thread.join() }
  }

  @Test("A mutex whose holder has ended is held by nobody")
  func endedHolder() {
    let objects = CObjects()
    TestThread { pthread_mutex_lock(objects.mutex) }.join()
    let sleeper = Sleeper {
      pthread_mutex_lock(objects.mutex)
      pthread_mutex_unlock(objects.mutex)
    }
    #expect(sleeper.isInFutex())
    #expect(ForeignMutex.awaited(by: sleeper.id) == nil)
    pthread_mutex_unlock(objects.mutex)  // a normal mutex asks for no name
    sleeper.thread.join()
  }

  @Test("Where the kernel does not say who holds a mutex, nothing is claimed")
  func nothingIsClaimed() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let objects = CObjects()
      pthread_mutex_lock(objects.mutex)
      let sleeper = Sleeper { pthread_mutex_lock(objects.mutex) }
      #expect(sleeper.isInFutex())
      // Giving up rights makes a process non-dumpable: its files in /proc are root's from then on.
      guard getuid() == 0 else { exit(0) }
      #expect(ForeignMutex.awaited(by: sleeper.id) != nil)
      #expect(setgid(65534) == 0 && setuid(65534) == 0)
      #expect(KernelCall(of: sleeper.id) == nil)
      #expect(ForeignMutex.awaited(by: sleeper.id) == nil)
      exit(0)
    }
  }

  // MARK: pure

  @Test("The kernel's line is read, and what is no call is none")
  func lines() {
    func call(_ text: String) -> KernelCall? { KernelCall(line: Array(text.utf8)) }
    let line = "202 0x7f00 0x80 0x2 0x0 0x0 0xffffffff 0x7ffd10 0x7f12\n"
    #expect(
      call(line)
        == KernelCall(
          number: 202, arguments: [0x7f00, 0x80, 2, 0, 0, 0xffff_ffff], stackPointer: 0x7ffd10, programCounter: 0x7f12))
    for text in ["running\n", "-1 0x7ffd10 0x7f12\n", "", "202 0x1\n", "202 1 2 3 4 5 6 7 8\n"] { #expect(call(text) == nil) }
  }

  @Test("Of futex calls only an untimed wait for a contended mutex counts")
  func calls() {
    func wait(_ operation: UInt, _ value: UInt, timeout: UInt = 0, number: Int = ForeignMutex.Wait.futex) -> Bool {
      ForeignMutex.Wait(KernelCall(number: number, arguments: [0x1000, operation, value, timeout, 0, 0])) != nil
    }
    #expect(wait(0, 2) && wait(128, 2) && wait(6, 0) && wait(128 | 13, 0))
    #expect(wait(128, 0xdead_0000_0000_0002), "an int's register")
    #expect(!wait(128, 1) && !wait(128, 0) && !wait(128, 2, timeout: 0x7ffd) && !wait(128 | 6, 0, timeout: 0x7ffd))
    #expect(!wait(9, 2) && !wait(128 | 9, 2) && !wait(128 | 256, 2) && !wait(1, 2) && !wait(11, 2) && !wait(7, 2))
    #expect(!wait(128, 2, number: 0))
  }

  @Test("Memory that is not laid out like a held mutex is not taken for one")
  func words() {
    func read(_ lock: UInt64, count: UInt64 = 0, owner: UInt64, users: UInt64 = 1, kind: UInt32 = 0) -> ForeignMutex? {
      ForeignMutex(0x1000, lock | count << 32, owner | users << 32, kind: kind)
    }
    #expect(read(2, owner: 7)?.owner == 7)
    #expect(read(2, owner: 7, kind: 256)?.kind == .normal)
    #expect(read(2, count: 3, owner: 7, kind: 1)?.kind == .recursive)
    #expect(read(1, owner: 7) == nil && read(0, owner: 7) == nil && read(2, owner: 0) == nil)
    #expect(read(2, owner: 1 << 31) == nil)
    #expect(read(2, owner: 7, users: 0) == nil && read(2, owner: 7, users: 0x7f00_0000) == nil)
    #expect(read(2, count: 1, owner: 7) == nil && read(2, owner: 7, kind: 1) == nil)
    #expect(read(2, owner: 7, kind: 16) == nil && read(2, owner: 7, kind: 4) == nil, "robust, unknown")
    #expect(ForeignMutex(0x1000, inheriting: 0x8000_0007)?.owner == 7)
    #expect(ForeignMutex(0x1000, inheriting: 0x4000_0007) == nil && ForeignMutex(0x1000, inheriting: 0x8000_0000) == nil)
  }
}
