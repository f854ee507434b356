// LockMisuse.swift: the words with which a lock stops the program: which lock, what was done, how to mend it.
import SignalboxWaits
import SignalboxSystem
import SignalboxWords

/// One message for each wrong use, the same for every type of lock.
enum LockMisuse {
  /// The holder asks again for a lock that it cannot have twice. Returns only where that means to wait forever, and the deadlock
  /// policy lets it.
  @inline(never) static func relock(_ kind: WaitKind, _ address: UInt) {
    switch kind {
    case .unfairLock, .spinLock, .errorCheckMutex: relockOfOneThatStops(kind, address)
    default:
      Diagnosis.above?.tell(
        SelfWait(kind, .ownLock, object: address, hint: "unlock it before locking it again, or use a recursive lock"))
    }
  }

  /// The kinds whose documents let the program crash.
  private static func relockOfOneThatStops(_ kind: WaitKind, _ address: UInt) -> Never {
    Misuse.stop(
      "deadlock of one thread: it locks the \(name(kind, address)), which it holds already, and would wait for itself forever; "
        + "unlock it before locking it again, or use a recursive lock", about: .init(kind, address))
  }

  /// A thread gives back what it does not hold.
  @inline(never) static func unlock(_ kind: WaitKind, _ address: UInt, isHeld: Bool) -> Never {
    Misuse.stop(
      "a thread unlocks the \(name(kind, address)), which \(isHeld ? "another thread" : "no thread") holds; "
        + "only the thread that took a lock may give it back, once for each time it took it", about: .init(kind, address))
  }

  /// An assertion about the holder does not hold.
  @inline(never) static func assertion(_ kind: WaitKind, _ address: UInt, expectsOwner: Bool) -> Never {
    Misuse.stop(
      expectsOwner
        ? "this code expects its thread to hold the \(name(kind, address)), and it does not; take the lock before calling it"
        : "this code expects its thread not to hold the \(name(kind, address)), and it does; release the lock before calling it",
      about: .init(kind, address))
  }

  /// The holder has taken a recursive lock more often than can be counted.
  @inline(never) static func tooDeep(_ kind: WaitKind, _ address: UInt) -> Never {
    Misuse.stop(
      "a thread has taken the \(name(kind, address)) \(UInt32.max) times without giving it back; unlock it once for each time",
      about: .init(kind, address))
  }

  /// A reader asks to write. Returns only if the deadlock policy lets it wait forever.
  @inline(never) static func upgrade(_ address: UInt) {
    Diagnosis.above?.tell(
      SelfWait(
        .writeLock, .ownReading, object: address, detail: "which waits until no thread reads",
        hint: "release the lock first and check again what was read, or take it for writing from the start"))
  }

  /// A lock is held for reading more often than can be counted.
  @inline(never) static func tooManyReaders(_ address: UInt) -> Never {
    Misuse.stop(
      "the \(name(.readLock, address)) is held \(ReaderWriterState.mostHolds) times; unlock it once for each time it was locked"
    )
  }

  /// The lock as messages call it.
  static func name(_ kind: WaitKind, _ address: UInt) -> String {
    let name = LockNames.name(of: address).map { " \"\($0)\"" } ?? ""
    return "\(kind.noun) at 0x\(String(address, radix: 16))\(name)"
  }
}
