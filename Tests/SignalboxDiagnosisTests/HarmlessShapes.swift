// HarmlessShapes.swift: the shapes of NoDeadlockTests that need more than two things and an order.
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport

@testable import SignalboxDiagnosis
@testable import SignalboxWaits

/// Holds what it is told to, so that two threads can want each other's with a limit.
private func locked(_ core: LockThing, _ body: () -> Void) {
  core.core.lock(.mutex)
  body()
  _ = core.core.unlock(.mutex)
}
private func soon() -> LockDeadline { .after(.milliseconds(20)) }

let harmless: [HarmlessShape] = [
  HarmlessShape("two locks crosswise, one of the waits timed") {
    let a = LockThing(), b = LockThing(), both = Count()
    together(
      {
        locked(a) {
          both.add()
          while both.value < 2 { sched_yield() }
          if b.core.lock(.mutex, until: soon()) { _ = b.core.unlock(.mutex) }
        }
      },
      {
        locked(b) {
          both.add()
          while both.value < 2 { sched_yield() }
          locked(a) {}
        }
      })
  },
  HarmlessShape("two locks crosswise, both waits timed") {
    let a = LockThing(), b = LockThing(), both = Count()
    let party = { @Sendable (first: LockThing, second: LockThing) in
      locked(first) {
        both.add()
        while both.value < 2 { sched_yield() }
        if second.core.lock(.mutex, until: soon()) { _ = second.core.unlock(.mutex) }
      }
    }
    together({ party(a, b) }, { party(b, a) })
  },
  HarmlessShape("two locks crosswise, each tried") {
    let a = LockThing(), b = LockThing()
    let party = { @Sendable (first: LockThing, second: LockThing) in
      for _ in 0..<2000 { locked(first) { if second.core.tryLock(.mutex) { _ = second.core.unlock(.mutex) } } }
    }
    together({ party(a, b) }, { party(b, a) })
  },
  HarmlessShape("a queue wanted under a lock that its item wants with a limit") {
    let lock = LockThing(), queue = DispatchQueue(label: "limited"), inside = Count()
    together(
      {
        queue.sync {
          inside.add()
          while inside.value < 2 { sched_yield() }
          if lock.core.lock(.mutex, until: soon()) { _ = lock.core.unlock(.mutex) }
        }
      },
      {
        locked(lock) {
          inside.add()
          while inside.value < 2 { sched_yield() }
          queue.sync {}
        }
      })
  },
  HarmlessShape("a loop whose iterations want the caller's lock with a limit, or try it") {
    let lock = LockThing()
    locked(lock) {
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        if index % 2 == 0 ? lock.core.lock(.mutex, until: soon()) : lock.core.tryLock(.mutex) { _ = lock.core.unlock(.mutex) }
      }
    }
  },
  HarmlessShape("two loops under locks of their own, whose iterations want one lock in turn") {
    let a = LockThing(), b = LockThing(), shared = LockThing()
    let party = { @Sendable (own: LockThing) in
      for _ in 0..<50 {
        // Work that sleeps, so that the iterations meet.
        locked(own) { DispatchQueue.concurrentPerform(iterations: 8) { _ in locked(shared) { sleepPlainly(microseconds: 1) } } }
      }
    }
    together({ party(a) }, { party(b) })
  },
  HarmlessShape("an iteration wants a queue whose item wants a lock that the caller gave back before the loop") {
    let lock = LockThing(), queue = DispatchQueue(label: "after the lock")
    for _ in 0..<50 {
      locked(lock) { queue.async { locked(lock) {} } }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in queue.sync {} }
    }
  },
  HarmlessShape("hand over hand along a list of locks, by four threads") {
    let list = (0..<6).map { _ in LockThing() }
    together(
      (0..<4).map { _ in
        {
          for _ in 0..<100 {
            list[0].core.lock(.mutex)
            for index in 1..<list.count {
              list[index].core.lock(.mutex)
              _ = list[index - 1].core.unlock(.mutex)
            }
            _ = list[5].core.unlock(.mutex)
          }
        }
      })
  },
  HarmlessShape("hand over hand around a ring, with a seat free") {
    let ring = (0..<4).map { _ in LockThing() }
    together(
      (0..<3).map { start in
        {
          var at = start
          ring[at].core.lock(.mutex)
          for _ in 0..<60 {
            let next = (at + 1) % ring.count
            ring[next].core.lock(.mutex)
            _ = ring[at].core.unlock(.mutex)
            at = next
          }
          _ = ring[at].core.unlock(.mutex)
        }
      })
  },
  HarmlessShape("readers of two concurrent queues in both orders") {
    let a = DispatchQueue(label: "a", attributes: .concurrent), b = DispatchQueue(label: "b", attributes: .concurrent)
    together({ for _ in 0..<500 { a.sync { b.sync {} } } }, { for _ in 0..<500 { b.sync { a.sync {} } } })
  },
  HarmlessShape("a reader that enters again while nobody wants to be alone") {
    let queue = DispatchQueue(label: "again", attributes: .concurrent)
    together({ for _ in 0..<500 { queue.sync { queue.sync {} } } }, { for _ in 0..<500 { queue.sync { queue.sync {} } } })
  },
  HarmlessShape("both orders on one thread, one after the other") {
    let a = LockThing(), b = LockThing()
    for _ in 0..<100 {
      locked(a) { locked(b) {} }
      locked(b) { locked(a) {} }
    }
  },
  HarmlessShape("five philosophers, the last one left-handed") {
    let forks = (0..<5).map { _ in LockThing() }
    together(
      (0..<5).map { seat in
        {
          let (first, second) = seat == 4 ? (0, 4) : (seat, seat + 1)
          for _ in 0..<200 { locked(forks[first]) { locked(forks[second]) {} } }
        }
      })
  },
  HarmlessShape("a semaphore each, crosswise, and a third thread that signals") {
    let a = DispatchSemaphore(value: 0), b = DispatchSemaphore(value: 0)
    let standing = waitingThreads()
    together(
      {
        a.wait()
        b.signal()
      },
      {
        b.wait()
        a.signal()
      },
      {
        until("both wait") { waitingThreads() >= standing + 2 }
        a.signal()
      })
  },
  HarmlessShape("a semaphore waited for under a lock that the signaller does not take") {
    let lock = LockThing(), semaphore = DispatchSemaphore(value: 0)
    together({ locked(lock) { semaphore.wait() } }, { semaphore.signal() }, { locked(lock) {} })
  },
  HarmlessShape("a group waited for on a queue, whose members are elsewhere") {
    let queue = DispatchQueue(label: "waits"), group = DispatchGroup()
    runToEnd(on: queue) {
      for _ in 0..<8 { DispatchQueue.global().async(group: group) { sched_yield() } }
      group.wait()
    }
  },
  HarmlessShape("a group waited for on a queue that holds one member of two; the other leaves late, with a limit") {
    let queue = DispatchQueue(label: "holds one"), group = DispatchGroup()
    runToEnd(on: queue) {
      queue.async(group: group) {}
      DispatchQueue.global().async(group: group) { sleepPlainly(milliseconds: 2) }  // work that takes a while
      _ = group.wait(timeout: .now() + .milliseconds(20))
    }
    group.wait()
  },
  HarmlessShape("a work item that another thread performs") {
    let item = DispatchWorkItem {}, lock = LockThing(), standing = waitingThreads()
    together(
      { locked(lock) { item.wait() } },
      {
        until("the wait") { waitingThreads() > standing }
        item.perform()
      })
  },
  HarmlessShape("a work item waited for under a lock that the next item on its thread takes") {
    let queue = DispatchQueue(label: "shape.next"), lock = OSAllocatedUnfairLock()
    for _ in 0..<2_000 {
      let item = DispatchWorkItem {}
      lock.lock()
      queue.async(execute: item)
      queue.async { lock.withLock {} }
      item.wait()
      lock.unlock()
      queue.sync {}
    }
  },
  HarmlessShape("a work item in two queues, one of them held by who waits") {
    let item = DispatchWorkItem {}, mine = DispatchQueue(label: "mine"), other = DispatchQueue(label: "other")
    let standing = waitingThreads()
    other.suspend()
    together(
      {
        mine.sync {
          other.async(execute: item)
          mine.async(execute: item)
          item.wait()
        }
      },
      {
        until("the wait") { waitingThreads() > standing }
        other.resume()
      })
  },
  HarmlessShape("a suspended queue that is waited for under a lock, resumed by a third") {
    let queue = DispatchQueue(label: "suspended"), lock = LockThing(), standing = waitingThreads()
    queue.suspend()
    together(
      { locked(lock) { queue.sync {} } }, { locked(lock) {} },
      {
        until("somebody waits") { waitingThreads() > standing }
        queue.resume()
      })
  },
  HarmlessShape("a queue retargeted between waits") {
    let first = DispatchQueue(label: "first target"), second = DispatchQueue(label: "second target")
    for target in [first, second, first] {
      let queue = DispatchQueue(label: "moves", target: target)
      together({ for _ in 0..<100 { queue.sync {} } }, { for _ in 0..<100 { target.sync {} } })
    }
  },
  HarmlessShape("items that submit to each other's queues") {
    let a = DispatchQueue(label: "ping"), b = DispatchQueue(label: "pong"), group = DispatchGroup()
    for _ in 0..<200 {
      a.async(group: group) { b.async(group: group) {} }
      b.async(group: group) { a.async(group: group) {} }
    }
    group.wait()
  },
  HarmlessShape("a thread that ended while it held a lock, and a newcomer in its slot") {
    let lock = LockThing(), mine = LockThing()
    for _ in 0..<20 {
      let held = LockThing()
      PlainThread("leaver") { held.core.lock(.mutex) }.join()
      together(
        { locked(mine) { if held.core.lock(.mutex, until: soon()) { _ = held.core.unlock(.mutex) } } },
        { locked(lock) { locked(mine) {} } })
    }
  },
  HarmlessShape("locks freed and made again at one address, by threads that come and go") {
    for round in 0..<50 {
      let a = LockThing(), b = LockThing()
      let (first, second) = round % 2 == 0 ? (a, b) : (b, a)
      let party = { @Sendable in for _ in 0..<20 { locked(first) { locked(second) {} } } }
      together(party, party)
    }
  },
  HarmlessShape("a lock handed to a starving thread while others queue") {
    let lock = LockThing(), over = Count()
    let slow: @Sendable () -> Void = {
      for _ in 0..<8 { locked(lock) { sleepPlainly(milliseconds: 3) } }  // long enough that others starve
      over.add()
    }
    together(slow, slow, slow, slow, { while over.value < 4 { locked(lock) {} } })
  },
  HarmlessShape("once waited for by many, while the runner uses a queue they are not on") {
    let once = OnceThing(), queue = DispatchQueue(label: "used")
    together((0..<6).map { _ in { once.hold { queue.sync { sleepPlainly(milliseconds: 2) } } } })  // while the others wait
  },
  HarmlessShape("a barrier behind readers that come out") {
    let queue = DispatchQueue(label: "in and out", attributes: .concurrent)
    together(
      { for _ in 0..<200 { queue.sync(flags: .barrier) {} } }, { for _ in 0..<200 { queue.sync {} } },
      { for _ in 0..<200 { queue.async {} } }, { for _ in 0..<200 { queue.async(flags: .barrier) {} } })
    queue.sync(flags: .barrier) {}
  },
  HarmlessShape("a parallel loop whose bodies take one lock") {
    let lock = LockThing()
    DispatchQueue.concurrentPerform(iterations: 500) { _ in locked(lock) {} }
  },
  HarmlessShape("a parallel loop under a lock that its bodies do not take") {
    let lock = LockThing(), other = LockThing()
    locked(lock) { DispatchQueue.concurrentPerform(iterations: 500) { _ in locked(other) {} } }
  },
]
