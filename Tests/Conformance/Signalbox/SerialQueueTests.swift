// SerialQueueTests.swift: one item at a time, first come first served. Items of several kinds of queue at once are in
// ConcurrentQueueTests.swift.
import Testing

extension Conformance {
  @Suite("Serial queues") struct SerialQueues {
    @Test("A serial queue runs items in the order in which they were submitted")
    func submissionOrder() async {
      await isolated {
        let queue = DispatchQueue(label: "order")
        let log = Recorder<Int>()
        for number in 0..<2000 { queue.async { log.add(number) } }
        queue.sync {}
        expectEqual(log.entries, Array(0..<2000))
      }
    }

    @Test("A serial queue runs one item at a time, and keeps each submitter's order")
    func exclusionUnderManySubmitters() async {
      await isolated {
        let queue = DispatchQueue(label: "exclusion")
        let room = Room()
        let logs = (0..<4).map { _ in Recorder<Int>() }
        onThreads(4) { thread in
          for number in 0..<500 {
            let item: @Sendable () -> Void = {
              room.write()
              logs[thread].add(number)
            }
            if number % 5 == 4 { queue.sync(execute: item) } else { queue.async(execute: item) }
          }
        }
        expectEqual(room.visits, 2000)
        expectEqual(room.intrusions, 0)
        for log in logs { expectEqual(log.entries, Array(0..<500)) }
      }
    }

    @Test("What one item of a serial queue wrote, the next reads, without a lock of their own")
    func memoryPassesFromItemToItem() async {
      await isolated {
        let queue = DispatchQueue(label: "memory")
        let number = Shared(0)
        onThreads(4) { _ in
          for round in 0..<1000 {
            if round % 2 == 0 { queue.async { number.value += 1 } } else { queue.sync { number.value += 1 } }
          }
        }
        expectEqual(queue.sync { number.value }, 4000)
      }
    }

    @Test("A sync takes its turn behind the items submitted before it")
    func syncTakesItsTurn() async {
      await isolated {
        let queue = DispatchQueue(label: "turn")
        let log = Recorder<String>()
        queue.async { log.add("first") }
        queue.async { log.add("second") }
        queue.sync { log.add("sync") }
        queue.async { log.add("last") }
        queue.sync {}
        expectEqual(log.entries, ["first", "second", "sync", "last"])
      }
    }

    @Test("An item submitted by an item runs after those already queued")
    func itemsSubmittedByItems() async {
      await isolated {
        let queue = DispatchQueue(label: "nested")
        let log = Recorder<String>()
        let queued = Gate()
        queue.async {
          queued.wait()
          queue.async { log.add("inner") }
          log.add("outer")
        }
        queue.async { log.add("queued") }
        queued.open()
        log.wait(count: 3)
        expectEqual(log.entries, ["outer", "queued", "inner"])
      }
    }

    @Test("A queue that fell idle wakes for the next item, every time")
    func idleQueueWakes() async {
      await isolated {
        let queue = DispatchQueue(label: "idle")
        for _ in 0..<500 {
          let ran = Gate()
          queue.async { ran.open() }
          ran.wait()
        }
      }
    }

    @Test("A chain of items, each submitting the next, runs to its end")
    func chainOfItems() async {
      await isolated {
        let queue = DispatchQueue(label: "chain")
        let done = Gate()
        @Sendable func step(_ left: Int) {
          if left == 0 { return done.open() }
          queue.async { step(left - 1) }
        }
        step(5000)
        done.wait()
      }
    }

    @Test("Two serial queues run beside each other")
    func twoQueuesRunAtOnce() async {
      await isolated {
        let meeting = Meeting(of: 2)
        let group = DispatchGroup()
        for label in ["left", "right"] { DispatchQueue(label: label).async(group: group) { meeting.attend() } }
        group.wait()
      }
    }

    @Test("Eight serial queues whose items block do not hold up a ninth")
    func blockedQueuesDoNotDelayOthers() async {
      await isolated {
        let release = Gate()
        let ninth = Gate()
        let group = DispatchGroup()
        for number in 0..<8 { DispatchQueue(label: "blocked \(number)").async(group: group) { release.wait() } }
        DispatchQueue(label: "ninth").async(group: group) { ninth.open() }
        ninth.wait()
        release.open()
        group.wait()
      }
    }

    @Test("Four serial queues whose items compute without end do not hold up a fifth, nor a global queue")
    func computingQueuesDoNotDelayOthers() async {
      await isolated {
        let (stop, fifth, global) = (Gate(), Gate(), Gate())
        let group = DispatchGroup()
        for number in 0..<4 {
          DispatchQueue(label: "computing \(number)").async(group: group) { stop.compute() }
        }
        DispatchQueue(label: "fifth").async(group: group) { fifth.open() }
        DispatchQueue.global().async(group: group) { global.open() }
        fifth.wait()
        global.wait()
        stop.open()
        group.wait()
      }
    }

    @Test("Items of a global queue that compute without end, or wait to start, do not hold up a serial queue")
    func computingGlobalQueueDoesNotDelaySerialQueues() async {
      await isolated {
        let (stop, ran) = (Gate(), Gate())
        let group = DispatchGroup()
        for number in 0..<6 {
          DispatchQueue.global().async(group: group) { stop.compute() }
          DispatchQueue(label: "computing \(number)").async(group: group) { stop.compute() }
        }
        DispatchQueue(label: "last").async(group: group) { ran.open() }
        ran.wait()
        stop.open()
        group.wait()
      }
    }
  }
}
