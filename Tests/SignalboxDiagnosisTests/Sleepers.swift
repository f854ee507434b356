// Sleepers.swift: threads that sleep in mutexes and locks, for the tests of what scans them.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Kills this process after `seconds`, so that a hang in a child process becomes a failure.
func killOnHang(after seconds: UInt64 = 500) { alarm(UInt32(seconds)) }

/// A mutex of the C library.
// SAFETY: memory from malloc that is never freed; the C library's functions are safe to call from any thread.
struct ForeignLock: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  init() { pthread_mutex_init(mutex, nil) }
  var address: UInt { UInt(bitPattern: mutex) }
  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
  func lock(seconds: Int) {
    var end = Glibc.timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    end.tv_sec += seconds
    pthread_mutex_timedlock(mutex, &end)
  }
  /// Waits in a condition forever, the mutex held before and after.
  func waitInCondition() {
    let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    pthread_cond_init(condition, nil)
    while true { pthread_cond_wait(condition, mutex) }
  }
}

/// A lock of ours that many threads can reach.
final class OwnLock: Sendable {
  let core = LockCore()
  func lock() { core.lock(.unfairLock) }
  func unlock() { _ = core.unlock(.unfairLock) }
}

/// A count that threads share.
final class Tally: Sendable {
  private let number = Atomic64(0)
  func add() { _ = number.addSeqCst(1) }
  var value: UInt64 { number.loadSeqCst() }
}

/// A gate that threads pass once it is open.
final class Gate: Sendable {
  private let word = Atomic32(0)
  func open() {
    word.storeRelease(1)
    word.wake(count: .max)
  }
  func pass() { while word.loadAcquire() == 0 { word.park(expected: 0) } }
}

/// A thread of a child process, which ends with it: it takes what it is to hold, says so, and sleeps forever once it is let.
final class Actor: Sendable {
  private let number = Atomic64(0)
  private let isReady = Atomic32(0)

  init(holds: @escaping @Sendable () -> Void = {}, after gate: Gate? = nil, sleeps: @escaping @Sendable () -> Void) {
    do {
      try Threads.spawn {
        holds()
        self.number.storeRelease(UInt64(ThreadSlot.kernelID()))
        gate?.pass()
        sleeps()
        Gate().pass()  // what was to sleep forever has come back: sleep where nobody is waited for
      }
    } catch { fatalError("no thread for a test: \(error)") }
    precondition(eventually { number.loadAcquire() != 0 })
  }

  var id: Int32 { Int32(number.loadAcquire()) }

  /// Waits until the kernel shows the thread asleep without having run for a moment.
  func isAsleep() -> Bool {
    eventually {
      let before = KernelThread.switches(id)
      guard before != nil, KernelThread.sample(UInt64(id))?.isWaiting == true else { return false }
      sleepPlainly(milliseconds: 2)  // the moment in which it must not run
      return KernelThread.switches(id) == before
    }
  }
  /// Waits until the thread has left a wait record.
  func isRecorded() -> Bool {
    eventually { ThreadTable.entry(thread: id).map { WaitRecord.isWaiting($0.owner) } == true }
  }
  /// Waits until the thread sleeps in a mutex of the C library.
  func isInMutex() -> Bool { eventually { ForeignMutex.awaited(by: id) != nil } }
}
