// OperationRows.swift: operations and their queues: many blocks, one at a time, chains, fans. The locks are LockRows.swift.
import BenchSupport

/// All rows about operations, on the library that this module is compiled on.
public func operationRows() -> [Row] {
  [
    Row(
      "operation-add-drain", .operations, "addOperation { } many times, until all have run", bar: .ratio(5),
      floor: .storedContext(bytes: 32), batch: .fixed(5_000)
    ) { blocks(limit: OperationQueue.defaultMaxConcurrentOperationCount) },
    Row(
      "operation-serial", .operations, "addOperation { } many times on a queue that runs one at a time, until all have run",
      bar: .ratio(6), floor: .storedContext(bytes: 32), batch: .fixed(5_000)
    ) { blocks(limit: 1) },
    Row(
      "operation-chain", .operations, "one operation of a chain of 3,000 that depend on one another: made, added, run",
      bar: .ratio(200), floor: .storedContext(bytes: 128), batch: .fixed(3_000)
    ) {
      let queue = OperationQueue()
      return .timed { count in runChain(count, on: queue) }
    },
    Row(
      "operation-fan", .operations, "one of 3,000 operations between a first and a last: made, added, run", bar: .ratio(200),
      floor: .storedContext(bytes: 128), batch: .fixed(3_000)
    ) {
      let queue = OperationQueue()
      return .timed { count in runFan(count, on: queue) }
    },
  ]
}

private func blocks(limit: Int) -> Workload {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = limit
  return .timed { count in
    for _ in 0..<count { queue.addOperation { opaqueBody() } }
    queue.waitUntilAllOperationsAreFinished()
  }
}

private func runChain(_ count: Int, on queue: OperationQueue) {
  var operations: [Operation] = []
  for _ in 0..<count {
    let operation = BlockOperation { opaqueBody() }
    if let before = operations.last { operation.addDependency(before) }
    operations.append(operation)
  }
  queue.addOperations(operations, waitUntilFinished: false)
  queue.waitUntilAllOperationsAreFinished()
}

private func runFan(_ count: Int, on queue: OperationQueue) {
  let first = BlockOperation {}
  let last = BlockOperation {}
  var operations: [Operation] = [first]
  for _ in 0..<count {
    let operation = BlockOperation { opaqueBody() }
    operation.addDependency(first)
    last.addDependency(operation)
    operations.append(operation)
  }
  queue.addOperations(operations + [last], waitUntilFinished: false)
  queue.waitUntilAllOperationsAreFinished()
}
