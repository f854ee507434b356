// Lock+Description.swift: what `print` and reports show of lock objects. The form is ObjectText's.
import SignalboxWaits
import SignalboxWords

extension MutexLock: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of lock, its name, its address and its current holder: `<MutexLock "accounts" 0x… held by thread 7>`.
  ///
  /// ```swift
  /// let accounts = MutexLock(name: "accounts")
  /// print(accounts)  // <MutexLock "accounts" 0x… free>
  /// ```
  ///
  /// - Note: Thread safety: any thread. Meant for people: the wording may change.
  public var description: String { inner.core.text(waitKind) }
  /// The same as `description`.
  ///
  /// ```swift
  /// let accounts = MutexLock(name: "accounts")
  /// debugPrint(accounts)  // <MutexLock "accounts" 0x… free>
  /// ```
  public var debugDescription: String { description }
}

extension ReaderWriterLock: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of lock, its name, its address and its current holders: `<ReaderWriterLock "cache" 0x… 3 readers>`.
  ///
  /// ```swift
  /// let cache = ReaderWriterLock(name: "cache")
  /// cache.withReadLock { print(cache) }  // <ReaderWriterLock "cache" 0x… 1 readers>
  /// ```
  ///
  /// - Note: Thread safety: any thread. Meant for people: the wording may change.
  public var description: String {
    let state = self.state.hint()
    let words = state.isWriting ? ObjectText.held(by: state.holder) : state.readers == 0 ? "free" : "\(state.readers) readers"
    return ObjectText.lock(.writeLock, address, state: words)
  }
  /// The same as `description`.
  ///
  /// ```swift
  /// let cache = ReaderWriterLock(name: "cache")
  /// debugPrint(cache)  // <ReaderWriterLock "cache" 0x… free>
  /// ```
  public var debugDescription: String { description }
}

extension OSAllocatedUnfairLock: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of lock, its address and its current holder: `<unfair lock 0x… free>`. The guarded value is not shown, because
  /// that would acquire the lock.
  ///
  /// ```swift
  /// let count = OSAllocatedUnfairLock(initialState: 0)
  /// print(count)  // <unfair lock 0x… free>
  /// ```
  ///
  /// - Note: Thread safety: any thread. Meant for people: the wording may change.
  public var description: String { storage.core.text(.unfairLock) }
  /// The same as `description`.
  ///
  /// ```swift
  /// let count = OSAllocatedUnfairLock(initialState: 0)
  /// debugPrint(count)  // <unfair lock 0x… free>
  /// ```
  public var debugDescription: String { description }
}

extension LockCore {
  /// The lock as `print` shows it.
  ///
  /// - Parameters:
  ///   - object: where reports find it, if that is not its word.
  ///   - more: what there is to say besides its holder.
  package func text(_ kind: WaitKind, object: UInt = 0, more: String? = nil) -> String {
    let holder = UInt64(SmallLockState(rawValue: word.loadRelaxed()).owner)  // relaxed: for people
    let state = holder == 0 ? "free" : ObjectText.held(by: holder)
    return ObjectText.lock(kind, object == 0 ? address : object, state: (more.map { $0 + ", " } ?? "") + state)
  }
}
