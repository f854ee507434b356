// ForeignMutex.swift: the C library's mutex that a thread sleeps in, and who holds it: read from outside, nothing intercepted.
//
// A thread that waits for such a mutex without limit sleeps in futex(&mutex, FUTEX_WAIT, 2, no timeout), and the mutex names its
// holder. Conditions, semaphores, reader-writer locks, once and our own words sleep in futex too: each has another operation,
// another value or another layout, and what is not certainly a mutex is nothing.
import CSignalbox
import Glibc

/// A mutex of the C library, or a bare priority-inheriting word, in which a thread of this process sleeps without limit.
public struct ForeignMutex: Equatable, Sendable {
  /// How the mutex was made.
  public enum Kind: Equatable, Sendable {
    case normal, recursive, errorCheck, adaptive
    /// The kernel keeps the holder's number in the word: a mutex with priority inheritance, or `Synchronization.Mutex`.
    case priorityInheriting
  }

  /// Where the mutex is.
  public let address: UInt
  /// The kernel's number of the thread that holds it; it was alive when read.
  public let owner: Int32
  /// How it was made.
  public let kind: Kind

  /// The mutex that thread `id` of this process sleeps in without limit, held by a living thread of this process; nil when it
  /// does anything else, or when the kernel does not tell (`KernelCall`). The holder is the thread itself if it takes a mutex that is
  /// not recursive for the second time.
  ///
  /// - Note: A few short file reads and system calls. What it says was true at one moment during the call.
  public static func awaited(by id: Int32) -> ForeignMutex? {
    let switches = KernelThread.switches(id)
    guard let call = KernelCall(of: id), let wait = Wait(call), let found = wait.read() else { return nil }
    guard KernelThread.isAlive(found.owner) else { return nil }
    // A holder that wakes and waits there again sleeps in the same call: of its own mutex only a sleep without a break tells.
    if found.owner == id {
      guard found.kind.keepsItsHolderOut, switches != nil, KernelThread.switches(id) == switches else { return nil }
    }
    // The same call in the same frame, after the words were read: they were those of this wait.
    return KernelCall(of: id) == call ? found : nil
  }
}

extension KernelCall {
  /// The word that the thread sleeps on in futex until another wakes it; nil for any other call.
  package var awaitedWord: UInt? {
    guard number == ForeignMutex.Wait.futex, arguments[0] != 0 else { return nil }
    let operation = UInt32(truncatingIfNeeded: arguments[1]) & ForeignMutex.Wait.operations
    return operation == ForeignMutex.Wait.wait || operation == ForeignMutex.Wait.waitByBits ? arguments[0] : nil
  }

  /// Whether such a sleep ends by its time.
  package var isTimedWait: Bool { awaitedWord != nil && arguments[3] != 0 }
}

extension ForeignMutex.Kind {
  /// Whether a thread that has it and takes it again sleeps for good.
  fileprivate var keepsItsHolderOut: Bool { self == .normal || self == .adaptive }
}

extension ForeignMutex {
  /// A futex call that may be a mutex's.
  struct Wait: Equatable {
    enum Form { case mutex, inheriting }
    let address: UInt
    let form: Form

    /// nil for any call but the two by which a mutex waits without limit.
    init?(_ call: KernelCall) {
      guard call.number == Self.futex, call.arguments[3] == 0, call.arguments[0] != 0 else { return nil }
      // The high half of the two int arguments is whatever the register held.
      let operation = UInt32(truncatingIfNeeded: call.arguments[1]), value = UInt32(truncatingIfNeeded: call.arguments[2])
      address = call.arguments[0]
      switch operation & ~Self.privateFlag {
      case Self.wait where value == Self.contended: form = .mutex
      case Self.lockInheriting, Self.lockInheriting2: form = .inheriting
      default: return nil
      }
    }

    /// What the memory there says; nil if it is no held mutex.
    func read() -> ForeignMutex? {
      switch form {
      case .inheriting: return SafeMemory.word32(address).flatMap { ForeignMutex(address, inheriting: $0) }
      case .mutex:
        guard let first = SafeMemory.word64(address), let second = SafeMemory.word64(address + 8),
          let kind = SafeMemory.word32(address + 16)
        else { return nil }
        return ForeignMutex(address, first, second, kind: kind)
      }
    }

    #if arch(x86_64)
    static let futex = 202
    #else
    static let futex = 98
    #endif
    // The kernel's numbers (linux/futex.h), and the value of a mutex that others wait for.
    static let wait: UInt32 = 0, lockInheriting: UInt32 = 6, lockInheriting2: UInt32 = 13, privateFlag: UInt32 = 128
    static let contended: UInt32 = 2
    static let waitByBits: UInt32 = 9, operations: UInt32 = 127
  }

  /// Reads `pthread_mutex_t` as it is on 64-bit machines: lock and count, owner and users, kind.
  init?(_ address: UInt, _ first: UInt64, _ second: UInt64, kind: UInt32) {
    let lock = UInt32(truncatingIfNeeded: first), count = UInt32(first >> 32)
    let owner = Int32(truncatingIfNeeded: second), users = UInt32(second >> 32)
    // Whether the processor's lock elision may be tried, and whether processes share it, is described above the type.
    guard lock == Wait.contended, owner > 0, (1...Self.mostUsers).contains(users), kind & ~(128 | 256 | 512) <= 3 else {
      return nil
    }
    self.kind = Self.kind(ofNumber: kind & 3)
    // Only a recursive mutex counts; it is at least one while held.
    guard (self.kind == .recursive) == (count > 0) else { return nil }
    self.address = address
    self.owner = owner
  }

  /// Reads the word that the kernel itself keeps for a lock with priority inheritance: the holder, and two flags.
  init?(_ address: UInt, inheriting word: UInt32) {
    // Bit 30: the holder has died.
    guard word & 1 << 30 == 0, word & 0x3FFF_FFFF != 0 else { return nil }
    self.address = address
    owner = Int32(word & 0x3FFF_FFFF)
    kind = .priorityInheriting
  }

  /// The kind by its low two bits, the numbers of `<pthread.h>`.
  private static func kind(ofNumber number: UInt32) -> Kind {
    switch number {
    case 0: .normal
    case 1: .recursive
    case 2: .errorCheck
    default: .adaptive
    }
  }

  /// The holder and those who wait in a condition with it: no more than a process can have threads.
  private static let mostUsers: UInt32 = 1 << 22
}
