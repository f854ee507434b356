// Waits.swift: threads that each wait for another kind of thing, whose holders stay: every form in which a wait is read.
import Glibc
import Signalbox

enum Waits {
  private static let never = DispatchSemaphore(value: 0)
  private static let unfair = OSAllocatedUnfairLock()
  private static let mutexes = [
    MutexLock(name: "probe mutex"), MutexLock(kind: .recursive), MutexLock(kind: .errorCheck),
  ]
  private static let read = ReaderWriterLock(), written = ReaderWriterLock()
  private static let once = Once(), condition = ConditionVariable()
  private static let serial = DispatchQueue(label: "probe.serial"), suspended = DispatchQueue(label: "probe.suspended")
  private static let below = DispatchQueue(label: "probe.below", target: suspended)
  private static let concurrent = DispatchQueue(label: "probe.concurrent", attributes: .concurrent)
  private static let item = DispatchWorkItem { stay() }, group = DispatchGroup()
  private static let begun = DispatchSemaphore(value: 0)

  /// What holds something says so, and does not end.
  private static func stay() {
    begun.signal()
    never.wait()
  }

  static func begin() -> Never {
    thread { unfair.withLock { stay() } }
    for mutex in mutexes { thread { mutex.withLock { stay() } } }
    thread { read.withReadLock { stay() } }
    thread { written.withWriteLock { stay() } }
    thread { once.run { stay() } }
    thread { concurrent.sync { stay() } }
    serial.async { stay() }
    DispatchQueue.global().async(execute: item)
    for _ in 0..<10 { begun.wait() }
    suspended.suspend()
    group.enter()
    (group.name, never.name) = ("probe group, with a name that does not fit in two words", "probe semaphore")

    thread { unfair.withLock {} }
    for mutex in mutexes { thread { mutex.withLock {} } }
    thread { read.withWriteLock {} }
    // Once a writer waits, readers wait for it.
    while read.tryReadLock() {
      read.readUnlock()
      sched_yield()
    }
    thread { read.withReadLock {} }
    thread { written.withReadLock {} }
    thread { once.run {} }
    thread { condition.withLock { condition.wait() } }
    thread { serial.sync {} }
    thread { serial.asyncAndWait {} }
    thread { suspended.sync {} }
    thread { below.sync {} }
    thread { concurrent.sync(flags: .barrier) {} }
    thread { DispatchQueue.main.sync {} }
    thread { item.wait() }
    thread { group.wait() }
    ready()
  }
}
