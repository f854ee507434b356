// StandIns.swift: for the locks that the toolchain does not have, the nearest that it or the C library has; and what its run loops
// leave to Core Foundation.
import BenchSupport
import CoreFoundation

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

/// How rows end and wake runs of a loop: Foundation's loop wakes for no block, and blocks end no run.
enum LoopHelp {
  static func handle() -> LoopHandle { LoopHandle(loop: CFRunLoopGetCurrent()) }
  static func endRun() { CFRunLoopStop(CFRunLoopGetCurrent()) }
}

// SAFETY of @unchecked: Core Foundation lets any thread wake a loop; the reference is counted and constant.
struct LoopHandle: @unchecked Sendable {
  let loop: CFRunLoop
  func wake() { CFRunLoopWakeUp(loop) }
}
