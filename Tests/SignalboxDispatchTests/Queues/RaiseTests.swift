// RaiseTests.swift: a queue that more urgent work waits for moves to more urgent threads, and back; and what enforced items do.
import Glibc
import SignalboxLocks
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct RaiseTests {
    typealias Standing = BandTests.Standing

    /// Where the items of a queue ran, in order.
    final class Trail: Sendable {
      private let lock = OSAllocatedUnfairLock<[(niceness: Int, band: Band?)]>(initialState: [])
      func note() {
        let band = Pool.worker(ThreadSlot.current)?.use { $0.band }
        lock.withLock { $0.append((Standing.own.niceness, band)) }
      }
      var niceness: [Int] { lock.withLock { $0.map(\.niceness) } }
      /// Whose workers ran them. What follows a wait runs on the band's own; for a moment that thread may still be
      /// preferred, by a waiter that had lost its processor when it was about to help that thread.
      var bands: [Band?] { lock.withLock { $0.map(\.band) } }
    }

    /// What an item does that is to go on until told: a wait of Signalbox's would be known to the pool, and computing
    /// would take the processors of what the test waits for.
    static func stay(until flag: Count, is value: UInt64) { while flag.value != value { usleep(1_000) } }

    /// Background items that compute on all of the band's threads until told to stop.
    static func withBusyBackground(_ body: () -> Void) {
      let load = FairnessTests.Load()
      load.add(to: .global(qos: .background), 2 * Tuning.processors)
      #expect(eventually { load.isRunning })
      body()
      load.end()
    }

    /// An item that goes on until told.
    final class Holder: @unchecked Sendable {
      // SAFETY of @unchecked: what the item writes, it writes before it tells that it has begun.
      private var worker: Worker?
      private(set) var thread: Int32 = 0
      private let began = DispatchSemaphore(value: 0), isTold = Count()

      init() {}
      /// Has begun in `queue`, as a member of `group`.
      convenience init(in queue: DispatchQueue, group: DispatchGroup? = nil) {
        self.init()
        queue.async(group: group) { self.run() }
        awaitBegin()
      }

      /// What the item does.
      func run() {
        worker = Pool.worker(ThreadSlot.current)?.kept
        thread = ThreadSlot.kernelID()
        began.signal()
        RaiseTests.stay(until: isTold, is: 1)
      }
      func awaitBegin() { began.wait() }
      func goOn() { isTold.value = 1 }

      // relaxed: polled. The last bit that an asker sets
      var isAsked: Bool { asks(for: Worker.Asked.toGoBack) }
      func asks(for bits: UInt32) -> Bool { worker!.asked.loadRelaxed() & bits != 0 }
    }

    static func raise(of queue: DispatchQueue) -> QueueRaise { queue.extras?.raise.now ?? QueueRaise(rawValue: 0) }

    @Test(
      "What lies in a background queue before a sync runs where the waiting thread's work does, and all is undone afterwards",
      arguments: [false, true])
    func backlog(isNested: Bool) async {
      await #expect(processExitsWith: .success) { [isNested] in
        killOnHang()
        let own = Standing.own.niceness, trail = Trail()
        let outer = DispatchQueue(label: "outer", target: .global(qos: .background))
        let queue = isNested ? DispatchQueue(label: "inner", target: outer) : outer
        let holder = RaiseTests.Holder(in: queue)
        for _ in 0..<20 { queue.async { trail.note() } }
        let thread = TestThread { queue.sync {} }
        // The thread waits: it asks for its class, of one queue after the other.
        for raised in [queue, outer] {
          #expect(eventually { RaiseTests.raise(of: raised).mostUrgent == .standard })
        }
        #expect(eventually { holder.isAsked })
        holder.goOn()
        thread.join()
        #expect(trail.niceness == Array(repeating: own, count: 20))
        for raised in [queue, outer] { #expect(RaiseTests.raise(of: raised).mostUrgent == nil) }
        // The wait is over: the next item runs where the queue belongs.
        #expect(eventually { Standing.of(queue).niceness == min(19, own + Standing.background) })
      }
    }

    @Test("When the thread that waited by asyncAndWait goes on, what lies behind its item moves back")
    func remainder() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, trail = Trail(), all = DispatchGroup()
        let queue = DispatchQueue(label: "low", target: .global(qos: .background))
        let holder = RaiseTests.Holder(in: queue), isOver = Count()
        let thread = TestThread { queue.asyncAndWait { trail.note() } }
        #expect(eventually { RaiseTests.raise(of: queue).mostUrgent == .standard && holder.isAsked })
        // Runs until the thread has gone on; where, is not known.
        queue.async(group: all) { RaiseTests.stay(until: isOver, is: 1) }
        for _ in 0..<5 { queue.async(group: all) { trail.note() } }
        holder.goOn()
        thread.join()
        isOver.value = 1
        // Not by the group: a wait for that would raise the queue.
        #expect(eventually { trail.niceness.count == 6 })
        #expect(trail.niceness[0] == own)
        #expect(trail.bands.dropFirst() == Array(repeating: Band.background, count: 5)[...], "\(trail.niceness)")
      }
    }

    @Test("A sync gets a queue that lies behind computing background items")
    func unstarted() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        RaiseTests.withBusyBackground {
          let queue = DispatchQueue(label: "low", attributes: .concurrent, target: .global(qos: .background))
          let trail = Trail()
          queue.async(flags: .barrier) { trail.note() }
          queue.sync {}
          #expect(trail.niceness == [Standing.own.niceness])
        }
      }
    }

    @Test("What an item of a raised queue waits for by sync is raised as well")
    func chain() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        RaiseTests.withBusyBackground {
          let low = DispatchQueue.global(qos: .background), trail = Trail()
          let (first, second) = (DispatchQueue(label: "first", target: low), DispatchQueue(label: "second", target: low))
          // Neither has begun: with an item that has, only its thread is helped.
          second.suspend()
          second.async { trail.note() }
          first.suspend()
          first.async { second.sync {} }
          let thread = TestThread { first.sync {} }
          for queue in [first, second] {
            #expect(eventually { RaiseTests.raise(of: queue).mostUrgent == .standard })
            queue.resume()
          }
          thread.join()
          #expect(trail.niceness == [Standing.own.niceness])
          for queue in [first, second] { #expect(RaiseTests.raise(of: queue).mostUrgent == nil) }
        }
      }
    }

    @Test("A thread that finds a raised queue taken by a lowered thread raises that thread")
    func ownerFound() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness
        let queue = DispatchQueue(label: "low", target: .global(qos: .background))
        let holder = RaiseTests.Holder(in: queue)
        let item = holder.thread, low = min(19, own + Standing.background)
        #expect(Threads.niceness(ofThread: item) == low && Standing.has(item, policy: 3))
        // As if the thread had taken the queue just after another thread asked, which saw no owner.
        let isFirst = queue.extrasMade().raise.begin(.standard)
        #expect(isFirst)
        queue.keepForTarget()
        Pools.serving(.standard).use {
          $0.share(queue, as: .standard)
          $0.workArrived()
        }
        let isRaised = Standing.isGivenBack
        #expect(eventually { Standing.has(item, policy: 0) && Threads.niceness(ofThread: item) == (isRaised ? own : low) })
        queue.extras!.raise.end(.standard)
        holder.goOn()
        queue.sync {}
      }
    }

    @Test("An enforced item of a global queue runs at once as its class does; others wait for their turn")
    func enforcedOnGlobal() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        RaiseTests.withBusyBackground {
          let low = DispatchQueue.global(qos: .background), own = Standing.own.niceness
          let trail = Trail(), all = DispatchGroup()
          low.async(group: all, qos: .userInteractive, flags: .enforceQoS) { trail.note() }
          #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          low.async(execute: DispatchWorkItem(qos: .userInteractive, flags: .enforceQoS) { trail.note() })
          low.async(group: all, execute: DispatchWorkItem(qos: .userInitiated, flags: .enforceQoS) { trail.note() })
          low.asyncAfter(deadline: .now() + .milliseconds(2), qos: .default, flags: .enforceQoS) { trail.note() }
          all.notify(qos: .userInteractive, flags: .enforceQoS, queue: low) { trail.note() }
          #expect(eventually { trail.niceness.count == 5 })
          #expect(trail.niceness == Array(repeating: own, count: 5))
          for flags in [[], .inheritQoS, [.enforceQoS, .noQoS], [.enforceQoS, .inheritQoS]] as [DispatchWorkItemFlags] {
            let count = Count()
            low.async(qos: .userInteractive, flags: flags) { count.add() }
            waitForWhatMustNotCome()
            #expect(count.value == 0, "\(flags)")
          }
        }
      }
    }

    @Test("An enforced item raises what lies before it in a serial queue, and not what lies behind it")
    func enforcedOnSerial() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, trail = Trail(), all = DispatchGroup()
        let queue = DispatchQueue(label: "low", target: .global(qos: .background))
        let holder = RaiseTests.Holder(in: queue, group: all)
        for _ in 0..<10 { queue.async(group: all) { trail.note() } }
        queue.async(group: all, qos: .userInitiated, flags: .enforceQoS) { trail.note() }
        for _ in 0..<10 { queue.async(group: all) { trail.note() } }
        #expect(RaiseTests.raise(of: queue).mostUrgent == .initiated)
        holder.goOn()
        // Not by the group: a wait for that would raise the queue.
        #expect(eventually { trail.niceness.count == 21 })
        #expect(trail.niceness.prefix(11) == Array(repeating: own, count: 11)[...], "\(trail.niceness)")
        #expect(trail.bands.dropFirst(11) == Array(repeating: Band.background, count: 10)[...], "\(trail.niceness)")
        #expect(RaiseTests.raise(of: queue).mostUrgent == nil)
      }
    }

    @Test(
      "A background item that keeps a thread waiting is preferred until its end, as far as the kernel permits; else the wait is counted"
    )
    func owner() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness
        let queue = DispatchQueue(label: "low", target: .global(qos: .background))
        let holder = RaiseTests.Holder(in: queue)
        let item = holder.thread
        #expect(Threads.niceness(ofThread: item) == min(19, own + Standing.background))
        let before = DispatchQoS.unhelpedInversions
        let thread = TestThread { queue.sync {} }
        #expect(eventually { RaiseTests.raise(of: queue).mostUrgent == .standard })
        let isRaised = Standing.isGivenBack
        let low = min(19, own + Standing.background)
        // Its turns come soon, and where the kernel permits that they are as long as others'.
        #expect(eventually { Standing.has(item, policy: 0) && Threads.niceness(ofThread: item) == (isRaised ? own : low) })
        if !isRaised { sleepPlainly(milliseconds: 15) }  // longer than the wait that is counted
        holder.goOn()
        thread.join()
        #expect(DispatchQoS.unhelpedInversions == before + (isRaised || !Standing.isLowered ? 0 : 1))
        // The thread may have ended.
        #expect(
          eventually {
            Threads.niceness(ofThread: item).map {
              $0 == low && (Standing.has(item, policy: 3) || sched_getscheduler(item) == -1)
            } ?? true
          })
      }
    }

    @Test(
      "A queue that all threads of a more urgent class wait for is served by those of its own, concurrent or not",
      arguments: [false, true])
    func exhausted(isConcurrent: Bool) async {
      await #expect(processExitsWith: .success) { [isConcurrent] in
        killOnHang()
        let queue = DispatchQueue(
          label: "low", attributes: isConcurrent ? .concurrent : [], target: .global(qos: .background))
        let holder = RaiseTests.Holder(), all = DispatchGroup(), ran = Count()
        queue.async(flags: .barrier) { holder.run() }
        holder.awaitBegin()
        let pool = Pools.serving(.standard)
        // What lies before the turns of the waiters, and needs a thread.
        for _ in 0..<10 { queue.async(group: all, flags: .barrier) { ran.add() } }
        for _ in 0..<2 * Int(pool.use { $0.bound }) {
          DispatchQueue.global(qos: .userInitiated).async(group: all) { _ = queue.sync(flags: .barrier) { ran.add() } }
        }
        #expect(eventually { pool.use { $0.isExhausted } }, "\(pool.use { $0.snapshot })")
        holder.goOn()
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success, "\(ran.value)")
        #expect(ran.value == 10 + 2 * pool.use { $0.bound })
        #expect(eventually { RaiseTests.raise(of: queue).mostUrgent == nil })
        // The band has threads again: its queues are served there.
        #expect(eventually { Standing.of(DispatchQueue(label: "normal")).niceness == Standing.own.niceness })
      }
    }

    @Test(
      "Whoever asks, submits, drains and suspends at the same time, nothing is lost and nobody still asks",
      .timeLimit(.minutes(10)))
    func storm() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let outer = DispatchQueue(label: "outer", target: .global(qos: .background))
        let wide = DispatchQueue(label: "wide", attributes: .concurrent, target: .global(qos: .utility))
        let queues = [outer, DispatchQueue(label: "inner", target: outer), wide, DispatchQueue(label: "on wide", target: wide)]
        let all = DispatchGroup(), ran = Count(), rounds = 400
        let threads = (0..<4).map { number in
          TestThread {
            for round in 0..<rounds {
              let queue = queues[(number + round) % queues.count]
              queue.async(group: all) { ran.add() }
              queue.async(group: all, qos: .userInteractive, flags: .enforceQoS) { ran.add() }
              DispatchQueue.global(qos: .userInitiated).async(group: all) { _ = queue.sync { ran.add() } }
              if round % 5 == number { _ = queue.sync { ran.add() } } else { queue.async(group: all) { ran.add() } }
              if round % 50 == 7 {
                queue.suspend()
                queue.async(group: all, qos: .default, flags: .enforceQoS) { ran.add() }
                queue.resume()
              } else {
                ran.add()
              }
            }
          }
        }
        for thread in threads { thread.join() }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(ran.value == UInt64(4 * rounds * 5))
        for queue in queues { #expect(RaiseTests.raise(of: queue).mostUrgent == nil, "\(queue.label)") }
      }
    }
  }
}
