// StandIns.swift: for the locks that the toolchain does not have, the nearest that it or the C library has.
import BenchSupport

typealias UnfairEntry = NormalMutexEntry
typealias SpinEntry = GlibcSpinLock
typealias MutexEntry = GlibcMutex

struct NormalMutexEntry: BenchLock {
  let mutex = GlibcMutex(.normal)
  @inline(__always) func around(_ body: () -> Void) { mutex.around(body) }
}

struct AllocatedUnfairEntry: BenchLock {
  let mutex = SwiftMutex()
  @inline(__always) func around(_ body: () -> Void) { mutex.around(body) }
}

struct ReadEntry: BenchLock {
  let lock = GlibcReaderWriterLock(.read)
  @inline(__always) func around(_ body: () -> Void) { lock.around(body) }
}

struct WriteEntry: BenchLock {
  let lock = GlibcReaderWriterLock(.write)
  @inline(__always) func around(_ body: () -> Void) { lock.around(body) }
}

struct SynchronizedEntry: BenchLock {
  let lock = NSRecursiveLock()
  @inline(__always) func around(_ body: () -> Void) {
    lock.lock()
    body()
    lock.unlock()
  }
}
