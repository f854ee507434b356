// ReaderWriterLock.swift: many readers or one writer: taking it and giving it back. Sleeping is ReaderWriterLock+Wait.swift.
public import SignalboxWaits
public import SignalboxSystem
import SignalboxWords

/// A lock that many threads can hold for reading at the same time, or one thread for writing.
///
/// Neither readers nor writers starve. While a writer waits, new readers wait behind it. When a writer unlocks, all readers
/// waiting by then go before the next writer. Among writers the order is not fair, but after ten milliseconds of waiting the
/// lock is reserved for that writer. A thread that already reads may read again even while a writer waits; this works for the
/// first eight read locks that a thread holds at one time, where a parallel loop counts as one.
///
/// A thread that asks to write while it reads or writes, or that unlocks a lock it does not hold, is stopped with a message. No
/// system call and no allocation while threads do not compete.
///
/// ```swift
/// let lock = ReaderWriterLock(name: "prices")
/// nonisolated(unsafe) var prices = ["tea": 3]  // guarded by `lock`
/// lock.withWriteLock { prices["coffee"] = 4 }  // alone
/// async let count = lock.withReadLock { prices.count }  // beside other readers
/// print(await count)  // 2
/// print(lock.name ?? "no name", lock.isWriteLockedByCurrentThread)  // prices false
/// ```
///
/// - Note: Thread safety: any thread. The lock is held by threads, not by tasks: do not suspend while holding it.
public final class ReaderWriterLock: Sendable {
  @usableFromInline let state = AtomicState(ReaderWriterState.free)
  // The owner of one thread that waits to write without limit, or 0: the readers that wait behind it wait through that
  // thread.
  let patientWriter = Atomic32(0)
  /// The name shown in reports, in lock-order validation and in statistics; nil if the lock has none.
  public let name: String?

  /// Creates a free lock.
  ///
  /// ```swift
  /// let first = ReaderWriterLock(name: "shard", level: 1), second = ReaderWriterLock(name: "shard", level: 2)
  /// first.withWriteLock { second.withWriteLock { print("the lower level first") } }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name in reports. Lock-order validation treats locks with the same name and level as one class, and
  ///     statistics count them together. Locks without a name form one class per place of creation.
  ///   - level: of two locks with the same name, the one with the lower level must be acquired first; requires a name.
  public init(name: String? = nil, level: Int? = nil) {
    self.name = name
    LockEvent.made(.writeLock, address)
    if let name { LockNames.name(address, name, level: level) }
  }
  deinit {
    if name != nil { LockNames.forget(address) } else { LockEvent.destroyed(address) }
  }

  /// Where reports and instruments find the lock.
  @inlinable var address: UInt { state.word.address }

  // MARK: reading

  /// Acquires the lock for reading; blocks until that is possible.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func show() {
  ///   settings.readLock()
  ///   defer { settings.readUnlock() }
  ///   print("other threads may read, too")
  /// }
  /// show()
  /// ```
  ///
  /// - Precondition: the calling thread does not hold it for writing; otherwise the program is stopped.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withReadLock(_:)")
  @inlinable public func readLock() { takeForReading() }

  /// Acquires the lock for reading if that is possible without waiting.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func showIfIdle() {
  ///   guard settings.tryReadLock() else { return print("being written: later") }
  ///   defer { settings.readUnlock() }
  ///   print("shown")
  /// }
  /// showIfIdle()  // shown
  /// ```
  ///
  /// - Returns: whether it was acquired. False while a thread writes, and while a writer waits unless the calling thread
  ///   already reads.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withReadLock(_:)")
  public func tryReadLock() -> Bool { tryTakeForReading() }

  /// Acquires the lock for reading; waits at most until `deadline`. Returns whether it was acquired.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func showSoon() {
  ///   guard settings.readLock(until: .after(.milliseconds(10))) else { return print("being written: later") }
  ///   defer { settings.readUnlock() }
  ///   print("shown")
  /// }
  /// showSoon()  // shown
  /// ```
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withReadLock(_:)")
  public func readLock(until deadline: LockDeadline) -> Bool { readLockSlow(until: deadline) }

  /// Releases one read lock.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func show() {
  ///   settings.readLock()
  ///   print("shown")
  ///   settings.readUnlock()
  /// }
  /// show()
  /// ```
  ///
  /// - Precondition: the calling thread holds one; otherwise the program is stopped.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withReadLock(_:)")
  @inlinable public func readUnlock() { releaseFromReading() }

  /// Runs `body` while holding the lock for reading, and releases it also if `body` throws.
  ///
  /// ```swift file
  /// final class Settings: Sendable {
  ///   private let lock = ReaderWriterLock(name: "settings")
  ///   nonisolated(unsafe) private var values = ["colour": "red"]  // guarded by `lock`
  ///   func value(_ key: String) -> String? { lock.withReadLock { values[key] } }  // beside other readers
  /// }
  /// ```
  ///
  /// - Precondition: the calling thread does not hold it for writing; otherwise the program is stopped.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  public func withReadLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    takeForReading()
    defer { releaseFromReading() }
    return try body()
  }

  // MARK: writing

  /// Acquires the lock for writing; blocks until it is free.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func change() {
  ///   settings.writeLock()
  ///   defer { settings.writeUnlock() }
  ///   print("no other thread reads or writes")
  /// }
  /// change()
  /// ```
  ///
  /// - Precondition: the calling thread holds it neither for reading nor for writing; otherwise the program is stopped.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withWriteLock(_:)")
  @inlinable public func writeLock() { takeForWriting() }

  /// Acquires the lock for writing if no thread holds it and it is not reserved for a writer that has waited long.
  /// Returns whether it was acquired.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func changeIfIdle() {
  ///   guard settings.tryWriteLock() else { return print("in use: later") }
  ///   defer { settings.writeUnlock() }
  ///   print("changed")
  /// }
  /// changeIfIdle()  // changed
  /// ```
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withWriteLock(_:)")
  public func tryWriteLock() -> Bool { tryWriteLockSlow() }

  /// Acquires the lock for writing; waits at most until `deadline`. Returns whether it was acquired.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func changeSoon() {
  ///   guard settings.writeLock(until: .after(.milliseconds(10))) else { return print("in use: later") }
  ///   defer { settings.writeUnlock() }
  ///   print("changed")
  /// }
  /// changeSoon()  // changed
  /// ```
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withWriteLock(_:)")
  public func writeLock(until deadline: LockDeadline) -> Bool { writeLockSlow(until: deadline) }

  /// Releases the write lock.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func change() {
  ///   settings.writeLock()
  ///   print("changed")
  ///   settings.writeUnlock()
  /// }
  /// change()
  /// ```
  ///
  /// - Precondition: the calling thread holds it for writing; otherwise the program is stopped.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withWriteLock(_:)")
  @inlinable public func writeUnlock() { releaseFromWriting() }

  /// Runs `body` while holding the lock for writing, and releases it also if `body` throws.
  ///
  /// ```swift file
  /// final class Settings: Sendable {
  ///   private let lock = ReaderWriterLock(name: "settings")
  ///   nonisolated(unsafe) private var values = ["colour": "red"]  // guarded by `lock`
  ///   func set(_ key: String, _ value: String) { lock.withWriteLock { values[key] = value } }  // alone
  /// }
  /// ```
  ///
  /// - Precondition: the calling thread holds it neither for reading nor for writing; otherwise the program is stopped.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  public func withWriteLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    takeForWriting()
    defer { releaseFromWriting() }
    return try body()
  }

  /// Whether the calling thread holds the lock for writing.
  ///
  /// ```swift
  /// let settings = ReaderWriterLock(name: "settings")
  /// func change() { precondition(settings.isWriteLockedByCurrentThread, "call this with the write lock held") }
  /// settings.withWriteLock { change() }
  /// ```
  public var isWriteLockedByCurrentThread: Bool {
    // A hint is enough: only the calling thread itself writes its own owner here, or takes it out.
    let me = ThreadSlot.current.pointee.owner
    return me != 0 && state.hint().writer == me
  }

  // MARK: one swap

  // acquire W1: pairs with W2 and W3, what the last writer and its readers did is over.
  @inlinable @inline(__always) func takeForWriting() {
    let me = ThreadSlot.current.pointee.owner
    let seen = state.word.loadRelaxed()  // relaxed: the swap re-checks
    let isOpen = me != 0 && seen & ReaderWriterState.writersBarred == 0
    let next = seen | me | ReaderWriterState.writing
    // acquire W1, as above
    if _fastPath(Instruments.areOff && isOpen && state.word.casAcquire(seen, next).exchanged) { return }
    _ = writeLockSlow(until: .never)
  }

  // release W2: publishes the writer's writes to W1 and R1.
  @inlinable @inline(__always) func releaseFromWriting() {
    let seen = state.word.loadRelaxed()  // relaxed: the swap re-checks
    let kept = seen & ReaderWriterState.generation
    let isAlone = seen == ThreadSlot.current.pointee.owner | ReaderWriterState.writing | kept
    // release W2, as above
    if _fastPath(Instruments.areOff && isAlone && state.word.casRelease(seen, kept).exchanged) { return }
    writeUnlockSlow()
  }

  // acquire R1: pairs with W2; what the last writer wrote is visible.
  @inlinable @inline(__always) func takeForReading() {
    let seen = state.word.loadRelaxed()  // relaxed: the swap re-checks
    let isOpen = Instruments.areOff && seen & ReaderWriterState.readersBarred == 0
    // acquire R1, as above
    guard _fastPath(isOpen && state.word.casAcquire(seen, seen + 1).exchanged) else { return readLockAgain() }
    SharedHolds.add(address)
  }

  /// Other readers came or went in between, mostly: the swap is tried again while the lock is open.
  @inline(never) @usableFromInline func readLockAgain() {
    let isIn = state.movedAcquire { Instruments.areOff && $0.isOpenToReaders ? $0.afterRead(.fresh) : nil }  // acquire R1
    if isIn { SharedHolds.add(address) } else { _ = readLockSlow(until: .never) }
  }

  private func tryTakeForReading() -> Bool {
    let request = LockRequest(.readLock, address, isPatient: false)
    guard enter(SharedHolds.contains(address) ? .holding : .fresh) else { return false }
    SharedHolds.add(address)
    request.isGranted()
    return true
  }

  private func tryWriteLockSlow() -> Bool {
    let request = LockRequest(.writeLock, address, isPatient: false)
    guard enter(ThreadSlot.owner(), .fresh) else { return false }
    request.isGranted()
    return true
  }

  @inlinable @inline(__always) func releaseFromReading() {
    guard _fastPath(Instruments.areOff && SharedHolds.isOnly(address)) else { return readUnlockSlow() }
    SharedHolds.removeOnly()
    leaveReading()
  }

  @inline(never) @usableFromInline func readUnlockSlow() {
    guard SharedHolds.remove(address), state.hint().readers > 0 else {
      LockMisuse.unlock(.readLock, address, isHeld: state.hint().holder != 0)
    }
    LockEvent.released(address)
    leaveReading()
  }

  /// One holder less. As long as there is a reader no thread changes what the holders' field means, so it needs no swap
  /// that may fail: the thread that takes the last one away sees in what is left which waiters that concerns.
  // release W3: the reader's reads come before the next writer's writes; pairs with W1.
  @inlinable @inline(__always) func leaveReading() {
    let left = state.word.addAcqRel(~0) &- 1
    if _slowPath(left & ReaderWriterState.holderMask == 0 && left & ReaderWriterState.writersWaiting != 0) {
      wakeAfterReading(left)
    }
  }

  @inline(never) @usableFromInline func wakeAfterReading(_ left: UInt64) {
    pass(ReaderWriterState(rawValue: left &+ 1).afterReadUnlock().wake)
  }

  @inline(never) @usableFromInline
  func writeUnlockSlow() {
    guard isWriteLockedByCurrentThread else {
      LockMisuse.unlock(.writeLock, address, isHeld: state.hint().holder != 0)
    }
    LockEvent.released(address)
    pass(state.update { $0.afterWriteUnlock() })  // its release is W2
  }
}
