// Subject.swift: this half of the lock rows runs on Signalbox. The other files here are compiled a second time, on the
// toolchain's Foundation, in LockRowsToolchain, where StandIns.swift has what the toolchain lacks.
import BenchSupport
@_exported import SignalboxFoundation

// SAFETY of @unchecked: the word is touched by the lock's own functions only; it lives until the last reference is gone.
/// A word in memory of its own, as the C-style locks need it.
final class LockWord<Word>: @unchecked Sendable {
  let address: UnsafeMutablePointer<Word>
  init(_ value: Word) {
    address = .allocate(capacity: 1)
    address.initialize(to: value)
  }
  deinit { address.deallocate() }
}

struct UnfairEntry: BenchLock {
  let word = LockWord(os_unfair_lock_s())
  @inline(__always) func around(_ body: () -> Void) {
    os_unfair_lock_lock(word.address)
    body()
    os_unfair_lock_unlock(word.address)
  }
}

struct AllocatedUnfairEntry: BenchLock {
  let lock = OSAllocatedUnfairLock()
  @inline(__always) func around(_ body: () -> Void) { lock.withLockUnchecked(body) }
}

@available(*, deprecated, message: "measured because programs still have it")
struct SpinEntry: BenchLock {
  let word = LockWord(OS_SPINLOCK_INIT)
  @inline(__always) func around(_ body: () -> Void) {
    OSSpinLockLock(word.address)
    body()
    OSSpinLockUnlock(word.address)
  }
}

struct MutexEntry: BenchLock {
  let lock: MutexLock
  init(_ kind: GlibcMutex.Kind) {
    lock = MutexLock(kind: kind == .recursive ? .recursive : kind == .errorCheck ? .errorCheck : .normal)
  }
  @inline(__always) func around(_ body: () -> Void) {
    lock.lock()
    body()
    lock.unlock()
  }
}

struct ReadEntry: BenchLock {
  let lock = ReaderWriterLock()
  @inline(__always) func around(_ body: () -> Void) {
    lock.readLock()
    body()
    lock.readUnlock()
  }
}

struct WriteEntry: BenchLock {
  let lock = ReaderWriterLock()
  @inline(__always) func around(_ body: () -> Void) {
    lock.writeLock()
    body()
    lock.writeUnlock()
  }
}

struct SynchronizedEntry: BenchLock {
  final class Target: Sendable {}
  let object = Target()
  @inline(__always) func around(_ body: () -> Void) { synchronized(object) { body() } }
}

// What the rows whose bodies capture an object hold: CapturingLockRows.swift.
typealias HeldMutex = MutexLock
typealias HeldReaderWriterLock = ReaderWriterLock
typealias HeldUnfairLock = OSAllocatedUnfairLock<UInt64>

func heldUnfairLock() -> HeldUnfairLock { HeldUnfairLock(initialState: 0) }

/// What has locks that are no objects.
final class LockOwner: Sendable {
  let condition = ConditionVariable()
  let small = UnfairLock()
  let once = Once()
}

@inline(__always) func insideObject<R>(_ owner: LockOwner, _ body: () -> R) -> R { synchronized(owner, body) }

/// What Signalbox's statistics see of the lock that is taken most often.
public func lockCounter() -> LockCounter {
  LockCounter {
    LockStatistics.start()
  } stop: {
    LockStatistics.stop()
    guard let usage = LockStatistics.snapshot().max(by: { $0.acquisitions < $1.acquisitions }) else { return nil }
    return LockContention(
      acquisitions: Int(usage.acquisitions), contended: Int(usage.contended),
      longestWaitNanoseconds: Double(usage.longestWait), holder: usage.longestHolder?.threadName)
  }
}

/// How rows end and wake runs of a loop, where the two libraries differ: here a block that is left with a loop does both.
enum LoopHelp {
  /// What `wake` needs, from the loop's thread.
  static func handle() -> LoopHandle { LoopHandle() }
  /// Has the run under way on this thread return, once what is due was served.
  static func endRun() { RunLoop.current.perform {} }
}

/// A loop that wakes by itself.
struct LoopHandle: Sendable {
  func wake() {}
}
