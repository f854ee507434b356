// main.swift: programs on the toolchain's own Dispatch and Foundation that are well, however busy: each waits again and
// again, and every wait ends. To be inspected from outside, where no deadlock may be seen. `WellProbe KIND`; without a
// kind it prints all. It says "ready" once it works. Ended by a signal.
import Foundation

/// Does `body` again and again, on one thread or more.
func again(threads: Int = 1, _ body: @escaping @Sendable () -> Void) {
  for _ in 0..<threads {
    let thread = Thread { while true { body() } }
    thread.start()
  }
}

func work() { usleep(50) }

let one = DispatchQueue(label: "well.one"), other = DispatchQueue(label: "well.other")
let wide = DispatchQueue(label: "well.wide", attributes: .concurrent)
let lock = NSLock(), innerLock = NSLock(), recursive = NSRecursiveLock(), condition = NSCondition()
let first = DispatchSemaphore(value: 0), second = DispatchSemaphore(value: 0)

/// Sends itself on between two queues.
@Sendable func pass(_ next: DispatchQueue, _ then: DispatchQueue) {
  next.async {
    work()
    pass(then, next)
  }
}

@Sendable func later() {
  one.asyncAfter(deadline: .now() + 0.001) {
    work()
    later()
  }
}

final class Box: @unchecked Sendable {
  // SAFETY: only under the condition's lock.
  var count = 0
}
let box = Box()

let kinds: [(name: String, start: @Sendable () -> Void)] = [
  ("serial", { again(threads: 4) { one.sync { work() } } }),
  ("passing", { pass(one, other) }),
  ("ordered", { again(threads: 3) { one.sync { other.sync { work() } } } }),
  (
    "targets",
    {
      let children = (0..<3).map { DispatchQueue(label: "well.child.\($0)", target: one) }
      for child in children { again { child.sync { work() } } }
    }
  ),
  (
    "barrier",
    {
      again(threads: 3) { wide.sync { work() } }
      again { wide.sync(flags: .barrier) { work() } }
      again {
        let isOver = DispatchSemaphore(value: 0)
        wide.async(flags: .barrier) {
          work()
          isOver.signal()
        }
        isOver.wait()
      }
    }
  ),
  (
    "group",
    {
      again(threads: 2) {
        let group = DispatchGroup()
        for queue in [one, wide] { queue.async(group: group) { work() } }
        group.wait()
      }
    }
  ),
  (
    "semaphores",
    {
      again {
        first.signal()
        second.wait()
      }
      again {
        first.wait()
        work()
        second.signal()
      }
    }
  ),
  (
    "locks",
    {
      again(threads: 3) {
        lock.lock()
        innerLock.lock()
        work()
        innerLock.unlock()
        lock.unlock()
      }
    }
  ),
  (
    "queue and lock",
    {
      again(threads: 2) { one.sync { lock.withLock { work() } } }
      again { lock.withLock { work() } }
    }
  ),
  (
    "work items",
    {
      again(threads: 2) {
        let item = DispatchWorkItem { work() }
        wide.async(execute: item)
        item.wait()
      }
    }
  ),
  ("main", { again(threads: 2) { DispatchQueue.main.sync { work() } } }),
  (
    "both ways",
    {
      again { one.sync { wide.sync { work() } } }
      again { wide.sync { other.sync { work() } } }
    }
  ),
  ("iterations", { again { DispatchQueue.concurrentPerform(iterations: 20) { _ in work() } } }),
  (
    "operations",
    {
      again(threads: 2) {
        let queue = OperationQueue(), first = BlockOperation { work() }, second = BlockOperation { work() }
        second.addDependency(first)
        queue.addOperations([second, first], waitUntilFinished: false)
        second.waitUntilFinished()
      }
    }
  ),
  (
    "operation queue",
    {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      again {
        for _ in 0..<5 { queue.addOperation { work() } }
        queue.waitUntilAllOperationsAreFinished()
      }
    }
  ),
  (
    "condition",
    {
      again {
        condition.lock()
        box.count += 1
        condition.signal()
        condition.unlock()
        work()
      }
      again(threads: 2) {
        condition.lock()
        while box.count == 0 { condition.wait() }
        box.count -= 1
        condition.unlock()
      }
    }
  ),
  (
    "recursive",
    {
      again(threads: 3) {
        recursive.withLock { recursive.withLock { work() } }
      }
    }
  ),
  ("later", { later() }),
  (
    "suspended",
    {
      again {
        one.suspend()
        work()
        one.resume()
        one.sync { work() }
      }
      again { one.sync { work() } }
    }
  ),
  (
    "threads",
    {
      again {
        let isOver = DispatchSemaphore(value: 0), thread = Thread { isOver.signal() }
        thread.start()
        isOver.wait()
      }
    }
  ),
  (
    "retargeted",
    {
      again {
        let queue = DispatchQueue(label: "well.new", attributes: .initiallyInactive)
        queue.setTarget(queue: one)
        queue.activate()
        queue.sync { work() }
      }
      again { one.sync { work() } }
    }
  ),
]

guard CommandLine.arguments.count == 2, let kind = kinds.first(where: { $0.name == CommandLine.arguments[1] }) else {
  for kind in kinds { print(kind.name) }
  exit(64)
}
kind.start()
print("ready")
fflush(nil)
dispatchMain()
