// main.swift: a program with locks and no queues, to be recorded: a thread waits for a lock that the main thread holds.
import Glibc
import SignalboxLocks
import SignalboxSystem

enum Shared {
  static let lock = MutexLock(name: "alone")
  /// The thread that waits; 0 before it has begun.
  static let waiter = Atomic64(0)

  static func wait() {
    waiter.storeRelease(UInt64(ThreadSlot.kernelID()))  // release: read by the main thread
    lock.lock()
    lock.unlock()
  }
}

nonisolated func waitingThread(_ nothing: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  Shared.wait()
  return nil
}

Shared.lock.lock()
var thread = pthread_t()
pthread_create(&thread, nil, waitingThread, nil)
// The event is the kernel's: there is nothing to wait for. acquire: pairs with the release there
while KernelThread.sample(Shared.waiter.loadAcquire())?.isWaiting != true { usleep(1000) }
Shared.lock.unlock()
pthread_join(thread, nil)
