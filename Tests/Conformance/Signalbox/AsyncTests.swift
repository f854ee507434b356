// AsyncTests.swift: async returns before its item runs on the caller's behalf; the item runs elsewhere or later.
// Delayed items are in AsyncAfterTests.swift.
import Testing

extension Conformance {
  @Suite("Async") struct Async {
    @Test("Async never runs its item on the thread that submits it, if that thread is no worker")
    func anotherThread() async {
      await isolated {
        let caller = currentThread()
        let group = DispatchGroup()
        let queues = [
          DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent), .global(),
        ]
        for queue in queues {
          for _ in 0..<100 { queue.async(group: group) { expect(currentThread() != caller) } }
        }
        group.wait()
      }
    }

    @Test("Async onto the own serial queue returns before its item runs")
    func ontoTheOwnQueue() async {
      await isolated {
        let queue = DispatchQueue(label: "own")
        let log = Recorder<String>()
        queue.async {
          queue.async { log.add("item") }
          queue.async(flags: .barrier) { log.add("barrier") }
          waitForWhatMustNotCome()
          log.add("submitter")
        }
        log.wait(count: 3)
        expectEqual(log.entries, ["submitter", "item", "barrier"])
      }
    }

    @Test("Async from within a sync onto the same queue runs after the sync")
    func fromWithinSync() async {
      await isolated {
        let queue = DispatchQueue(label: "inside")
        let log = Recorder<String>()
        queue.sync {
          queue.async { log.add("item") }
          waitForWhatMustNotCome()
          log.add("sync")
        }
        log.wait(count: 2)
        expectEqual(log.entries, ["sync", "item"])
      }
    }

    @Test("Async takes a group, a quality of service and flags in any combination")
    func everyParameter() async {
      await isolated {
        let group = DispatchGroup()
        let ran = Counter()
        let queues = [DispatchQueue(label: "serial"), DispatchQueue(label: "wide", attributes: .concurrent), .global()]
        let services: [DispatchQoS] = [.unspecified, .background, .utility, .default, .userInitiated, .userInteractive]
        let flags: [DispatchWorkItemFlags] = [
          [], .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS, [.barrier, .enforceQoS],
        ]
        for queue in queues {
          for service in services {
            for flag in flags {
              queue.async(group: group, qos: service, flags: flag) { ran.add() }
              group.enter()
              queue.async(qos: service, flags: flag) {
                ran.add()
                group.leave()
              }
            }
          }
        }
        group.wait()
        expectEqual(ran.value, 2 * 3 * 6 * 8)
      }
    }

    @Test("Two queues that hand an item back and forth lose none")
    func pingPong() async {
      await isolated {
        let queues = [DispatchQueue(label: "ping"), DispatchQueue(label: "pong")]
        let done = Gate()
        @Sendable func hit(_ left: Int) {
          if left == 0 { return done.open() }
          queues[left % 2].async { hit(left - 1) }
        }
        hit(5000)
        done.wait()
      }
    }
  }
}
