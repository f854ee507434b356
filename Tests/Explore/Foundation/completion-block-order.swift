// completion-block-order.swift: a thread waits until an operation has finished, and takes what its completion block has stored.
// The completion block runs after the operation has finished, so the wait can end before it has stored anything.
// Fix: the operation itself stores the result, before it finishes.
import Foundation

let lock = NSLock()
nonisolated(unsafe) var result = 0  // SAFETY: used under `lock` alone.

func fail(_ what: String) -> Never {
  print("failed: \(what)")
  exit(1)
}

func store() { lock.withLock { result = 42 } }

let queue = OperationQueue()
let operation = BlockOperation {
  #if MENDED
  store()
  #endif
}
#if !MENDED
operation.completionBlock = { store() }
#endif
queue.addOperation(operation)
operation.waitUntilFinished()
Thread.sleep(forTimeInterval: 0.04)
if lock.withLock({ result }) != 42 { fail("there is no result yet") }
