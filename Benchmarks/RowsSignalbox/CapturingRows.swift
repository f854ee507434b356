// CapturingRows.swift: `sync` as programs write it: the body reads and writes an object that it captures, and returns a value. The
// loops are functions of their own, so that `Scripts/check-captures` can read their machine code.
import BenchSupport

/// What the bodies capture.
// SAFETY of @unchecked: the bodies use it in their queue's turn only.
final class Account: @unchecked Sendable {
  var balance: UInt64 = 0
}

@inline(never)
func capturingInSync(_ queue: DispatchQueue, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    let balance = queue.sync {
      account.balance &+= 1
      return account.balance
    }
    keep(balance)
  }
}

@inline(never)
func capturingInBarrier(_ queue: DispatchQueue, _ account: Account, _ count: Int) {
  for _ in 0..<count {
    let balance = queue.sync(flags: .barrier) {
      account.balance &+= 1
      return account.balance
    }
    keep(balance)
  }
}

func capturingRows() -> [Row] {
  [
    Row("sync-serial-object", .sync, "sync of a body that changes a captured object", bar: .ratio(8), floor: .swapPair) {
      let queue = DispatchQueue(label: "bench.serial"), account = Account()
      return .timed { count in capturingInSync(queue, account, count) }
    },
    Row("sync-concurrent-object", .sync, "the same on a concurrent queue", bar: .ratio(8), floor: .swapPair) {
      let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent), account = Account()
      return .timed { count in capturingInSync(queue, account, count) }
    },
    Row("sync-barrier-object", .sync, "the same behind a barrier", bar: .ratio(8), floor: .swapPair) {
      let queue = DispatchQueue(label: "bench.concurrent", attributes: .concurrent), account = Account()
      return .timed { count in capturingInBarrier(queue, account, count) }
    },
  ]
}
