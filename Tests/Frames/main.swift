// A program that hangs in one way or another, for Scripts/check-frames: its reports must name its own functions. Built with the toolchain's
// Dispatch and Foundation, or with Signalbox imported (IMPORTED).
#if IMPORTED
import Signalbox
import SignalboxFoundation
#else
import Dispatch
import Foundation
#endif

/// What the deeds work on. Each closure does something of its own, or the compiler would make one of several.
final class Depot: @unchecked Sendable {
  // SAFETY of @unchecked: the queues and the lock guard the counts, and a program that hangs counts no further.
  let first = DispatchQueue(label: "depot.first"), second = DispatchQueue(label: "depot.second")
  let lock = NSLock()
  var boxes = 0, crates = 0, barrels = 0

  @inline(never) func takeTwice(_ number: Int) -> Int {
    first.sync {
      boxes += number
      return first.sync { crates + number }
    }
  }
  @inline(never) func lockTwice(_ number: Int) {
    lock.lock()
    barrels += number
    lock.lock()
    barrels -= number
  }
}

/// Two queues that wait for each other.
@inline(never) func useQueues(_ depot: Depot) {
  let met = DispatchSemaphore(value: 0), there = DispatchSemaphore(value: 0)
  depot.first.async {
    met.signal()
    there.wait()
    depot.second.sync { depot.boxes += 1 }
    depot.boxes *= 2
  }
  depot.second.async {
    there.signal()
    met.wait()
    depot.first.sync { depot.crates += 3 }
    depot.crates *= 5
  }
}

@inline(never) func useLock(_ depot: Depot) {
  depot.second.async {
    depot.lockTwice(7)
    print(depot.barrels)
  }
}

@inline(never) func useOperation(_ depot: Depot) -> OperationQueue {
  let queue = OperationQueue()
  queue.addOperation { print("operation", depot.takeTwice(11)) }
  return queue
}

@inline(never) func useThread(_ depot: Depot) {
  let thread = Thread { print("thread", depot.takeTwice(13), depot.crates) }
  thread.start()
}

@inline(never) func useLoop(_ depot: Depot) {
  let timer = Timer(timeInterval: 0.001, repeats: false) { timer in print("timer", timer.isValid, depot.takeTwice(17)) }
  RunLoop.main.add(timer, forMode: .default)
}

@inline(never) func useMainQueue(_ depot: Depot) {
  DispatchQueue.main.async { print("main", depot.takeTwice(19), depot.boxes, depot.barrels) }
}

/// An item of the main queue that takes too long.
@inline(never) func useMainQueueForLong(_ depot: Depot) {
  DispatchQueue.main.async {
    while depot.boxes == 0 { usleep(20_000) }
    print("long", depot.crates)
  }
}

let depot = Depot()
switch CommandLine.arguments.dropFirst().first ?? "" {
case "queue": useQueues(depot)
case "lock": useLock(depot)
case "operation": useOperation(depot).waitUntilAllOperationsAreFinished()
case "thread": useThread(depot)
case "loop":
  useLoop(depot)
  while RunLoop.main.run(mode: .default, before: .distantFuture) {}
case "main":
  useMainQueue(depot)
  dispatchMain()
case "long":
  useMainQueueForLong(depot)
  dispatchMain()
default:
  print("usage: frames queue | lock | operation | thread | loop | main | long")
  exit(64)
}
// Until the report ends it, or who has read that.
while true { pause() }
