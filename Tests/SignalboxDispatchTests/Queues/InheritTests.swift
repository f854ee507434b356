// InheritTests.swift: what waits for work items and groups do to less urgent work that keeps them waiting, and that all of it is undone.
// `sync` and enforced items are RaiseTests.swift, locks LockInheritTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct InheritTests {
    typealias Standing = BandTests.Standing
    typealias Trail = RaiseTests.Trail
    static var low: Int { min(19, Standing.own.niceness + Standing.background) }
    static let classOfWaiter = ServiceClass.standard

    /// As many background items as the band has threads for, each of which computes until told to stop: what comes after them waits.
    static func withFullBackground(_ body: (_ stop: () -> Void) -> Void) {
      let load = FairnessTests.Load()
      load.add(to: .global(qos: .background), Tuning.processors)
      #expect(eventually { load.isRunning })
      body { load.end() }
    }

    /// A thread runs `body`, and sleeps there when this returns.
    static func sleeper(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> TestThread {
      let thread = TestThread(body)
      #expect(eventually { RaiseTests.raise(of: queue).mostUrgent == classOfWaiter })
      return thread
    }

    /// Nothing is raised any more, and no thread preferred.
    static func expectAllUndone(_ queues: [DispatchQueue] = []) {
      for queue in queues { #expect(RaiseTests.raise(of: queue).mostUrgent == nil, "\(queue.label)") }
      for pool in Pools.all {
        #expect(pool.use { !$0.standIn.isRaised })
        for worker in pool.use({ $0.workers }) { #expect(worker.rankLock.withLock { worker.helpers } == 0) }
      }
    }

    /// The same as an answer, where a thread that leaves a queue may raise it just as the wait ends, and takes that
    /// back itself.
    static func isAllUndone(_ queues: [DispatchQueue]) -> Bool {
      queues.allSatisfy { RaiseTests.raise(of: $0).mostUrgent == nil }
        && Pools.all.allSatisfy { pool in
          pool.use { pool in
            !pool.standIn.isRaised && pool.workers.allSatisfy { worker in worker.rankLock.withLock { worker.helpers } == 0 }
          }
        }
    }

    // MARK: work items

    @Test(
      "A wait for a work item raises the queue in which it lies, and the backlog before it; what follows runs where it belongs",
      arguments: [false, true])
    func workItem(isNested: Bool) async {
      await #expect(processExitsWith: .success) { [isNested] in
        killOnHang()
        let own = Standing.own.niceness, trail = Trail()
        let outer = DispatchQueue(label: "outer", target: .global(qos: .background))
        let queue = isNested ? DispatchQueue(label: "inner", target: outer) : outer
        let holder = RaiseTests.Holder(in: queue)
        for _ in 0..<20 { queue.async { trail.note() } }
        let item = DispatchWorkItem { trail.note() }
        queue.async(execute: item)
        let thread = InheritTests.sleeper(queue) { item.wait() }
        #expect(eventually { RaiseTests.raise(of: outer).mostUrgent == InheritTests.classOfWaiter && holder.isAsked })
        holder.goOn()
        thread.join()
        #expect(trail.niceness == Array(repeating: own, count: 21))
        #expect(eventually { Standing.of(queue).niceness == InheritTests.low })
        InheritTests.expectAllUndone([queue, outer])
      }
    }

    @Test("An item of the background queue itself, and what lies before it, run where the thread waits for it")
    func itemOfGlobalQueue() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, trail = Trail(), low = DispatchQueue.global(qos: .background)
        InheritTests.withFullBackground { stop in
          for _ in 0..<10 { low.async { trail.note() } }
          let item = DispatchWorkItem { trail.note() }
          low.async(execute: item)
          waitForWhatMustNotCome()
          #expect(trail.niceness.isEmpty, "\(trail.niceness)")
          #expect(item.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          // Those before it have begun, and may still run.
          #expect(eventually { trail.niceness.count == 11 })
          #expect(trail.niceness == Array(repeating: own, count: 11), "\(trail.niceness)")
          InheritTests.expectAllUndone([low])
          // No thread waits: what comes now waits for the band's own threads.
          low.async { trail.note() }
          waitForWhatMustNotCome()
          #expect(trail.niceness.count == 11, "\(trail.niceness)")
          // Waits for a group whose members run: their threads are preferred until it goes on, and may have begun the next item then.
          stop()
          #expect(eventually { trail.niceness.count == 12 })
          #expect(eventually { Standing.of(low).niceness == InheritTests.low })
        }
      }
    }

    @Test("A background thread that takes an item of the raised queue is preferred until that ends")
    func takenByOwnBand() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, low = InheritTests.low, isRaised = Standing.isGivenBack
        let queue = DispatchQueue.global(qos: .background), seen = Trail(), after = Trail()
        _ = Standing.of(queue)
        // As if a thread had asked for an item that the band's own thread then takes.
        let isFirst = queue.extrasMade().raise.begin(InheritTests.classOfWaiter)
        #expect(isFirst)
        let done = DispatchSemaphore(value: 0)
        queue.async {
          seen.note()
          if Standing.has(ThreadSlot.kernelID(), policy: 0) { done.signal() }
        }
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(seen.niceness == [isRaised ? own : low])
        queue.extras!.raise.end(InheritTests.classOfWaiter)
        queue.async { after.note() }
        #expect(eventually { after.niceness == [low] })
      }
    }

    @Test("A flood of the waiting class does not keep an awaited item of the background queue from its turn")
    func underFlood() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let stop = Count(), ended = DispatchGroup(), low = DispatchQueue.global(qos: .background)
        @Sendable func feed() {
          let end = Clock.uptime() + 50_000
          while Clock.uptime() < end {}
          if stop.value == 0 { DispatchQueue.global().async(group: ended) { feed() } }
        }
        InheritTests.withFullBackground { stopBackground in
          for _ in 0..<4 * Tuning.processors { DispatchQueue.global().async(group: ended) { feed() } }
          for _ in 0..<5 {
            let item = DispatchWorkItem {}
            low.async(execute: item)
            #expect(item.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          }
          stop.value = 1
          stopBackground()
        }
        ended.wait()
        InheritTests.expectAllUndone([low])
      }
    }

    @Test("A queue that was taken from the raised background queue goes back when nobody waits any more")
    func takenByTheWay() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, trail = Trail(), low = DispatchQueue.global(qos: .background)
        let queue = DispatchQueue(label: "beside", attributes: .concurrent, target: low)
        let (began, goesOn) = (Count(), Count())
        InheritTests.withFullBackground { stop in
          queue.async(flags: .barrier) {
            trail.note()
            began.value = 1
            RaiseTests.stay(until: goesOn, is: 1)
          }
          for _ in 0..<5 { queue.async(flags: .barrier) { trail.note() } }
          // No thread would ask any more if the item ended before the thread that has taken the queue runs what lies
          // there.
          let item = DispatchWorkItem { RaiseTests.stay(until: began, is: 1) }
          low.async(execute: item)
          #expect(item.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          stop()
        }
        goesOn.value = 1
        #expect(eventually { trail.niceness.count == 6 })
        #expect(trail.niceness[0] == own)
        #expect(trail.bands.dropFirst() == Array(repeating: Band.background, count: 5)[...], "\(trail.niceness)")
        InheritTests.expectAllUndone([queue, low])
      }
    }

    @Test("The thread that runs the item is preferred until the wait is over, whether the item is or not")
    func runningItem() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, low = InheritTests.low, isRaised = Standing.isGivenBack
        let holder = RaiseTests.Holder(), item = DispatchWorkItem { holder.run() }
        DispatchQueue.global(qos: .background).async(execute: item)
        holder.awaitBegin()
        let thread = holder.thread
        #expect(Threads.niceness(ofThread: thread) == low && Standing.has(thread, policy: 3))
        let isPreferred = Count()
        let watcher = TestThread {
          if eventually({ Standing.has(thread, policy: 0) && Threads.niceness(ofThread: thread) == (isRaised ? own : low) }) {
            isPreferred.value = 1
          }
        }
        while isPreferred.value == 0 { #expect(item.wait(timeout: .now() + .milliseconds(50)) == .timedOut) }
        watcher.join()
        #expect(Threads.niceness(ofThread: thread) == low && Standing.has(thread, policy: 3))
        holder.goOn()
        item.wait()
        InheritTests.expectAllUndone()
      }
    }

    @Test("Items that lie in no queue, or in two, raise nothing, and their waits end")
    func unknownItems() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let low = DispatchQueue(label: "low", target: .global(qos: .background))
        let holder = RaiseTests.Holder(in: low)
        let (unsubmitted, twice) = (DispatchWorkItem {}, DispatchWorkItem {})
        #expect(unsubmitted.wait(timeout: .now() + .milliseconds(5)) == .timedOut)
        low.async(execute: twice)
        low.async(execute: twice)
        #expect(twice.wait(timeout: .now() + .milliseconds(5)) == .timedOut)
        #expect(RaiseTests.raise(of: low).rawValue == 0)
        let thread = TestThread { unsubmitted.wait() }
        unsubmitted.perform()
        thread.join()
        holder.goOn()
        twice.wait()
        InheritTests.expectAllUndone([low])
      }
    }

    @Test("Queues that go with their last item are not touched by who waits for that", .timeLimit(.minutes(10)))
    func queuesThatGo() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let rounds = 3_000
        let threads = (0..<3).map { number in
          TestThread {
            for round in 0..<rounds {
              let item = DispatchWorkItem {}
              let low: DispatchQoS = round % 2 == 0 ? .background : .utility
              DispatchQueue(label: "gone", qos: low, attributes: number == 0 ? .concurrent : []).async(execute: item)
              if round % 3 == 0 {
                let other = TestThread { item.wait() }
                item.wait()
                other.join()
              } else if round % 3 == 1 {
                item.perform()  // beside the queue's run
                item.wait()
              } else {
                _ = item.wait(timeout: .now() + .microseconds(round % 50))
              }
            }
          }
        }
        for thread in threads { thread.join() }
        #expect(eventually { Pools.all.allSatisfy { $0.use { !$0.hasSharedWork } } })
        InheritTests.expectAllUndone()
      }
    }

    // MARK: groups

    @Test("A wait for a group whose members lie in the background queue serves them where the thread waits")
    func membersOfGlobalQueue() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, trail = Trail(), group = DispatchGroup(), low = DispatchQueue.global(qos: .background)
        InheritTests.withFullBackground { stop in
          for _ in 0..<20 { low.async(group: group) { trail.note() } }
          #expect(group.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          #expect(trail.niceness == Array(repeating: own, count: 20))
          InheritTests.expectAllUndone([low])
          stop()
        }
      }
    }

    @Test(
      "A wait for a group raises the queues in which its members wait for a thread, and those queues alone",
      arguments: [false, true])
    func membersInQueues(isNested: Bool) async {
      await #expect(processExitsWith: .success) { [isNested] in
        killOnHang()
        let own = Standing.own.niceness, trail = Trail(), strangers = Trail(), group = DispatchGroup()
        let low = DispatchQueue.global(qos: .background)
        func make(_ label: String, _ attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
          let outer = DispatchQueue(label: label, attributes: attributes, target: low)
          return isNested ? DispatchQueue(label: label + ".inner", target: outer) : outer
        }
        let (serial, concurrent, other) = (make("serial"), make("concurrent", .concurrent), make("other"))
        InheritTests.withFullBackground { stop in
          // A serial queue is promised a thread of its band: it is stopped until the thread waits for the raise alone.
          for queue in [serial, other] { queue.suspend() }
          for _ in 0..<3 { serial.async { trail.note() } }
          for queue in [serial, concurrent] { for _ in 0..<5 { queue.async(group: group) { trail.note() } } }
          other.async { strangers.note() }
          serial.resume()
          #expect(group.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          #expect(trail.niceness.count == 13)
          // The concurrent queue's items find no thread of their own; the serial queue may have got one before the thread waited.
          #expect(trail.niceness.count { $0 == own } >= 5, "\(trail.niceness)")
          #expect(RaiseTests.raise(of: other).rawValue == 0)
          InheritTests.expectAllUndone([serial, concurrent, other, low])
          other.resume()
          stop()
        }
      }
    }

    @Test("Members behind a running item of a background queue go to the waiting thread's band when that item ends")
    func membersBehindRunningItem() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, trail = Trail(), group = DispatchGroup()
        let queue = DispatchQueue(label: "low", target: .global(qos: .background))
        let holder = RaiseTests.Holder(in: queue)
        let (item, low, isRaised) = (holder.thread, InheritTests.low, Standing.isGivenBack)
        for _ in 0..<20 { queue.async(group: group) { trail.note() } }
        let thread = TestThread { group.wait() }
        // The item's thread is preferred meanwhile.
        #expect(eventually { Standing.has(item, policy: 0) && Threads.niceness(ofThread: item) == (isRaised ? own : low) })
        #expect(eventually { holder.asks(for: Worker.Asked.toFindMembers) })
        holder.goOn()
        thread.join()
        // The first may have run before its drain gave way.
        #expect(trail.niceness.count == 20 && trail.niceness.dropFirst() == Array(repeating: own, count: 19)[...])
        #expect(eventually { Standing.of(queue).niceness == low })
        InheritTests.expectAllUndone([queue])
      }
    }

    @Test("The thread that runs a member is preferred until the wait is over")
    func runningMember() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let own = Standing.own.niceness, low = InheritTests.low, isRaised = Standing.isGivenBack, group = DispatchGroup()
        let holder = RaiseTests.Holder(in: DispatchQueue.global(qos: .background), group: group)
        let member = holder.thread, thread = TestThread { group.wait() }
        #expect(eventually { Standing.has(member, policy: 0) && Threads.niceness(ofThread: member) == (isRaised ? own : low) })
        holder.goOn()
        thread.join()
        #expect(eventually { Standing.has(member, policy: 3) && Threads.niceness(ofThread: member) == low })
        InheritTests.expectAllUndone()
      }
    }

    @Test("Members that enter and leave by hand are nobody's: nothing is raised")
    func unknownMembers() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let group = DispatchGroup(), queue = DispatchQueue(label: "low", target: .global(qos: .background))
        let (began, goesOn) = (DispatchSemaphore(value: 0), Count())
        group.enter()
        queue.async {
          began.signal()
          RaiseTests.stay(until: goesOn, is: 1)
          group.leave()
        }
        began.wait()
        #expect(group.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
        #expect(RaiseTests.raise(of: queue).rawValue == 0)
        goesOn.value = 1
        group.wait()
        InheritTests.expectAllUndone([queue])
      }
    }

    @Test(
      "Whoever waits for items and groups of all bands at the same time, all ends and nothing stays raised",
      .timeLimit(.minutes(10)))
    func storm() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInteractive]
        let queues = classes.flatMap { qos -> [DispatchQueue] in
          let outer = DispatchQueue(label: "outer \(qos)", target: .global(qos: qos))
          return [
            .global(qos: qos), outer, DispatchQueue(label: "inner \(qos)", target: outer),
            DispatchQueue(label: "wide \(qos)", attributes: .concurrent, target: .global(qos: qos)),
          ]
        }
        let ran = Count(), rounds = 300
        @Sendable func rush(_ number: Int) {
          for round in 0..<rounds {
            let group = DispatchGroup()
            let some = (0..<3).map { queues[(number * 5 + round * 3 + $0 * 7) % queues.count] }
            for queue in some { queue.async(group: group) { ran.add() } }
            let item = DispatchWorkItem { ran.add() }
            some[round % 3].async(execute: item)
            if round % 4 == number { DispatchQueue.global(qos: .userInitiated).async(group: group) { item.wait() } }
            if round % 2 == 0 { item.wait() } else { _ = item.wait(timeout: .now() + .microseconds(round)) }
            _ = group.wait(timeout: .now() + .microseconds(round))
            group.wait()
            item.wait()
          }
        }
        let threads = (0..<4).map { number in TestThread { rush(number) } }
        for thread in threads { thread.join() }
        #expect(ran.value == UInt64(4 * rounds * 4))
        InheritTests.expectAllUndone(queues)
      }
    }
  }
}
