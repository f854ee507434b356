// HolderInheritTests.swift: a background thread that has what a more urgent thread waits for, though it drains no background queue: it holds a
// queue of any class by `sync`, runs what runs once, or reads where another thread wants to write. Locks with one holder are LockInheritTests.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct HolderInheritTests {
    typealias Standing = BandTests.Standing

    /// What a background item holds, and how a thread waits for it.
    enum Way: String, CaseIterable, Codable {
      case sync, asyncAndWait, workItem, group, nested, retargeted, syncOnLower
      case barrierForReader, barrierForBarrier, readerForBarrier
      case token, once, readerForWriter
    }

    final class Thing: @unchecked Sendable {
      // SAFETY of @unchecked: what threads use is for all threads.
      private let way: Way
      private let queue: DispatchQueue, inner: DispatchQueue, shared = ReaderWriterLock()
      private let token = UnsafeMutablePointer<Int>.allocate(capacity: 1), once = Once()
      init(_ way: Way) {
        self.way = way
        token.initialize(to: 0)
        let isConcurrent = [.barrierForReader, .barrierForBarrier, .readerForBarrier].contains(way)
        queue = DispatchQueue(
          label: "held", attributes: isConcurrent ? .concurrent : [],
          target: .global(qos: way == .syncOnLower ? .background : .default))
        if way == .retargeted {
          inner = DispatchQueue(legacyLabel: "inner", isConcurrent: false, isInactive: false, qos: .unspecified, target: nil)
          inner.setTarget(queue: queue)
        } else {
          inner = DispatchQueue(label: "inner", target: queue)
        }
      }
      deinit { token.deallocate() }

      func hold(_ body: () -> Void) {
        switch way {
        case .barrierForReader, .barrierForBarrier: queue.sync(flags: .barrier) { body() }
        case .token: OnceToken.run(token, body)
        case .once: once.run { () throws(Never) -> Void in body() }
        case .readerForWriter: shared.withReadLock { body() }
        default: queue.sync { body() }
        }
      }

      func await() {
        switch way {
        case .sync, .barrierForReader, .syncOnLower: queue.sync {}
        case .barrierForBarrier, .readerForBarrier: queue.sync(flags: .barrier) {}
        case .asyncAndWait: queue.asyncAndWait {}
        case .nested, .retargeted: inner.sync {}
        case .workItem:
          let item = DispatchWorkItem {}
          queue.async(execute: item)
          item.wait()
        case .group:
          let group = DispatchGroup()
          queue.async(group: group) {}
          group.wait()
        case .token: OnceToken.run(token) { Issue.record("run twice") }
        case .once: once.run { () throws(Never) -> Void in Issue.record("run twice") }
        case .readerForWriter: shared.withWriteLock {}
        }
      }
    }

    /// A background item that holds something until told, and then goes on until told.
    final class Holder: Sendable {
      private let givesBack = Count(), ends = Count(), thread = Count(), done = DispatchSemaphore(value: 0)
      var number: Int32 { Int32(thread.value) }

      /// `hold` calls its argument while it holds the thing.
      init(_ hold: @escaping @Sendable (() -> Void) -> Void) {
        DispatchQueue.global(qos: .background).async { [self] in
          hold {
            thread.value = UInt64(ThreadSlot.kernelID())
            RaiseTests.stay(until: givesBack, is: 1)
          }
          RaiseTests.stay(until: ends, is: 1)
          done.signal()
        }
      }
      var holds: Bool { thread.value != 0 }
      func giveBack() { givesBack.value = 1 }
      func end() {
        ends.value = 1
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
      var isLow: Bool { Threads.niceness(ofThread: number) == InheritTests.low && Standing.has(number, policy: 3) }
      /// `own`: the niceness of the thread that waits.
      func isPreferred(_ own: Int) -> Bool {
        Threads.niceness(ofThread: number) == (Standing.isGivenBack ? own : InheritTests.low) && Standing.has(number, policy: 0)
      }
    }

    @Test("The holder's thread is preferred while a more urgent thread waits, and not longer", arguments: Way.allCases)
    func holder(way: Way) async {
      await #expect(processExitsWith: .success) { [way] in
        killOnHang()
        let own = Standing.own.niceness, thing = Thing(way), holder = Holder { thing.hold($0) }
        #expect(eventually { holder.holds })
        #expect(holder.isLow)
        let thread = TestThread { thing.await() }
        #expect(eventually { holder.isPreferred(own) })
        holder.giveBack()
        thread.join()
        // The item goes on.
        #expect(eventually { holder.isLow })
        InheritTests.expectAllUndone()
        holder.end()
      }
    }

    @Test(
      "Members in a background queue that a background item holds by sync run where the thread waits for them",
      arguments: HeldQueue.allCases)
    func membersInHeldQueue(kind: HeldQueue) async {
      await #expect(processExitsWith: .success) { [kind] in
        killOnHang()
        let own = Standing.own.niceness, trail = RaiseTests.Trail(), group = DispatchGroup(), low = kind.queue()
        let holder = Holder { body in kind.hold(low) { body() } }
        #expect(eventually { holder.holds })
        let goesOn = Count(), flags: DispatchWorkItemFlags = kind == .concurrent ? .barrier : []
        // Whichever thread takes the first before the queue is raised: the others follow where it is then.
        low.async(group: group, flags: flags) { RaiseTests.stay(until: goesOn, is: 1) }
        for _ in 0..<3 { low.async(group: group, flags: flags) { trail.note() } }
        let thread = TestThread { group.wait() }
        #expect(eventually { holder.isPreferred(own) })
        #expect(RaiseTests.raise(of: low).mostUrgent == nil, "the queue is not on any list")
        holder.giveBack()
        #expect(eventually { RaiseTests.raise(of: low).mostUrgent == InheritTests.classOfWaiter })
        goesOn.value = 1
        thread.join()
        #expect(trail.bands == Array(repeating: .normal, count: 3), "\(trail.niceness)")
        #expect(eventually { InheritTests.isAllUndone([low]) })
        holder.end()
      }
    }

    @Test("A background participant of a parallel loop is preferred while the caller waits for its last index, and not longer")
    func parallelLoop() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, stays = Count(), ends = Count(), helper = Count(), done = DispatchSemaphore(value: 0)
        let caller = TestThread {
          ParallelApply.run(2, on: .global(qos: .background), limit: 2) { window in
            window.run { _ in
              if Pool.worker(ThreadSlot.current) == nil {
                // The background thread has the other index.
                RaiseTests.stay(until: stays, is: 1)
              } else {
                DispatchQueue.global(qos: .background).async {
                  RaiseTests.stay(until: ends, is: 1)
                  done.signal()
                }
                helper.value = UInt64(ThreadSlot.kernelID())
                RaiseTests.stay(until: stays, is: 2)
              }
            }
          }
        }
        #expect(eventually { helper.value != 0 })
        let number = Int32(helper.value)
        #expect(Threads.niceness(ofThread: number) == InheritTests.low && Standing.has(number, policy: 3))
        stays.value = 1
        let preferred = Standing.isGivenBack ? own : InheritTests.low
        #expect(eventually { Threads.niceness(ofThread: number) == preferred && Standing.has(number, policy: 0) })
        stays.value = 2
        caller.join()
        #expect(eventually { Threads.niceness(ofThread: number) == InheritTests.low && Standing.has(number, policy: 3) })
        InheritTests.expectAllUndone()
        ends.value = 1
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    /// A background queue whose turn is held.
    enum HeldQueue: String, CaseIterable, Codable {
      case serial, nested, concurrent
      func queue() -> DispatchQueue {
        DispatchQueue(label: "low", attributes: self == .concurrent ? .concurrent : [], target: .global(qos: .background))
      }
      func hold(_ queue: DispatchQueue, _ body: () -> Void) {
        switch self {
        case .serial: queue.sync { body() }
        case .nested: DispatchQueue(label: "inner", target: queue).sync { body() }
        case .concurrent: queue.sync(flags: .barrier) { body() }
        }
      }
    }

    @Test(
      "A background thread that gets the queue while a more urgent one sleeps for it is preferred as well",
      arguments: [false, true])
    func next(isConcurrent: Bool) async {
      await #expect(processExitsWith: .success) { [isConcurrent] in
        killOnHang()
        let own = Standing.own.niceness
        let queue = DispatchQueue(label: "held", attributes: isConcurrent ? .concurrent : [])
        let first = Holder { body in queue.sync(flags: .barrier) { body() } }
        #expect(eventually { first.holds })
        let next = Holder { body in queue.sync(flags: .barrier) { body() } }
        if isConcurrent { awaitState("the second holder") { !queue.list.isEmpty } }
        let isOver = Count()
        let thread = TestThread {
          queue.sync(flags: .barrier) {}
          isOver.value = 1
        }
        #expect(eventually { first.isPreferred(own) })
        first.giveBack()
        // On a serial queue the thread may be the first to come.
        #expect(eventually { next.holds })
        #expect(eventually { isOver.value == 1 || next.isPreferred(own) })
        next.giveBack()
        thread.join()
        #expect(eventually { first.isLow && next.isLow })
        InheritTests.expectAllUndone()
        for holder in [first, next] { holder.end() }
      }
    }

    @Test(
      "A background thread that gets a lock while a more urgent one sleeps for it is preferred as well",
      arguments: LockInheritTests.Kind.allCases)
    func nextOfLock(kind: LockInheritTests.Kind) async {
      await #expect(processExitsWith: .success) { [kind] in
        killOnHang()
        let own = Standing.own.niceness, lock = LockInheritTests.AnyLock(kind)
        let hold: @Sendable (() -> Void) -> Void = { body in
          lock.lock()
          body()
          lock.unlock()
        }
        let first = Holder(hold)
        #expect(eventually { first.holds })
        let next = Holder(hold), isOver = Count()
        let thread = TestThread {
          lock.pass()
          isOver.value = 1
        }
        #expect(eventually { first.isPreferred(own) })
        first.giveBack()
        // The thread may be the first to come.
        #expect(eventually { next.holds })
        #expect(eventually { isOver.value == 1 || next.isPreferred(own) })
        next.giveBack()
        thread.join()
        #expect(eventually { first.isLow && next.isLow })
        InheritTests.expectAllUndone()
        for holder in [first, next] { holder.end() }
      }
    }

    @Test("What a holder that is waited for begins to wait for is helped as its waiter is")
    func later() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, far = Thing(.sync), near = Thing(.sync), goesOn = Count()
        let last = Holder { far.hold($0) }
        #expect(eventually { last.holds })
        let first = Holder { body in
          near.hold {
            body()
            RaiseTests.stay(until: goesOn, is: 1)
            far.await()
          }
        }
        #expect(eventually { first.holds })
        let thread = TestThread { near.await() }
        #expect(eventually { first.isPreferred(own) })
        #expect(last.isLow)
        goesOn.value = 1
        first.giveBack()
        #expect(eventually { last.isPreferred(own) })
        last.giveBack()
        thread.join()
        #expect(eventually { first.isLow && last.isLow })
        InheritTests.expectAllUndone()
        for holder in [first, last] { holder.end() }
      }
    }

    @Test("A holder of the same band is left as it is, and so is one that less urgent work waits for")
    func others() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let queue = DispatchQueue(label: "held"), holder = Holder { body in queue.sync { body() } }
        #expect(eventually { holder.holds })
        let done = DispatchSemaphore(value: 0), (before, began) = (queue.gate.loadRelaxed(), Count())
        DispatchQueue.global(qos: .background).async {
          began.value = UInt64(ThreadSlot.kernelID())
          queue.sync {}
          done.signal()
        }
        #expect(eventually { began.value != 0 && KernelThread.sample(began.value)?.isWaiting == true })
        #expect(holder.isLow && queue.gate.loadRelaxed() == before)
        holder.giveBack()
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(holder.isLow)
        holder.end()
      }
    }

    @Test("Threads of all bands hold and want a few queues by sync, and no thread stays preferred", .timeLimit(.minutes(10)))
    func storm() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let outer = DispatchQueue(label: "outer")
        let queues = [
          DispatchQueue(label: "serial"), DispatchQueue(label: "wide", attributes: .concurrent), outer,
          DispatchQueue(label: "inner", target: outer), DispatchQueue(label: "low", target: .global(qos: .background)),
        ]
        let all = DispatchGroup(), ran = Count()
        @Sendable func rush(_ number: Int) {
          for round in 0..<200 {
            let queue = queues[(number + round) % queues.count]
            let body: @Sendable () -> Void = {
              if round % 5 == number % 5 { sched_yield() }
              if round % 7 == 0 { usleep(50) }  // a holder that sleeps
              ran.add()
            }
            switch (number + round) % 4 {
            case 0: queue.asyncAndWait(execute: body)
            case 1: queue.sync(flags: .barrier, execute: body)
            default: queue.sync(execute: body)
            }
          }
        }
        let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInteractive]
        for number in 0..<12 {
          DispatchQueue(label: "\(number)", target: .global(qos: classes[number % 4])).async(group: all) { rush(number) }
        }
        let threads = (0..<3).map { number in TestThread { rush(number) } }
        for thread in threads { thread.join() }
        all.wait()
        #expect(ran.value == 15 * 200)
        InheritTests.expectAllUndone(queues)
      }
    }
  }
}
