// OwnerAnswer.swift: what the word of an object says to a thread that waits for the object: which thread could end the
// wait. Pure: the word's bits were read by the caller, in this process, in another, or in a core dump.

/// What an owner word says.
public struct OwnerAnswer: Sendable, Equatable {
  /// The thread that holds the object; 0: none.
  public var owner: UInt64 = 0
  /// No thread holds the object itself, but it waits for `next`.
  public var followsNext = false
  /// What it waits for, as its own words say at this moment; nil: the next word in the list.
  public var next: OwnerWord?
  /// Each thread inside the object, by frames or shared locks, keeps the waiter out.
  public var blockedByHolders = false
  /// No thread holds it, and it lets none in: a queue that is suspended or not active.
  public var isStopped = false
  /// No thread holds it alone, and some run in it beside others.
  public var isShared = false
  /// No thread is known.
  @inlinable public init() {}
  /// The thread `owner` holds it.
  @inlinable public init(owner: UInt64) { self.owner = owner }
  /// Each thread that is inside of it.
  @inlinable package static var holders: OwnerAnswer {
    var answer = OwnerAnswer()
    answer.blockedByHolders = true
    return answer
  }
}

extension SmallLockState {
  /// Of a lock, by the half of its word that has the owner.
  @inlinable package var answer: OwnerAnswer { OwnerAnswer(owner: UInt64(owner)) }
}

extension OnceState {
  @inlinable package var answer: OwnerAnswer { OwnerAnswer(owner: (runner ?? 0) & OwnerValue.mask) }
}

extension ReaderWriterState {
  /// The word as a waiting reader names it: marks in the low bits of the address say that it is one, and since which
  /// generation.
  @usableFromInline package struct ReaderMark {
    @inlinable package static var reader: UInt { 1 }
    @inlinable package static var odd: UInt { 2 }
    @inlinable package static var all: UInt { 7 }

    /// The owner word of a reader that waits since `generation`.
    @inlinable package static func word(_ address: UInt, _ generation: UInt64) -> OwnerWord {
      OwnerWord(address | reader | (generation != 0 ? odd : 0), .readerWriter)
    }
    /// The lock's address, without marks.
    @inlinable package static func address(_ marked: UInt) -> UInt { marked & ~all }
    @inlinable package static func isReader(_ marked: UInt) -> Bool { marked & reader != 0 }
    @inlinable package static func isOdd(_ marked: UInt) -> Bool { marked & odd != 0 }
  }

  /// What the lock says to a thread whose owner word has the address `marked`.
  @inlinable package func answer(to marked: UInt) -> OwnerAnswer {
    var answer = OwnerAnswer()
    let isReader = ReaderMark.isReader(marked)
    // Let in already: the thread is about to wake.
    if isReader, ReaderMark.isOdd(marked) != (generation != 0) { return answer }
    answer.owner = writer
    if isWriting { return answer }
    // A writer that waits keeps a reader out, and its name is the next word; every reader keeps a writer out.
    if isReader { answer.followsNext = true } else { answer.blockedByHolders = readers > 0 }
    return answer
  }
}

extension QueueState {
  /// What the queue says to a thread that waits for it; `next` is for the caller to find, where the answer says that it
  /// follows.
  @inlinable package func answer(isConcurrent: Bool) -> OwnerAnswer {
    var answer = OwnerAnswer(owner: self[Self.owner])
    if isOwned { return answer }
    if isConcurrent, self[Self.barrierPending] == 1 {
      // All waiting threads stand behind the barrier, and that one waits for every thread inside.
      answer.blockedByHolders = true
      return answer
    }
    // Stopped: the thread that resumes it is not known.
    answer.isStopped = isStopped
    answer.followsNext = !isStopped && self[Self.enqueued] == 1
    answer.isShared = isConcurrent && self[Self.width] > 0
    return answer
  }
}

extension OperationState {
  /// Of an operation whose `main()` the thread `runner` may be in. In a `start()` of a subclass that thread does not
  /// own it: the thread that says that it is finished ends it.
  @inlinable package func answer(runner: UInt64) -> OwnerAnswer { OwnerAnswer(owner: isInMain ? runner : 0) }
}
