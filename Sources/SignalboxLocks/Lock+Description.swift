// Lock+Description.swift: what `print` and reports show of lock objects. The form is ObjectText's.
import SignalboxDiagnosis

extension MutexLock: CustomStringConvertible, CustomDebugStringConvertible {
  /// What the lock is, its name, its address, and who holds it at this moment: `<MutexLock "accounts" 0x… held by thread 7>`.
  ///
  /// - Note: Thread safety: any thread. For people: the words may change.
  public var description: String { inner.core.text(waitKind) }
  /// As `description`.
  public var debugDescription: String { description }
}

extension ReaderWriterLock: CustomStringConvertible, CustomDebugStringConvertible {
  /// What the lock is, its name, its address, and who holds it at this moment: `<ReaderWriterLock "cache" 0x… 3 readers>`.
  ///
  /// - Note: Thread safety: any thread. For people: the words may change.
  public var description: String {
    let state = self.state.hint()
    let words = state.isWriting ? ObjectText.held(by: state.holder) : state.readers == 0 ? "free" : "\(state.readers) readers"
    return ObjectText.lock(.writeLock, address, state: words)
  }
  /// As `description`.
  public var debugDescription: String { description }
}

extension OSAllocatedUnfairLock: CustomStringConvertible, CustomDebugStringConvertible {
  /// What the lock is, its address, and who holds it at this moment: `<unfair lock 0x… free>`. What it guards is not shown: that would
  /// take the lock.
  ///
  /// - Note: Thread safety: any thread. For people: the words may change.
  public var description: String { storage.core.text(.unfairLock) }
  /// As `description`.
  public var debugDescription: String { description }
}

extension LockCore {
  /// The lock as `print` shows it.
  ///
  /// - Parameters:
  ///   - object: where reports find it, if that is not its word.
  ///   - more: what there is to say besides its holder.
  package func text(_ kind: WaitKind, object: UInt = 0, more: String? = nil) -> String {
    let holder = UInt64(word.loadRelaxed() & 0xFF_FFFF)  // relaxed: for people
    let state = holder == 0 ? "free" : ObjectText.held(by: holder)
    return ObjectText.lock(kind, object == 0 ? address : object, state: (more.map { $0 + ", " } ?? "") + state)
  }
}
