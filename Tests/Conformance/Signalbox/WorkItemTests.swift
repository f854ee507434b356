// WorkItemTests.swift: making work items, running them and waiting for them. Cancelling is in WorkItemCancelTests.swift,
// notifications of completion in WorkItemNotifyTests.swift.
import Testing

extension Conformance {
  @Suite("Work items") struct WorkItems {
    @Test("Perform runs the item on the calling thread, at once, as often as it is called")
    func perform() async {
      await isolated {
        let caller = currentThread()
        let log = Recorder<UInt>()
        let item = DispatchWorkItem { log.add(currentThread()) }
        item.perform()
        item.perform()
        item.perform()
        expectEqual(log.entries, [caller, caller, caller])
      }
    }

    @Test("An item submitted twice runs twice")
    func submittedTwice() async {
      await isolated {
        let queue = DispatchQueue(label: "twice")
        let ran = Counter()
        let item = DispatchWorkItem { ran.add() }
        queue.async(execute: item)
        queue.async(execute: item)
        queue.sync {}
        expectEqual(ran.value, 2)
      }
    }

    @Test("An item may run on several queues")
    func onSeveralQueues() async {
      await isolated {
        let ran = Counter()
        let item = DispatchWorkItem { ran.add() }
        let group = DispatchGroup()
        for number in 0..<10 { DispatchQueue(label: "queue \(number)").async(group: group, execute: item) }
        group.wait()
        expectEqual(ran.value, 10)
      }
    }

    @Test("Items take their turn among closures")
    func orderAmongClosures() async {
      await isolated {
        let queue = DispatchQueue(label: "order")
        let log = Recorder<Int>()
        for number in 0..<300 {
          switch number % 3 {
          case 0: queue.async { log.add(number) }
          case 1: queue.async(execute: DispatchWorkItem { log.add(number) })
          default: queue.sync(execute: DispatchWorkItem { log.add(number) })
          }
        }
        queue.sync {}
        expectEqual(log.entries, Array(0..<300))
      }
    }

    @Test("Wait returns when the item has run, however it was submitted")
    func waitForCompletion() async {
      await isolated {
        let queue = DispatchQueue(label: "wait")
        for round in 0..<100 {
          let ran = Counter()
          let item = DispatchWorkItem { ran.add() }
          switch round % 3 {
          case 0: queue.async(execute: item)
          case 1: queue.async(group: DispatchGroup(), execute: item)
          default: queue.asyncAfter(deadline: .now(), execute: item)
          }
          item.wait()
          expectEqual(ran.value, 1)
        }
      }
    }

    @Test("Wait returns at once for an item that has run")
    func waitAfterCompletion() async {
      await isolated {
        let item = DispatchWorkItem {}
        item.perform()
        expectEqual(item.wait(timeout: .now()), .success)
        let other = DispatchWorkItem {}
        DispatchQueue(label: "done").sync(execute: other)
        other.wait()
      }
    }

    @Test("Wait on another thread than the submitter's sees the item's effects")
    func waitElsewhere() async {
      await isolated {
        for _ in 0..<50 {
          let number = Shared(0)
          let item = Shared(DispatchWorkItem { number.value = 7 })
          let waiter = onThread {
            item.value.wait()
            expectEqual(number.value, 7)
          }
          DispatchQueue.global().async(execute: item.value)
          waiter.join()
        }
      }
    }

    @Test("Wait gives up at its deadline, not before, on both clocks; the item can be waited for again")
    func waitTimesOut() async {
      await isolated {
        let (started, release) = (Gate(), Gate())
        let item = DispatchWorkItem {
          started.open()
          release.wait()
        }
        DispatchQueue(label: "slow").async(execute: item)
        started.wait()
        expectEqual(item.wait(timeout: .now()), .timedOut)
        expectEqual(item.wait(timeout: DispatchTime(uptimeNanoseconds: 1)), .timedOut)
        let uptime = Clock.uptime
        expectEqual(item.wait(timeout: .now() + .milliseconds(20)), .timedOut)
        expect(Clock.uptime - uptime >= 20_000_000, "early")
        let wall = Clock.wall
        expectEqual(item.wait(wallTimeout: .now() + .milliseconds(20)), .timedOut)
        expect(Clock.wall - wall >= 20_000_000, "early")
        release.open()
        expectEqual(item.wait(wallTimeout: .now() + .seconds(patience)), .success)
      }
    }

    @Test("Wait with a deadline succeeds as soon as the item has run, on both clocks and forever")
    func waitSucceeds() async {
      await isolated {
        let queue = DispatchQueue(label: "quick")
        let waits: [(DispatchWorkItem) -> DispatchTimeoutResult] = [
          { $0.wait(timeout: .now() + .seconds(patience)) }, { $0.wait(wallTimeout: .now() + .seconds(patience)) },
          { $0.wait(timeout: .distantFuture) }, { $0.wait(wallTimeout: .distantFuture) },
        ]
        for wait in waits {
          let item = DispatchWorkItem {}
          queue.async(execute: item)
          expectEqual(wait(item), .success)
        }
      }
    }

    @Test("Each flag and each quality of service is accepted, alone and together, and the item runs")
    func flagsAndService() async {
      await isolated {
        let flags: [DispatchWorkItemFlags] = [
          [], .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS,
          [.detached, .enforceQoS, .barrier],
        ]
        let services: [DispatchQoS] = [
          .unspecified, .background, .utility, .default, .userInitiated, .userInteractive,
          DispatchQoS(qosClass: .utility, relativePriority: -8),
        ]
        let queue = DispatchQueue(label: "flags", attributes: .concurrent)
        for flag in flags {
          for service in services {
            let ran = Counter()
            let item = DispatchWorkItem(qos: service, flags: flag) { ran.add() }
            queue.async(execute: item)
            item.wait()
            queue.sync(execute: DispatchWorkItem(qos: service, flags: flag) { ran.add() })
            DispatchWorkItem(qos: service, flags: flag) { ran.add() }.perform()
            expectEqual(ran.value, 3)
          }
        }
      }
    }

    @Test("An item keeps what it captured until it is released itself, not until it has run")
    func lifetimeOfCaptures() async {
      await isolated {
        let died = Gate()
        var item: DispatchWorkItem? = {
          let probe = Probe { died.open() }
          return DispatchWorkItem { probe.touch() }
        }()
        item?.perform()
        item?.perform()
        expect(!died.isOpen)
        item = nil
        expect(died.isOpen)
      }
    }
  }
}
