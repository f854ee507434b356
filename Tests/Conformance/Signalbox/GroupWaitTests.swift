// GroupWaitTests.swift: waiting for everything that entered a group. Notifications are in GroupNotifyTests.swift.
import Testing

extension Conformance {
  @Suite("Waiting for groups") struct GroupWait {
    @Test("An empty group makes nobody wait")
    func empty() async {
      await isolated {
        let group = DispatchGroup()
        group.wait()
        expectEqual(group.wait(timeout: .now()), .success)
        expectEqual(group.wait(timeout: .distantFuture), .success)
        expectEqual(group.wait(wallTimeout: .now()), .success)
        expectEqual(group.wait(wallTimeout: .distantFuture), .success)
        expectEqual(group.wait(timeout: DispatchTime(uptimeNanoseconds: 1)), .success)
      }
    }

    @Test("Wait returns when all items have run, over several queues of every kind")
    func itemsOverSeveralQueues() async {
      await isolated {
        let queues = [
          DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent),
          .global(), .global(qos: .background), DispatchQueue(label: "targeting", target: .global(qos: .utility)),
        ]
        let group = DispatchGroup()
        let ran = Counter()
        for round in 0..<1000 { queues[round % 5].async(group: group) { ran.add() } }
        group.wait()
        expectEqual(ran.value, 1000)
      }
    }

    @Test("Wait sees what the members wrote")
    func memory() async {
      await isolated {
        for _ in 0..<200 {
          let group = DispatchGroup()
          let numbers = [Shared(0), Shared(0)]
          for index in 0..<2 { DispatchQueue.global().async(group: group) { numbers[index].value = index + 1 } }
          group.wait()
          expectEqual(numbers.map(\.value), [1, 2])
        }
      }
    }

    @Test("Enter and leave by hand count, from any thread, mixed with items")
    func manualAndItems() async {
      await isolated {
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "mixed", attributes: .concurrent)
        let left = Counter()
        onThreads(4) { _ in
          for round in 0..<250 {
            if round % 2 == 0 {
              queue.async(group: group) { left.add() }
            } else {
              group.enter()
              queue.async {
                left.add()
                group.leave()
              }
            }
          }
        }
        group.wait()
        expectEqual(left.value, 1000)
      }
    }

    @Test("A group entered twice is left only by the second leave")
    func nestedEntries() async {
      await isolated {
        let group = DispatchGroup()
        group.enter()
        group.enter()
        group.leave()
        expectEqual(group.wait(timeout: .now()), .timedOut)
        group.leave()
        expectEqual(group.wait(timeout: .now()), .success)
      }
    }

    @Test("Wait gives up at its deadline, not before, on both clocks, and the group stays usable")
    func timesOut() async {
      await isolated {
        let group = DispatchGroup()
        group.enter()
        expectEqual(group.wait(timeout: .now()), .timedOut)
        expectEqual(group.wait(timeout: DispatchTime(uptimeNanoseconds: 1)), .timedOut)
        expectEqual(group.wait(wallTimeout: DispatchWallTime.now() - .seconds(5)), .timedOut)
        let uptime = Clock.uptime
        expectEqual(group.wait(timeout: .now() + .milliseconds(20)), .timedOut)
        expect(Clock.uptime - uptime >= 20_000_000, "early")
        let wall = Clock.wall
        expectEqual(group.wait(wallTimeout: .now() + .milliseconds(20)), .timedOut)
        expect(Clock.wall - wall >= 20_000_000, "early")
        group.leave()
        expectEqual(group.wait(timeout: .now()), .success)
      }
    }

    @Test("Wait with a deadline succeeds as soon as the last member leaves, on both clocks and forever")
    func succeedsInTime() async {
      await isolated {
        let waits: [(DispatchGroup) -> DispatchTimeoutResult] = [
          { $0.wait(timeout: .now() + .seconds(patience)) }, { $0.wait(wallTimeout: .now() + .seconds(patience)) },
          { $0.wait(timeout: .distantFuture) }, { $0.wait(wallTimeout: .distantFuture) },
        ]
        for wait in waits {
          let group = DispatchGroup()
          DispatchQueue.global().async(group: group) { waitForWhatMustNotCome() }
          expectEqual(wait(group), .success)
        }
      }
    }

    @Test("Several waiters all return when the last member leaves")
    func severalWaiters() async {
      await isolated {
        for _ in 0..<20 {
          let group = DispatchGroup()
          let arrived = Meeting(of: 5)
          let left = Gate()
          group.enter()
          let waiters = (0..<4).map { index in
            onThread {
              arrived.attend()
              switch index {
              case 0: expectEqual(group.wait(timeout: .now() + .seconds(patience)), .success)
              case 1: expectEqual(group.wait(wallTimeout: .now() + .seconds(patience)), .success)
              default: group.wait()
              }
              expect(left.isOpen, "returned before the member left")
            }
          }
          arrived.attend()
          left.open()
          group.leave()
          for waiter in waiters { waiter.join() }
        }
      }
    }

    @Test("A group can be used again and again")
    func reuse() async {
      await isolated {
        let group = DispatchGroup()
        let ran = Counter()
        for round in 1...300 {
          for _ in 0..<3 { DispatchQueue.global().async(group: group) { ran.add() } }
          group.wait()
          expectEqual(ran.value, 3 * round)
        }
      }
    }

    @Test("Items of a group may add items to it, and wait waits for those too")
    func membersThatAddMembers() async {
      await isolated {
        let group = DispatchGroup()
        let ran = Counter()
        @Sendable func grow(_ depth: Int) {
          ran.add()
          if depth == 0 { return }
          for _ in 0..<2 { DispatchQueue.global().async(group: group) { grow(depth - 1) } }
        }
        DispatchQueue.global().async(group: group) { grow(8) }
        group.wait()
        expectEqual(ran.value, 511)
      }
    }

    @Test("A work item is a member until it has run")
    func workItems() async {
      await isolated {
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "items")
        let ran = Counter()
        for _ in 0..<100 { queue.async(group: group, execute: DispatchWorkItem { ran.add() }) }
        group.wait()
        expectEqual(ran.value, 100)
      }
    }
  }
}
