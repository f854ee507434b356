// AsyncAfterTests.swift: items with a deadline: never early, in the order of deadlines, never for the distant future.
// Computing deadlines is in TimeTests.swift.
import Glibc
import Testing

extension Conformance {
  @Suite("Delayed items") struct AsyncAfter {
    @Test("An item never runs before its deadline on the uptime clock")
    func neverEarlyByUptime() async {
      await isolated {
        let queue = DispatchQueue(label: "uptime", attributes: .concurrent)
        let group = DispatchGroup()
        for milliseconds in [0, 1, 2, 5, 10, 20, 50] {
          for microseconds in stride(from: 0, to: 1000, by: 100) {
            let deadline = DispatchTime.now() + .microseconds(1000 * milliseconds + microseconds)
            group.enter()
            queue.asyncAfter(deadline: deadline) {
              expect(Clock.uptime >= deadline.uptimeNanoseconds, "early")
              group.leave()
            }
          }
        }
        group.wait()
      }
    }

    @Test("An item never runs before its deadline on the wall clock")
    func neverEarlyByWall() async {
      await isolated {
        let queue = DispatchQueue(label: "wall")
        let group = DispatchGroup()
        for milliseconds in [0, 1, 2, 5, 10, 20, 50] {
          let wall = Clock.wall + UInt64(milliseconds) * 1_000_000
          let deadline = DispatchWallTime(
            timespec: timespec(tv_sec: Int(wall / 1_000_000_000), tv_nsec: Int(wall % 1_000_000_000)))
          group.enter()
          queue.asyncAfter(wallDeadline: deadline) {
            expect(Clock.wall >= wall, "early")
            group.leave()
          }
        }
        group.wait()
      }
    }

    @Test("Of two deadlines the earlier runs first, whichever was asked for first, on either clock")
    func orderOfDeadlines() async {
      await isolated {
        let queue = DispatchQueue(label: "order")
        // Only an attempt that submitted all before the first deadline says anything; on a crowded machine, try again.
        var isMeaningful = false
        while !isMeaningful {
          let (byUptime, byWall) = (Recorder<Int>(), Recorder<Int>())
          let (uptime, wall) = (DispatchTime.now(), DispatchWallTime.now())
          for delay in [120, 20, 60] {
            queue.asyncAfter(deadline: uptime + .milliseconds(delay)) { byUptime.add(delay) }
            queue.asyncAfter(wallDeadline: wall + .milliseconds(delay)) { byWall.add(delay) }
          }
          isMeaningful = DispatchTime.now() < uptime + .milliseconds(20)
          for log in [byUptime, byWall] {
            log.wait(count: 3)
            if isMeaningful { expectEqual(log.entries, [20, 60, 120]) }
          }
        }
      }
    }

    @Test("An item whose deadline is past runs as soon as it can, on either clock")
    func pastDeadlines() async {
      await isolated {
        let queue = DispatchQueue(label: "past")
        let log = Recorder<String>()
        queue.asyncAfter(deadline: .now()) { log.add("now") }
        queue.asyncAfter(deadline: .now() - .seconds(10)) { log.add("past") }
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: 1)) { log.add("start") }
        queue.asyncAfter(wallDeadline: .now()) { log.add("wall now") }
        queue.asyncAfter(wallDeadline: DispatchWallTime.now() - .seconds(10)) { log.add("wall past") }
        log.wait(count: 5)
        expectEqual(log.entries.sorted(), ["now", "past", "start", "wall now", "wall past"])
      }
    }

    @Test("An item for the distant future does not run, on either clock, while a later one does")
    func distantFuture() async {
      await isolated {
        let queue = DispatchQueue(label: "never")
        let ran = Counter()
        queue.asyncAfter(deadline: .distantFuture) { ran.add() }
        queue.asyncAfter(wallDeadline: .distantFuture) { ran.add() }
        queue.asyncAfter(deadline: .now() + .never) { ran.add() }
        let marker = Gate()
        queue.asyncAfter(deadline: .now() + .milliseconds(30)) { marker.open() }
        marker.wait()
        queue.sync {}
        expectEqual(ran.value, 0)
      }
    }

    @Test("A delayed work item that is cancelled in time does not run, and completes at its deadline")
    func cancelled() async {
      await isolated {
        let queue = DispatchQueue(label: "cancelled")
        var isInTime = false
        // On a busy machine this thread may come to the cancel after the deadline: then it tries again.
        while !isInTime {
          let ran = Counter()
          let item = DispatchWorkItem { ran.add() }
          let start = Clock.uptime
          queue.asyncAfter(deadline: .now() + .milliseconds(30), execute: item)
          item.cancel()
          isInTime = Clock.uptime - start < 30_000_000
          item.wait()
          expect(Clock.uptime - start >= 30_000_000, "completed early")
          queue.sync {}
          if isInTime { expectEqual(ran.value, 0) }
        }
      }
    }

    @Test("A delayed work item can be waited for and sends its notification, on either clock")
    func workItems() async {
      await isolated {
        let queue = DispatchQueue(label: "items")
        let log = Recorder<String>()
        let item = DispatchWorkItem { log.add("item") }
        item.notify(queue: queue) { log.add("told") }
        queue.asyncAfter(deadline: .now() + .milliseconds(5), execute: item)
        item.wait()
        log.wait(count: 2)
        expectEqual(log.entries, ["item", "told"])
        let other = DispatchWorkItem { log.add("other") }
        queue.asyncAfter(wallDeadline: .now() + .milliseconds(5), execute: other)
        other.wait()
        expectEqual(log.count, 3)
      }
    }

    @Test("A delayed item waits for its queue: behind a running item, and while the queue is suspended")
    func busyQueues() async {
      await isolated {
        let queue = DispatchQueue(label: "suspended")
        let log = Recorder<String>()
        queue.suspend()
        queue.asyncAfter(deadline: .now() + .milliseconds(2)) { log.add("delayed") }
        waitForWhatMustNotCome()
        log.add("resume")
        queue.resume()
        log.wait(count: 2)
        queue.sync {
          queue.asyncAfter(deadline: .now() + .milliseconds(2)) { log.add("delayed") }
          waitForWhatMustNotCome()
          log.add("running")
        }
        log.wait(count: 4)
        expectEqual(log.entries, ["resume", "delayed", "running", "delayed"])
      }
    }

    @Test("Delayed items take a service and flags; a delayed barrier runs alone")
    func parameters() async {
      await isolated {
        let queue = DispatchQueue(label: "wide", attributes: .concurrent)
        let room = Room()
        let group = DispatchGroup()
        for number in 0..<60 {
          group.enter()
          let isBarrier = number % 3 == 0
          queue.asyncAfter(
            deadline: .now() + .microseconds(200 * number), qos: .utility, flags: isBarrier ? .barrier : .enforceQoS
          ) {
            if isBarrier { room.write() } else { room.read() }
            group.leave()
          }
        }
        group.wait()
        expectEqual(room.visits, 60)
        expectEqual(room.intrusions, 0)
      }
    }

    @Test("A thousand delays run once each, none early")
    func many() async {
      await isolated {
        let queue = DispatchQueue(label: "many")
        let log = Recorder<Int>()
        onThreads(4) { thread in
          for number in 0..<250 {
            let deadline = DispatchTime.now() + .microseconds(number * 73 % 20_000)
            queue.asyncAfter(deadline: deadline) {
              expect(Clock.uptime >= deadline.uptimeNanoseconds, "early")
              log.add(250 * thread + number)
            }
          }
        }
        log.wait(count: 1000)
        expectEqual(log.entries.sorted(), Array(0..<1000))
      }
    }

    @Test("A queue and what its item captured live until the deadline, though nobody else refers to them")
    func keepsItsQueue() async {
      await isolated {
        let (ran, itemDied, queueDied) = (Gate(), Gate(), Gate())
        do {
          let probe = Probe { itemDied.open() }
          let queue = DispatchQueue(label: "kept")
          queue.setSpecific(key: DispatchSpecificKey<Probe>(), value: Probe { queueDied.open() })
          queue.asyncAfter(deadline: .now() + .milliseconds(30)) {
            probe.touch()
            ran.open()
          }
        }
        ran.wait()
        itemDied.wait()
        queueDied.wait()
      }
    }
  }
}
