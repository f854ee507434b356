// ReaderWriterLock.swift: many readers or one writer: taking it and giving it back. Sleeping is ReaderWriterLock+Wait.swift.
public import SignalboxDiagnosis
public import SignalboxSystem

/// A lock that any number of threads hold for reading, or one for writing; it knows its writer.
///
/// Neither side starves. While a writer waits new readers wait behind it; a writer that leaves lets in all readers that waited
/// by then, before the next writer. Among writers whoever comes at the right moment is next, but one that has waited for ten
/// milliseconds has the lock kept for it. A thread that reads already may always read once more, even while a writer waits,
/// as that one waits for it; this is known of a thread's first eight read holds at one time, of whatever locks, where a parallel
/// loop that it takes part in counts as one.
///
/// A thread that reads and asks to write, that writes and asks again, or that gives back what it does not hold, is stopped with
/// a message. No system call and no allocation while nobody competes.
///
/// - Note: Thread safety: any thread. Threads hold the lock, not tasks: do not suspend while holding it.
public final class ReaderWriterLock: Sendable {
  @usableFromInline let state = AtomicState(ReaderWriterState.free)
  // The owner of one thread that waits to write without limit, or 0: through whom readers wait that wait behind it.
  let patientWriter = Atomic32(0)
  /// What reports, lock-order validation and statistics call the lock; nil if it was made without a name.
  public let name: String?

  /// Creates the lock, free.
  ///
  /// - Parameters:
  ///   - name: what reports call it. Locks of one name and level are one class to lock-order validation, and are counted
  ///     together. Without a name a class are the locks made at one place.
  ///   - level: of two locks of one name the one of the lower level is taken first; needs a name.
  public init(name: String? = nil, level: Int? = nil) {
    self.name = name
    if !Instruments.areOff { LockHooks.created(.writeLock, address) }
    if let name { LockNames.name(address, name, level: level) }
  }
  deinit {
    if name != nil { LockNames.forget(address) } else if !Instruments.areOff { LockHooks.destroyed(address) }
  }

  /// Where reports and instruments find the lock.
  @inlinable var address: UInt { state.word.address }

  // MARK: reading

  /// Takes the lock for reading, waiting as long as it takes.
  ///
  /// - Precondition: the calling thread does not hold it for writing; the program is stopped otherwise.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withReadLock(_:)")
  @inlinable public func readLock() { takeForReading() }

  /// Takes the lock for reading if that needs no waiting.
  ///
  /// - Returns: whether it was taken; false while anybody writes, or a writer waits and the calling thread does not read.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withReadLock(_:)")
  public func tryReadLock() -> Bool { tryTakeForReading() }

  /// Takes the lock for reading, waiting at most until `deadline`; whether it was taken.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withReadLock(_:)")
  public func readLock(until deadline: LockDeadline) -> Bool { readLockSlow(.timedLock, until: deadline) }

  /// Gives back one hold for reading.
  ///
  /// - Precondition: the calling thread took it; the program is stopped otherwise.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withReadLock(_:)")
  @inlinable public func readUnlock() { releaseFromReading() }

  /// Runs `body` while holding the lock for reading, and gives it back however it ends.
  @inlinable
  public func withReadLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    takeForReading()
    defer { releaseFromReading() }
    return try body()
  }

  // MARK: writing

  /// Takes the lock for writing, waiting as long as it takes.
  ///
  /// - Precondition: the calling thread holds it neither way; the program is stopped otherwise.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withWriteLock(_:)")
  @inlinable public func writeLock() { takeForWriting() }

  /// Takes the lock for writing if nobody holds it, and it is not kept for a writer that has waited long.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withWriteLock(_:)")
  public func tryWriteLock() -> Bool { tryWriteLockSlow() }

  /// Takes the lock for writing, waiting at most until `deadline`; whether it was taken.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withWriteLock(_:)")
  public func writeLock(until deadline: LockDeadline) -> Bool { writeLockSlow(.timedLock, until: deadline) }

  /// Gives the lock back.
  ///
  /// - Precondition: the calling thread holds it for writing; the program is stopped otherwise.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withWriteLock(_:)")
  @inlinable public func writeUnlock() { releaseFromWriting() }

  /// Runs `body` while holding the lock for writing, and gives it back however it ends.
  @inlinable
  public func withWriteLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    takeForWriting()
    defer { releaseFromWriting() }
    return try body()
  }

  /// Whether the calling thread holds the lock for writing.
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
    _ = writeLockSlow(.lock, until: .never)
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
    if isIn { SharedHolds.add(address) } else { _ = readLockSlow(.lock, until: .never) }
  }

  private func tryTakeForReading() -> Bool {
    let hooks = LockHooks.begin(.tryLock, .readLock, address)
    guard enter(SharedHolds.contains(address) ? .holding : .fresh) else {
      hooks.failed()
      return false
    }
    SharedHolds.add(address)
    hooks.acquired()
    return true
  }

  private func tryWriteLockSlow() -> Bool {
    let hooks = LockHooks.begin(.tryLock, .writeLock, address)
    guard enter(ThreadSlot.owner(), .fresh) else {
      hooks.failed()
      return false
    }
    hooks.acquired()
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
    LockHooks.released(.readLock, address)
    leaveReading()
  }

  /// One holder less. As long as there is a reader nobody changes what the holders' field means, so it needs no swap that may
  /// fail: who takes the last one away sees in what is left whom that concerns.
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
    LockHooks.released(.writeLock, address)
    pass(state.update { $0.afterWriteUnlock() })  // its release is W2
  }
}
