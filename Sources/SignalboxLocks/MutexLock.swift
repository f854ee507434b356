// MutexLock.swift: the mutex in its three kinds, as an object; and the error-checking one's refusals.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

/// A mutex of one of the three kinds that POSIX defines: normal, error-checking or recursive.
///
/// Acquiring a free lock is one atomic swap, releasing it one store: no system call, no allocation. A waiting thread spins for
/// about ten microseconds and then sleeps.
///
/// The lock is not fair: it goes to the thread that asks at the right moment, not to the one that has waited longest or has the
/// highest priority. Passing it to a sleeping thread would leave it idle until that thread runs. No thread starves: after ten
/// milliseconds of waiting, the lock is reserved for that thread.
///
/// ```swift
/// let lock = MutexLock(name: "balance")
/// nonisolated(unsafe) var balance = 0  // guarded by `lock`
/// await withTaskGroup(of: Void.self) { group in
///   for _ in 1...100 { group.addTask { lock.withLock { balance += 1 } } }
/// }
/// print(balance)  // 100
/// print(lock.name ?? "no name", lock.kind, lock.isHeldByCurrentThread)  // balance normal false
/// ```
///
/// - Note: Thread safety: any thread. The lock is held by a thread, not by a task: do not suspend while holding it.
public final class MutexLock: Sendable {
  /// What happens when the holder locks again, and when a thread unlocks a lock that it does not hold.
  ///
  /// ```swift
  /// for kind in MutexLock.Kind.allCases { print(MutexLock(kind: kind)) }  // normal, error-checking, recursive
  /// let tree = MutexLock(kind: .recursive, name: "tree")
  /// tree.withLock { tree.withLock { print("the same thread may lock it again") } }
  /// ```
  public enum Kind: Sendable, CaseIterable {
    /// Both stop the program.
    case normal
    /// Both fail with a `MutexError`: `lock()` and `unlock()` return it, `lockChecked()` and `unlockChecked()` throw it.
    /// `withLock(_:)` stops the program, because its body must not run then.
    case errorCheck
    /// The holder may lock again and must unlock as often. Unlocking by another thread stops the program.
    case recursive
  }

  /// The kind of the lock.
  public let kind: Kind
  @usableFromInline let waitKind: WaitKind
  @usableFromInline let inner = RecursiveCore()
  /// The name shown in reports, in lock-order validation and in statistics; nil if the lock has none.
  public let name: String?

  /// Creates a free lock.
  ///
  /// ```swift
  /// let first = MutexLock(name: "account", level: 1), second = MutexLock(name: "account", level: 2)
  /// first.withLock { second.withLock { print("the lower level first") } }
  /// ```
  ///
  /// - Parameters:
  ///   - kind: what happens when the holder locks again, or another thread unlocks.
  ///   - name: the name in reports. Lock-order validation treats locks with the same name and level as one class, and
  ///     statistics count them together. Locks without a name form one class per place of creation.
  ///   - level: of two locks with the same name, the one with the lower level must be acquired first; requires a name.
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

  /// Acquires the lock; blocks until it is free.
  ///
  /// ```swift
  /// let journal = MutexLock(name: "journal")
  /// func append(_ line: String) {
  ///   journal.lock()
  ///   defer { journal.unlock() }
  ///   print(line)
  /// }
  /// append("opened")
  /// ```
  ///
  /// - Returns: nil when the lock is acquired. `.deadlock` if the lock is error-checking and the calling thread already holds
  ///   it; the lock is unchanged. Code that ignores the result must be sure that this cannot happen.
  /// - Precondition: the calling thread does not hold a normal lock; otherwise the program is stopped.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  @discardableResult
  @inlinable public func lock() -> MutexError? { inner.core.lockAtOnce() ? nil : lockSlow() }

  /// Acquires the lock if that is possible without waiting.
  ///
  /// ```swift
  /// let cache = MutexLock(name: "cache")
  /// func evictIfIdle() {
  ///   guard cache.tryLock() else { return print("in use: later") }
  ///   defer { cache.unlock() }
  ///   print("evicted")
  /// }
  /// evictIfIdle()  // evicted
  /// ```
  ///
  /// - Returns: whether it was acquired; false if the calling thread already holds it, unless it is recursive.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  @inlinable public func tryLock() -> Bool { inner.core.lockAtOnce() || tryLockSlow() }

  /// Acquires the lock; waits at most until `deadline`.
  ///
  /// ```swift
  /// let cache = MutexLock(name: "cache")
  /// func evictSoon() {
  ///   guard cache.lock(until: .after(.milliseconds(10))) else { return print("in use: later") }
  ///   defer { cache.unlock() }
  ///   print("evicted")
  /// }
  /// evictSoon()  // evicted
  /// ```
  ///
  /// - Returns: whether it was acquired. If the calling thread already holds the lock, a normal lock waits in vain until the
  ///   deadline, and an error-checking one returns false at once.
  /// - Precondition: as for `lock()` if `deadline` is `.never`.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  public func lock(until deadline: LockDeadline) -> Bool {
    if kind == .recursive { return inner.lock(waitKind, until: deadline) }
    if inner.isMine {
      if kind == .errorCheck { return false }
      if deadline == .never { LockMisuse.relock(waitKind, inner.address) }
    }
    return inner.core.lock(waitKind, until: deadline)
  }

  /// Releases the lock.
  ///
  /// ```swift
  /// let journal = MutexLock(kind: .errorCheck)
  /// func release() -> MutexError? { journal.unlock() }
  /// print(release() == .notOwner)  // true: this thread does not hold it
  /// ```
  ///
  /// - Returns: nil when it is released. `.notOwner` if the lock is error-checking and the calling thread does not hold it; the
  ///   lock is unchanged.
  /// - Precondition: the calling thread holds the lock, unless it is error-checking; otherwise the program is stopped.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  @discardableResult
  @inlinable public func unlock() -> MutexError? { inner.unlock(waitKind) ? nil : refusal() }

  /// Runs `body` while holding the lock, and releases the lock also if `body` throws.
  ///
  /// ```swift file
  /// final class Journal: Sendable {
  ///   private let lock = MutexLock(name: "journal")
  ///   nonisolated(unsafe) private var lines: [String] = []  // guarded by `lock`
  ///   func append(_ line: String) { lock.withLock { lines.append(line) } }
  /// }
  /// ```
  ///
  /// - Precondition: the calling thread does not hold the lock, unless it is recursive; otherwise the program is stopped.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  public func withLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    take()
    defer { release() }
    return try body()
  }

  /// Whether the calling thread holds the lock.
  ///
  /// ```swift
  /// let cache = MutexLock(name: "cache")
  /// func evict() { precondition(cache.isHeldByCurrentThread, "call this with the lock held") }
  /// cache.withLock { evict() }
  /// ```
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

// MARK: the error-checking mutex's refusals, and the forms that throw them

/// The error of an error-checking mutex.
///
/// ```swift
/// let journal = MutexLock(kind: .errorCheck)
/// func releaseTwice() {
///   journal.lock()
///   for _ in 1...2 {
///     if let error = journal.unlock() { print(error == .notOwner, error == .deadlock, error.code) }  // true false 1
///   }
/// }
/// releaseTwice()
/// ```
@frozen
public enum MutexError: Error, Hashable, Sendable {
  /// The calling thread already holds the lock and would wait for itself. POSIX's `EDEADLK`.
  case deadlock
  /// The calling thread does not hold the lock. POSIX's `EPERM`.
  case notOwner

  /// The matching `errno` value.
  public var code: Int32 {
    switch self {
    case .deadlock: ErrorNumber.deadlock
    case .notOwner: ErrorNumber.notPermitted
    }
  }
}

extension MutexLock {
  /// Acquires the lock; blocks until it is free.
  ///
  /// ```swift
  /// let journal = MutexLock(kind: .errorCheck)
  /// func enterTwice() throws(MutexError) {
  ///   try journal.lockChecked()
  ///   defer { journal.unlock() }
  ///   try journal.lockChecked()  // this thread would wait for itself
  /// }
  /// do { try enterTwice() } catch { print(error) }  // deadlock
  /// ```
  ///
  /// - Throws: `.deadlock` if the lock is error-checking and the calling thread holds it; the lock is unchanged. In the same
  ///   case a normal lock stops the program, and a recursive one is acquired again.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  public func lockChecked() throws(MutexError) {
    if let error = inner.core.lockAtOnce() ? nil : lockSlow() { throw error }
  }

  /// Acquires the lock like `lockChecked()`, but waits no longer than until `deadline`.
  ///
  /// ```swift
  /// let journal = MutexLock(kind: .errorCheck)
  /// func flush() throws(MutexError) -> Bool {
  ///   guard try journal.lockChecked(until: .after(.milliseconds(10))) else { return false }
  ///   try journal.unlockChecked()
  ///   return true
  /// }
  /// print(try flush())  // true: no other thread holds the lock
  /// ```
  ///
  /// - Returns: true if the lock was acquired before the deadline.
  /// - Throws: `.deadlock` if the lock is error-checking and the calling thread holds it.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  public func lockChecked(until deadline: LockDeadline) throws(MutexError) -> Bool {
    if kind == .errorCheck, inner.isMine { throw .deadlock }
    return lock(until: deadline)
  }

  /// Releases the lock.
  ///
  /// ```swift
  /// let journal = MutexLock(kind: .errorCheck)
  /// func release() throws(MutexError) { try journal.unlockChecked() }
  /// do { try release() } catch { print(error) }  // notOwner: it was not locked
  /// ```
  ///
  /// - Throws: `.notOwner` if the lock is error-checking and the calling thread does not hold it; the lock is unchanged. In the
  ///   same case the other kinds stop the program.
  @available(*, noasync, message: "a task may resume on another thread, which does not hold the lock: use withLock(_:)")
  public func unlockChecked() throws(MutexError) {
    if !inner.unlock(waitKind) { throw refusal() }
  }
}
