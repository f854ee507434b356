// CapturingRows.swift: bodies as programs write them: they read and write an object that they capture, and most return a value. The
// loops are functions of their own, so that `Scripts/check-captures` can read their machine code.
import BenchSupport

/// What the bodies capture.
// SAFETY of @unchecked: the bodies use it in their queue's turn only, and those that run at the same time use an entry each.
final class Account: @unchecked Sendable {
  enum Refusal: Error { case overdrawn }

  static let most = 4_096
  var balance: UInt64 = 0
  let entries: UnsafeMutablePointer<UInt64>

  init() {
    entries = .allocate(capacity: Self.most)
    entries.initialize(repeating: 0, count: Self.most)
  }
  deinit { entries.deallocate() }

  @inline(__always) func deposit(_ amount: UInt64) -> UInt64 {
    balance &+= amount
    return balance
  }

  @inline(__always) func checkedDeposit(_ amount: UInt64) throws -> UInt64 {
    balance &+= amount
    if balance == 0 { throw Refusal.overdrawn }
    return balance
  }
}

// MARK: queues

@inline(never)
func capturingInSync(_ queue: DispatchQueue, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(queue.sync { account.deposit(1) }) }
}

@inline(never)
func capturingInPlainSync(_ queue: DispatchQueue, _ account: Account, _ count: Int) {
  for _ in 0..<count { queue.sync { account.balance &+= 1 } }
}

@inline(never)
func capturingInThrowingSync(_ queue: DispatchQueue, _ account: Account, _ count: Int) throws {
  for _ in 0..<count { keep(try queue.sync { try account.checkedDeposit(1) }) }
}

@inline(never)
func capturingInBarrier(_ queue: DispatchQueue, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(queue.sync(flags: .barrier) { account.deposit(1) }) }
}

@inline(never)
func capturingInAsyncAndWait(_ queue: DispatchQueue, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(queue.asyncAndWait { account.deposit(1) }) }
}

@inline(never)
func capturingInPerform(_ account: Account, _ count: Int) {
  DispatchQueue.concurrentPerform(iterations: count) { account.entries[$0] &+= 1 }
}

@inline(never)
func capturingInWorkItem(_ item: DispatchWorkItem, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    item.perform()
    keep(account.balance)
  }
}

// MARK: shared collections

@inline(never)
func capturingInArrayUpdate(_ array: SharedCounts, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    keep(
      array.update(at: 0) { number in
        number &+= 1
        return account.deposit(number)
      } ?? 0)
  }
}

@inline(never)
func capturingInArrayLock(_ array: SharedCounts, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    keep(
      array.withLock { numbers in
        numbers[0] &+= 1
        return account.deposit(numbers[0])
      })
  }
}

@inline(never)
func capturingInDictionaryUpdate(_ table: SharedTable, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    keep(
      table.update(forKey: 1) { number in
        number &+= 1
        return account.deposit(number)
      } ?? 0)
  }
}

@inline(never)
func capturingInDictionaryDefault(_ table: SharedTable, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    keep(
      table.update(forKey: 1, default: 0) { number in
        number &+= 1
        return account.deposit(number)
      })
  }
}

@inline(never)
func capturingInDictionaryInsert(_ table: SharedTable, _ account: Account, _ count: Int) {
  for _ in 0..<count { keep(table.value(forKey: 1) { account.deposit(1) }) }
}

// MARK: rows

func capturingRows() -> [Row] {
  [
    row("sync-serial-object", .sync, "sync of a body that changes a captured object", .ratio(8)) { account in
      let queue = DispatchQueue(label: "bench.serial")
      return { capturingInSync(queue, account, $0) }
    },
    row("sync-concurrent-object", .sync, "sync on a concurrent queue of a body that changes a captured object", .ratio(8)) {
      account in
      let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
      return { capturingInSync(queue, account, $0) }
    },
    row("sync-barrier-object", .sync, "barrier sync of a body that changes a captured object", .ratio(8)) { account in
      let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent)
      return { capturingInBarrier(queue, account, $0) }
    },
    row("sync-plain-object", .sync, "sync of a body that changes a captured object and returns nothing", .ratio(8)) { account in
      let queue = DispatchQueue(label: "bench.serial")
      return { capturingInPlainSync(queue, account, $0) }
    },
    row("sync-throwing-object", .sync, "sync of a body that changes a captured object and may throw", .ratio(8)) { account in
      let queue = DispatchQueue(label: "bench.serial")
      return { try? capturingInThrowingSync(queue, account, $0) }
    },
    row("async-and-wait-object", .sync, "asyncAndWait of a body that changes a captured object (beside it: sync)", .notSlower) {
      account in
      let queue = DispatchQueue(label: "bench.serial")
      return { capturingInAsyncAndWait(queue, account, $0) }
    },
    row(
      "perform-object", .parallel, "one iteration of concurrentPerform that changes an entry of a captured object", .ratio(4),
      floor: .body(calls: 1), batch: .fixed(Account.most)
    ) { account in
      { capturingInPerform(account, $0) }
    },
    row("work-item-object", .objects, "perform a work item that changes a captured object", .notSlower) { account in
      let item = DispatchWorkItem { account.balance &+= 1 }
      return { capturingInWorkItem(item, account, $0) }
    },
    row("s1-array-update-object", .collections, "update an element of a shared array beside a captured object", .ratio(5)) {
      account in
      let array = SharedCounts([0])
      return { capturingInArrayUpdate(array, account, $0) }
    },
    row("s1-array-lock-object", .collections, "change a whole shared array beside a captured object", .ratio(5)) { account in
      let array = SharedCounts([0])
      return { capturingInArrayLock(array, account, $0) }
    },
    row("s1-dictionary-update-object", .collections, "update a value of a shared dictionary", .notSlower) { account in
      let table = SharedTable([1: 0])
      return { capturingInDictionaryUpdate(table, account, $0) }
    },
    row("s1-dictionary-default-object", .collections, "update a value of a shared dictionary, or a default", .notSlower) {
      account in
      let table = SharedTable([1: 0])
      return { capturingInDictionaryDefault(table, account, $0) }
    },
    row("s1-dictionary-insert-object", .collections, "find a value, or else make it", .notSlower) { account in
      let table = SharedTable([1: 0])
      return { capturingInDictionaryInsert(table, account, $0) }
    },
  ]
}

private func row(
  _ name: String, _ group: RowGroup, _ operation: String, _ bar: Bar, floor: Floor = .swapPair,
  batch: Batch = .elastic(minimum: 100), _ loop: @escaping (Account) -> (Int) -> Void
) -> Row {
  Row(name, group, operation, bar: bar, floor: floor, batch: batch) { .timed(loop(Account())) }
}
