// operation-queues-abba.swift: an operation of each of two queues of width one adds one to the other queue and waits for it.
// If both are in their operations at once, neither queue has a place for the one that the other waits for: both wait forever.
// Fix: only the one direction waits; the other way the work is added and not waited for.
import Foundation

let database = OperationQueue()
let log = OperationQueue()
for queue in [database, log] { queue.maxConcurrentOperationCount = 1 }

let store = BlockOperation {
  let line = BlockOperation {}
  log.addOperation(line)
  line.waitUntilFinished()
}
let rotate = BlockOperation {
  let row = BlockOperation {}
  database.addOperation(row)
  #if !MENDED
  row.waitUntilFinished()
  #endif
}
database.addOperation(store)
Thread.sleep(forTimeInterval: 0.04)
log.addOperation(rotate)
store.waitUntilFinished()
rotate.waitUntilFinished()
