// ScaleTests.swift: depth and number: nothing that works for one stops working for many.
import Testing

extension Conformance {
  @Suite("Scale") struct Scale {
    @Test("Sync nested over fifty queues, again and again, from several threads in one order")
    func deepSync() async {
      await isolated {
        let queues = (0..<50).map { DispatchQueue(label: "depth \($0)", attributes: $0 % 2 == 0 ? [] : .concurrent) }
        @Sendable func descend(_ level: Int, _ caller: UInt) -> Int {
          if level == queues.count { return 0 }
          return queues[level].sync(flags: level % 3 == 0 ? .barrier : []) {
            expectEqual(currentThread(), caller)
            return 1 + descend(level + 1, caller)
          }
        }
        onThreads(4) { _ in
          for _ in 0..<20 { expectEqual(descend(0, currentThread()), 50) }
        }
      }
    }

    @Test("Ten thousand queues each run their item")
    func manyQueues() async {
      await isolated {
        let ran = Counter()
        let group = DispatchGroup()
        let queues = (0..<10_000).map { DispatchQueue(label: "queue \($0)") }
        for queue in queues { queue.async(group: group) { ran.add() } }
        group.wait()
        expectEqual(ran.value, 10_000)
      }
    }

    @Test("Ten thousand queues onto one serial queue each run their item, alone")
    func manyQueuesOntoOne() async {
      await isolated {
        let root = DispatchQueue(label: "root")
        let number = Shared(0)
        let group = DispatchGroup()
        for index in 0..<10_000 {
          DispatchQueue(label: "queue \(index)", target: root).async(group: group) { number.value += 1 }
        }
        group.wait()
        expectEqual(number.value, 10_000)
      }
    }

    @Test("A hundred thousand items wait in one queue and run in order")
    func manyItems() async {
      await isolated {
        let queue = DispatchQueue(label: "full")
        let (next, errors) = (Shared(0), Shared(0))
        queue.suspend()
        for number in 0..<100_000 {
          queue.async {
            if next.value != number { errors.value += 1 }
            next.value = number + 1
          }
        }
        queue.resume()
        queue.sync {}
        expectEqual(next.value, 100_000)
        expectEqual(errors.value, 0)
      }
    }

    @Test("A hundred thousand readers wait in one concurrent queue and all run")
    func manyReaders() async {
      await isolated {
        let queue = DispatchQueue(label: "wide", attributes: .concurrent)
        let ran = Counter()
        queue.suspend()
        for number in 0..<100_000 { queue.async(flags: number % 1000 == 0 ? .barrier : []) { ran.add() } }
        queue.resume()
        queue.sync(flags: .barrier) {}
        expectEqual(ran.value, 100_000)
      }
    }

    @Test("Forty threads wait in sync for one queue, and all come through")
    func manyWaiters() async {
      await isolated {
        let queue = DispatchQueue(label: "crowded")
        let (arrived, release) = (Meeting(of: 41), Gate())
        let number = Shared(0)
        queue.async { release.wait() }
        let threads = (0..<40).map { _ in
          onThread {
            arrived.attend()
            queue.sync { number.value += 1 }
          }
        }
        arrived.attend()
        waitForWhatMustNotCome()
        release.open()
        for thread in threads { thread.join() }
        expectEqual(queue.sync { number.value }, 40)
      }
    }

    // The toolchain's library adds one thread per second when items block: it gets there, after half a minute.
    @Test("Forty items that block do not keep another item from running", .enabled(if: engineIsOurs))
    func manyBlockedItems() async {
      await isolated {
        let queue = DispatchQueue(label: "blocked", attributes: .concurrent)
        let meeting = Meeting(of: 41)
        let group = DispatchGroup()
        for _ in 0..<41 { queue.async(group: group) { meeting.attend() } }
        group.wait()
      }
    }
  }
}
