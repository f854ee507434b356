// Classes.swift: cases without a race: one promised order each of Foundation's locks, operations, threads and run loops.
import Synchronization

/// Counts on several threads at a time, each count between the two.
private func countBetween(_ lock: @escaping @Sendable () -> Void, _ unlock: @escaping @Sendable () -> Void) {
  DispatchQueue.concurrentPerform(iterations: 4) { _ in
    for _ in 0..<many {
      lock()
      state.count += 1
      unlock()
    }
  }
}

private final class Work: Operation, @unchecked Sendable {
  override func main() { state.count += 1 }
}

/// An operation that ends when it says so.
private final class Slow: Operation, @unchecked Sendable {
  private let stage = Atomic(0)
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { stage.load(ordering: .relaxed) == 1 }
  override var isFinished: Bool { stage.load(ordering: .relaxed) == 2 }
  override func start() {
    enter(1, "isExecuting")
    doElsewhere {
      state.count += 1
      self.enter(2, "isFinished")
    }
  }
  private func enter(_ number: Int, _ key: String) {
    willChangeValue(forKey: key)
    stage.store(number, ordering: .relaxed)
    didChangeValue(forKey: key)
  }
}

private func makeQueue(_ width: Int) -> OperationQueue {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = width
  return queue
}

let classCases = [
  Case("lock") {
    let lock = NSLock()
    countBetween({ lock.lock() }, { lock.unlock() })
    doElsewhere { lock.withLock { state.count += 1 } }
    while !lock.try() { sched_yield() }
    state.count += 1
  },
  Case("recursive-lock") {
    let lock = NSRecursiveLock()
    countBetween({ lock.lock() }, { lock.unlock() })
  },
  Case("condition") {
    let condition = NSCondition()
    let isThere = Count()
    doElsewhere {
      state.count += 1
      condition.lock()
      isThere.number.store(1, ordering: .relaxed)
      condition.signal()
      condition.unlock()
    }
    condition.lock()
    while isThere.number.load(ordering: .relaxed) == 0 { condition.wait() }
    condition.unlock()
    state.count += 1
  },
  Case("condition-lock") {
    let lock = NSConditionLock(condition: 0)
    doElsewhere {
      state.count += 1
      lock.lock()
      lock.unlock(withCondition: 1)
    }
    lock.lock(whenCondition: 1)
    state.count += 1
    lock.unlock()
  },
  Case("operations") {
    let queue = makeQueue(1)
    for _ in 0..<many { queue.addOperation { state.count += 1 } }
    queue.waitUntilAllOperationsAreFinished()
    state.count += 1
  },
  Case("dependencies") {
    let queue = makeQueue(4)
    let all = (0..<many).map { _ in Work() }
    for (first, second) in zip(all, all.dropFirst()) { second.addDependency(first) }
    queue.addOperations(all, waitUntilFinished: true)
    state.count += 1
  },
  Case("dependency-on-another-queue") {
    let (first, second) = (Work(), Work())
    second.addDependency(first)
    makeQueue(1).addOperation(second)
    makeQueue(1).addOperation(first)
    second.waitUntilFinished()
    state.count += 1
  },
  Case("asynchronous-operation") {
    let (first, second) = (Slow(), Work())
    second.addDependency(first)
    first.completionBlock = nil
    makeQueue(2).addOperations([first, second], waitUntilFinished: false)
    second.waitUntilFinished()
    state.count += 1
  },
  Case("completion-block") {
    let work = Work()
    work.completionBlock = countAndTell
    makeQueue(1).addOperation(work)
    done.wait()
  },
  Case("operation-started-by-hand") {
    let work = Work()
    doElsewhere { work.start() }
    work.waitUntilFinished()
    state.count += 1
  },
  Case("operation-barrier") {
    let (queue, numbers) = (makeQueue(4), (0..<8).map { _ in State() })
    for number in numbers { queue.addOperation { number.count = 1 } }
    queue.addBarrierBlock { state.count = numbers.reduce(0) { $0 + $1.count } }
    queue.addOperation { done.signal() }
    done.wait()
    queue.addBarrierBlock(countAndTell)
    done.wait()
  },
  Case("operation-queue-resumed") {
    let queue = makeQueue(1)
    queue.isSuspended = true
    queue.addOperation(countAndTell)
    state.count += 1
    queue.isSuspended = false
    done.wait()
  },
  Case("operation-queue-on-queue") {
    let (queue, base) = (makeQueue(1), DispatchQueue(label: "base"))
    queue.underlyingQueue = base
    for _ in 0..<many {
      queue.addOperation { state.count += 1 }
      base.async { state.count += 1 }
    }
    queue.waitUntilAllOperationsAreFinished()
    base.sync { state.count += 1 }
  },
  Case("cancelled-operation") {
    let (queue, work) = (makeQueue(1), Work())
    queue.isSuspended = true
    work.completionBlock = countAndTell
    queue.addOperation(work)
    doElsewhere {
      state.count += 1
      work.cancel()
    }
    queue.isSuspended = false
    done.wait()
  },
  Case("thread") {
    state.count += 1
    Thread.detachNewThread(countAndTell)
    done.wait()
    let thread = Thread(block: countAndTell)
    state.count += 1
    thread.start()
    done.wait()
  },
  Case("run-loop") {
    let loop = Shared(RunLoop.current)
    doElsewhere {
      state.count += 1
      loop.object.perform { state.count += 1 }
    }
    loop.object.run(until: Date() + 0.05)
    state.count += 1
  },
  Case("run-loop-timer") {
    state.count += 1
    _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in state.count += 1 }
    RunLoop.current.run(until: Date() + 0.05)
    state.count += 1
  },
  Case("main-operations") {
    makeQueue(1).addOperation {
      state.count += 1
      OperationQueue.main.addOperation {
        state.count += 1
        finish()
      }
    }
    RunLoop.main.run()
  },
  Case("notifications-of-queue") {
    let name = Notification.Name("deed")
    let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: makeQueue(1)) { _ in state.count += 1
    }
    doElsewhere {
      state.count += 1
      NotificationCenter.default.post(name: name, object: nil)
    }
    NotificationCenter.default.removeObserver(token)
    state.count += 1
  },
  Case("bytes-of-file-handle") {
    let pipe = Pipe()
    pipe.fileHandleForReading.readabilityHandler = { handle in
      if handle.availableData.isEmpty { return }
      handle.readabilityHandler = nil
      countAndTell()
    }
    doElsewhere {
      state.count += 1
      pipe.fileHandleForWriting.write(Data([1]))
    }
    done.wait()
  },
  Case("end-of-process") {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/true")
    process.terminationHandler = { _ in countAndTell() }
    state.count += 1
    guard (try? process.run()) != nil else { return }
    process.waitUntilExit()
    done.wait()
  },
]
