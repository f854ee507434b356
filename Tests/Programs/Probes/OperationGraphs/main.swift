// main.swift: random graphs of small operations that threads wait for, while others cancel them, take dependencies away and let
// go of them: `OperationGraphProbe SECONDS [SEED]`. Meant for a heap on which whoever touches freed memory faults
// (Tests/GuardedHeap).
import Glibc
import SignalboxFoundation

/// A sequence of numbers that is always the same for a seed.
struct Numbers {
  var word: UInt64
  mutating func next(below limit: Int) -> Int {
    word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(word >> 33) % limit
  }
}

/// A few queues, some with one place, and operations that depend on earlier ones.
func runGraph(_ numbers: inout Numbers) {
  let queues = (0..<2).map { _ in OperationQueue() }
  for queue in queues where numbers.next(below: 2) == 0 { queue.maxConcurrentOperationCount = 1 }
  var operations: [Operation] = []
  for number in 0..<12 {
    let pause = numbers.next(below: 4) == 0 ? UInt32(numbers.next(below: 60)) : 0
    let operation = BlockOperation { if pause > 0 { usleep(pause) } }
    if number > 0, numbers.next(below: 3) > 0 { operation.addDependency(operations[numbers.next(below: number)]) }
    operations.append(operation)
    queues[numbers.next(below: 2)].addOperation(operation)
    if numbers.next(below: 8) == 0 { queues[numbers.next(below: 2)].addBarrierBlock {} }
    // Others, which nobody keeps.
    for _ in 0..<numbers.next(below: 4) { queues[numbers.next(below: 2)].addOperation {} }
  }
  let last = operations[11]
  // Waits from inside of an operation as well.
  let waiter = numbers.next(below: 2) == 0 ? BlockOperation { last.waitUntilFinished() } : nil
  let third = OperationQueue()
  if let waiter { third.addOperation(waiter) }
  disturb(&operations, &numbers)
  if numbers.next(below: 2) == 0 { last.waitUntilFinished() } else { queues[0].waitUntilAllOperationsAreFinished() }
  third.waitUntilAllOperationsAreFinished()
  for queue in queues { queue.waitUntilAllOperationsAreFinished() }
}

/// Cancels some, takes dependencies away, and lets go of all but the last.
func disturb(_ operations: inout [Operation], _ numbers: inout Numbers) {
  for operation in operations where numbers.next(below: 4) == 0 {
    if let dependency = operation.dependencies.first { operation.removeDependency(dependency) }
    if numbers.next(below: 2) == 0 { operation.cancel() }
  }
  operations.removeFirst(operations.count - 1)
}

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 1
let seed = CommandLine.arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 1
let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
let threads = DispatchGroup()
for number in 0..<4 {
  threads.enter()
  Thread.detachNewThread {
    var numbers = Numbers(word: seed &* 977 &+ UInt64(number))
    while DispatchTime.now().uptimeNanoseconds < end { runGraph(&numbers) }
    threads.leave()
  }
}
threads.wait()
print("done")
