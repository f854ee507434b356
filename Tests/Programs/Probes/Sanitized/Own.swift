// Own.swift: cases without a race for what the toolchain's library lacks, or loses under the sanitizer: one promised order each.
import Synchronization

private func countBetween(_ lock: @escaping @Sendable () -> Void, _ unlock: @escaping @Sendable () -> Void) {
  DispatchQueue.concurrentPerform(iterations: 4) { _ in
    for _ in 0..<many {
      lock()
      state.count += 1
      unlock()
    }
  }
}

/// Structs that cannot be copied, for closures.
private final class Locks: Sendable {
  let condition = ConditionVariable()
  let once = Once()
  let isThere = Atomic(false)
}

private actor OnQueue {
  let queue: DispatchQueue
  init(_ queue: DispatchQueue) { self.queue = queue }
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  func add() { state.count += 1 }
}

let ownCases = [
  Case("barrier-items") {
    let (queue, group) = (DispatchQueue(label: "concurrent", attributes: .concurrent), DispatchGroup())
    let item = DispatchWorkItem(flags: .barrier) { state.count += 1 }
    for _ in 0..<many {
      queue.async(group: group, flags: .barrier) { state.count += 1 }
      queue.async(qos: .utility, flags: .barrier) { state.count += 1 }
      queue.async(execute: item)
      queue.sync(execute: item)
      queue.asyncAndWait(flags: .barrier) { state.count += 1 }
    }
    queue.sync(flags: .barrier) { state.count += 1 }
    group.wait()
  },
  Case("asynchronous-and-waited-for") {
    let queue = DispatchQueue(label: "serial")
    for _ in 0..<10 {
      doElsewhere { queue.asyncAndWait { state.count += 1 } }
      queue.asyncAndWait { state.count += 1 }
    }
  },
  Case("workloop-activated") {
    let queue = DispatchWorkloop(label: "workloop", attributes: .initiallyInactive)
    queue.async(execute: countAndTell)
    state.count += 1
    queue.activate()
    done.wait()
    let group = DispatchGroup()
    for qos in [DispatchQoS.background, .utility, .userInteractive] { queue.async(group: group, qos: qos) { state.count += 1 } }
    queue.asyncAndWait { state.count += 1 }
    group.wait()
  },
  Case("actor-on-queue") {
    let queue = DispatchQueue(label: "actor")
    let actor = OnQueue(queue)
    runAsync {
      await withTaskGroup { group in
        for _ in 0..<many {
          group.addTask { await actor.add() }
          queue.async { state.count += 1 }
        }
      }
      await actor.add()
    }
  },
  Case("pool-executor") {
    runAsync {
      state.count += 1
      let task = Task(executorPreference: PoolExecutor.shared) { state.count += 1 }
      await task.value
      state.count += 1
    }
  },
  Case("port") {
    guard let (receiver, sender) = try? SignalboxPort.makePair() else { return }
    let source = DispatchSource.makeMachReceiveSource(port: receiver.name, queue: .global())
    source.setEventHandler {
      guard case .message? = try? receiver.receive() else { return }
      countAndTell()
    }
    source.activate()
    doElsewhere { _ = try? sender.send([1]) }
    done.wait()
    source.cancel()
  },
  Case("unfair-lock") {
    let lock = OSAllocatedUnfairLock()
    countBetween({ lock.lock() }, { lock.unlock() })
  },
  Case("mutex-lock") {
    for kind in [MutexLock.Kind.normal, .recursive, .errorCheck] {
      let lock = MutexLock(kind: kind)
      countBetween({ _ = lock.lock() }, { _ = lock.unlock() })
    }
  },
  Case("reader-writer-lock") {
    let (lock, seen) = (ReaderWriterLock(), Count())
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for _ in 0..<many {
        if index == 0 { lock.withWriteLock { state.count += 1 } }
        lock.withReadLock { _ = seen.number.add(state.count, ordering: .relaxed) }
      }
    }
  },
  Case("synchronized") {
    let object = State()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<many { synchronized(object) { state.count += 1 } }
    }
  },
  Case("once") {
    let (locks, seen) = (Locks(), Count())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      locks.once.run { state.count += 1 }
      seen.number.add(state.count, ordering: .relaxed)
    }
  },
  Case("condition-variable") {
    let locks = Locks()
    doElsewhere {
      state.count += 1
      locks.condition.withLock { locks.isThere.store(true, ordering: .relaxed) }
      locks.condition.signal()
    }
    locks.condition.withLock { while !locks.isThere.load(ordering: .relaxed) { locks.condition.wait() } }
    state.count += 1
  },
]
