// CapturingLockRows.swift: locks as programs write them: `withLock` with a body that reads and writes an object that it captures, and
// returns a value. The loops are functions of their own, so that `Scripts/check-captures` can read their machine code.
import BenchSupport

/// What the bodies capture.
// SAFETY of @unchecked: the bodies use it while they hold their lock only.
final class Account: @unchecked Sendable {
  var balance: UInt64 = 0

  @inline(__always) func deposit(_ amount: UInt64) -> UInt64 {
    balance &+= amount
    return balance
  }
}

@inline(never)
func capturingInLock(_ lock: NSLock, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(lock.withLock { account.deposit(1) }) }
}

@inline(never)
func capturingInRecursiveLock(_ lock: NSRecursiveLock, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(lock.withLock { account.deposit(1) }) }
}

@inline(never)
func capturingInCondition(_ lock: NSCondition, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(lock.withLock { account.deposit(1) }) }
}

@inline(never)
func capturingInConditionLock(_ lock: NSConditionLock, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(lock.withLock { account.deposit(1) }) }
}

@inline(never)
func capturingInMutex(_ lock: HeldMutex, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(lock.withLock { account.deposit(1) }) }
}

@inline(never)
func capturingInUnfairLock(_ lock: HeldUnfairLock, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    keep(
      lock.withLock { total in
        total &+= 1
        return account.deposit(total)
      })
  }
}

@inline(never)
func capturingInUnfairLockIfAvailable(_ lock: HeldUnfairLock, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    keep(
      lock.withLockIfAvailable { total in
        total &+= 1
        return account.deposit(total)
      } ?? 0)
  }
}

@inline(never)
func capturingInReadLock(_ lock: HeldReaderWriterLock, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(lock.withReadLock { account.deposit(1) }) }
}

@inline(never)
func capturingInWriteLock(_ lock: HeldReaderWriterLock, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(lock.withWriteLock { account.deposit(1) }) }
}

@inline(never)
func capturingInConditionVariable(_ owner: LockOwner, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(owner.condition.withLock { account.deposit(1) }) }
}

@inline(never)
func capturingInSmallLock(_ owner: LockOwner, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(owner.small.withLock { account.deposit(1) }) }
}

@inline(never)
func capturingInSynchronized(_ owner: LockOwner, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(insideObject(owner) { account.deposit(1) }) }
}

@inline(never)
func capturingInOnce(_ owner: LockOwner, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    owner.once.run { account.balance = 1 }
    keep(account.balance)
  }
}

func capturingLockRows() -> [Row] {
  [
    row("nslock", "NSLock", .ratio(1.3)) {
      let lock = NSLock(), account = Account()
      return .timed { capturingInLock(lock, account, $0) }
    },
    row("nsrecursivelock", "NSRecursiveLock", .ratio(1.2)) {
      let lock = NSRecursiveLock(), account = Account()
      return .timed { capturingInRecursiveLock(lock, account, $0) }
    },
    row("nscondition", "NSCondition", .notSlower) {
      let lock = NSCondition(), account = Account()
      return .timed { capturingInCondition(lock, account, $0) }
    },
    row("nsconditionlock", "NSConditionLock", .ratio(3)) {
      let lock = NSConditionLock(), account = Account()
      return .timed { capturingInConditionLock(lock, account, $0) }
    },
    row("mutex", "MutexLock", beside: "pthread_mutex", .notSlower) {
      let lock = HeldMutex(), account = Account()
      return .timed { capturingInMutex(lock, account, $0) }
    },
    row("unfair-allocated", "OSAllocatedUnfairLock", beside: "Swift's Mutex", .notSlower) {
      let lock = heldUnfairLock(), account = Account()
      return .timed { capturingInUnfairLock(lock, account, $0) }
    },
    row("unfair-allocated-try", "OSAllocatedUnfairLock, if available", beside: "Swift's Mutex", .notSlower) {
      let lock = heldUnfairLock(), account = Account()
      return .timed { capturingInUnfairLockIfAvailable(lock, account, $0) }
    },
    row("rwlock-read", "ReaderWriterLock, reading", beside: "pthread_rwlock", .notSlower) {
      let lock = HeldReaderWriterLock(), account = Account()
      return .timed { capturingInReadLock(lock, account, $0) }
    },
    row("rwlock-write", "ReaderWriterLock, writing", beside: "pthread_rwlock", .notSlower) {
      let lock = HeldReaderWriterLock(), account = Account()
      return .timed { capturingInWriteLock(lock, account, $0) }
    },
    row("condition-variable", "ConditionVariable", beside: "pthread_mutex", .notSlower) {
      let owner = LockOwner(), account = Account()
      return .timed { capturingInConditionVariable(owner, account, $0) }
    },
    row("small", "UnfairLock", beside: "pthread_mutex", .notSlower) {
      let owner = LockOwner(), account = Account()
      return .timed { capturingInSmallLock(owner, account, $0) }
    },
    row("synchronized", "@synchronized", beside: "NSRecursiveLock", .none) {
      let owner = LockOwner(), account = Account()
      return .timed { capturingInSynchronized(owner, account, $0) }
    },
    row("once", "Once", beside: "a mutex and a flag", .notSlower) {
      let owner = LockOwner(), account = Account()
      return .timed { capturingInOnce(owner, account, $0) }
    },
  ]
}

private func row(
  _ name: String, _ lock: String, beside opponent: String? = nil, _ bar: Bar, _ prepare: @escaping @Sendable () -> Workload
) -> Row {
  LockSubject("\(name)-object", "\(lock), body with an object", beside: opponent, uncontended: prepare).uncontended(bar)
    .completing
}
