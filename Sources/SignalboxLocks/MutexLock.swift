// MutexLock.swift: the mutex in its three kinds, as an object. Errors as values are MutexLock+Checked.swift.
public import SignalboxDiagnosis

/// A mutual-exclusion lock of the kind chosen when it is made: what POSIX calls normal, error-checking and recursive.
///
/// Taking a free lock is one swap, giving it back one store: no system call, no allocation. Waiting spins some ten microseconds,
/// then sleeps.
///
/// Order of service: whoever comes at the right moment gets the lock, not the one of highest priority nor the one who has
/// waited longest, as is sometimes said of normal mutexes: a lock that is passed on to a sleeper stands still until that one
/// runs. Nobody is passed by for ever: who has waited for ten milliseconds has the lock kept for it.
///
/// - Note: Thread safety: any thread. The thread holds the lock, not the task: do not suspend while holding it.
public final class MutexLock: Sendable {
  /// What happens when the holder asks again, and when a thread gives back what it does not hold.
  public enum Kind: Sendable, CaseIterable {
    /// Both stop the program.
    case normal
    /// Both are refused with a `MutexError`, which `lock()` and `unlock()` return and `lockChecked()` and `unlockChecked()` throw.
    /// `withLock(_:)`, whose body must not run then, stops the program.
    case errorCheck
    /// The holder may take the lock again, and gives it back as often; the other stops the program.
    case recursive
  }

  /// The kind the lock was made with.
  public let kind: Kind
  @usableFromInline let waitKind: WaitKind
  @usableFromInline let inner = RecursiveCore()
  /// What reports, lock-order validation and statistics call the lock; nil if it was made without a name.
  public let name: String?

  /// Creates the lock, free.
  ///
  /// - Parameters:
  ///   - name: what reports call it. Locks of one name and level are one class to lock-order validation, and are counted
  ///     together. Without a name a class are the locks made at one place.
  ///   - level: of two locks of one name the one of the lower level is taken first; needs a name.
  public init(kind: Kind = .normal, name: String? = nil, level: Int? = nil) {
    self.kind = kind
    self.name = name
    waitKind =
      switch kind {
      case .normal: .mutex
      case .errorCheck: .errorCheckMutex
      case .recursive: .recursiveMutex
      }
    inner.core.isMade(waitKind)
    if let name { LockNames.name(inner.address, name, level: level) }
  }
  deinit { if name == nil { inner.core.isGone() } else { LockNames.forget(inner.address) } }

  /// Takes the lock, waiting as long as it takes.
  ///
  /// - Returns: nil once the lock is taken. `.deadlock` if the lock is error-checking and the calling thread holds it already: it
  ///   then stays as it was. Whoever leaves the answer aside, as C code does with that of `pthread_mutex_lock`, must be sure.
  /// - Precondition: the calling thread does not hold a normal lock; the program is stopped otherwise.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  @discardableResult
  @inlinable public func lock() -> MutexError? { inner.core.lockAtOnce() ? nil : lockSlow() }

  /// Takes the lock if that needs no waiting.
  ///
  /// - Returns: whether it was taken; false if the calling thread holds it already, unless it is recursive.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  @inlinable public func tryLock() -> Bool { inner.core.lockAtOnce() || tryLockSlow() }

  /// Takes the lock, waiting at most until `deadline`.
  ///
  /// - Returns: whether it was taken. The holder of a normal lock waits for itself in vain until then, that of an error-checking one
  ///   is refused at once.
  /// - Precondition: as for `lock()` if `deadline` is `.never`.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  public func lock(until deadline: LockDeadline) -> Bool {
    if kind == .recursive { return inner.lock(waitKind, until: deadline) }
    if inner.isMine {
      if kind == .errorCheck { return false }
      if deadline == .never { LockMisuse.relock(waitKind, inner.address) }
    }
    return inner.core.lock(waitKind, until: deadline)
  }

  /// Gives the lock back.
  ///
  /// - Returns: nil once that is done. `.notOwner` if the lock is error-checking and the calling thread does not hold it: it then
  ///   stays as it was.
  /// - Precondition: the calling thread holds the lock, unless that is error-checking; the program is stopped otherwise.
  @available(*, noasync, message: "a task may go on on another thread, which does not hold the lock: use withLock(_:)")
  @discardableResult
  @inlinable public func unlock() -> MutexError? { inner.unlock(waitKind) ? nil : refusal() }

  /// Runs `body` while holding the lock, and gives the lock back however it ends.
  ///
  /// - Precondition: the calling thread does not hold the lock, unless it is recursive; the program is stopped otherwise.
  @inlinable
  public func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    take()
    defer { release() }
    return try body()
  }

  /// Whether the calling thread holds the lock.
  public var isHeldByCurrentThread: Bool { inner.isMine }

  @inlinable @inline(__always) func take() { if !inner.core.lockAtOnce(), lockSlow() != nil { refuseRelock() } }
  @inlinable @inline(__always) func release() { if !inner.unlock(waitKind) { refuseUnlock() } }

  @inline(never) @usableFromInline func lockSlow() -> MutexError? {
    if kind == .recursive {
      inner.lockSlow(waitKind, 0)
      return nil
    }
    if inner.isMine {
      if kind == .errorCheck { return .deadlock }
      LockMisuse.relock(waitKind, inner.address)
    }
    inner.core.lockSlow(waitKind, 0)
    return nil
  }

  @inline(never) @usableFromInline func tryLockSlow() -> Bool {
    kind == .recursive ? inner.tryLockSlow(waitKind, 0) : inner.core.tryLock(waitKind)
  }

  @inline(never) @usableFromInline func refuseRelock() { LockMisuse.relock(waitKind, inner.address) }

  @inline(never) @usableFromInline func refusal() -> MutexError {
    if kind == .errorCheck { return .notOwner }
    refuseUnlock()
  }

  @inline(never) @usableFromInline func refuseUnlock() -> Never {
    LockMisuse.unlock(waitKind, inner.address, isHeld: inner.isHeld)
  }
}
