// StandIns.swift: for the locks that the toolchain does not have, the nearest that it or the C library has; and what its run loops
// leave to Core Foundation.
import BenchSupport
import CoreFoundation
import Synchronization

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

// What the rows whose bodies capture an object hold: CapturingLockRows.swift.
typealias HeldMutex = NormalMutexEntry

extension BenchLock {
  @inline(__always) func withLock<R>(_ body: () -> R) -> R {
    var result: R?
    around { result = body() }
    return result!  // the body has run
  }
}

struct HeldReaderWriterLock: Sendable {
  let reading = ReadEntry(), writing = WriteEntry()
  @inline(__always) func withReadLock<R>(_ body: () -> R) -> R { reading.withLock(body) }
  @inline(__always) func withWriteLock<R>(_ body: () -> R) -> R { writing.withLock(body) }
}

final class HeldUnfairLock: Sendable {
  let mutex = Mutex<UInt64>(0)
  @inline(__always) func withLock<R: Sendable>(_ body: (inout UInt64) -> R) -> R { mutex.withLock { body(&$0) } }
  @inline(__always) func withLockIfAvailable<R: Sendable>(_ body: (inout UInt64) -> R) -> R? {
    mutex.withLockIfAvailable { body(&$0) }
  }
}

func heldUnfairLock() -> HeldUnfairLock { HeldUnfairLock() }

// SAFETY of @unchecked: `isDone` is touched under the mutex only.
final class MutexOnce: @unchecked Sendable {
  let mutex = GlibcMutex(.normal)
  var isDone = false
  @inline(__always) func run(_ body: () -> Void) {
    mutex.around {
      if !isDone { body() }
      isDone = true
    }
  }
}

final class LockOwner: Sendable {
  let condition = NormalMutexEntry(), small = NormalMutexEntry()
  let once = MutexOnce()
  let recursive = NSRecursiveLock()
}

@inline(__always) func insideObject<R>(_ owner: LockOwner, _ body: () -> R) -> R { owner.recursive.withLock(body) }

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
