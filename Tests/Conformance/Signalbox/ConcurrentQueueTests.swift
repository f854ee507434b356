// ConcurrentQueueTests.swift: items that run beside one another, started first come first served. Items that must be
// alone are in BarrierTests.swift.
import Testing

extension Conformance {
  @Suite("Concurrent queues") struct ConcurrentQueues {
    @Test("A concurrent queue runs two items at once")
    func twoItemsAtOnce() async {
      await isolated {
        let queue = DispatchQueue(label: "pair", attributes: .concurrent)
        let meeting = Meeting(of: 2)
        let group = DispatchGroup()
        for _ in 0..<2 { queue.async(group: group) { meeting.attend() } }
        group.wait()
      }
    }

    @Test("A global queue runs two items at once")
    func twoItemsOfAGlobalQueueAtOnce() async {
      await isolated {
        let meeting = Meeting(of: 2)
        let group = DispatchGroup()
        for _ in 0..<2 { DispatchQueue.global().async(group: group) { meeting.attend() } }
        group.wait()
      }
    }

    @Test("Threads that sync onto a concurrent queue are inside at once")
    func twoSyncsAtOnce() async {
      await isolated {
        let queue = DispatchQueue(label: "syncs", attributes: .concurrent)
        let meeting = Meeting(of: 3)
        onThreads(3) { _ in queue.sync { meeting.attend() } }
      }
    }

    @Test("A sync and an async item of a concurrent queue run at once")
    func syncBesideAsync() async {
      await isolated {
        let queue = DispatchQueue(label: "mixed", attributes: .concurrent)
        let meeting = Meeting(of: 2)
        let group = DispatchGroup()
        queue.async(group: group) { meeting.attend() }
        queue.sync { meeting.attend() }
        group.wait()
      }
    }

    @Test("A concurrent queue starts items in the order in which they were submitted")
    func startsInOrder() async {
      await isolated {
        let queue = DispatchQueue(label: "starts", attributes: .concurrent)
        let log = Recorder<Start>()
        queue.suspend()
        for number in 0..<2000 { queue.async { log.add(Start(number: number, thread: currentThread())) } }
        queue.resume()
        log.wait(count: 2000)
        // A thread that took an item may be held up before it logs, so at any entry each other thread may owe one.
        let starts = log.entries
        let threads = Set(starts.map(\.thread)).count
        var logged = 0
        var highest = -1
        for start in starts {
          highest = max(highest, start.number)
          logged += 1
          expect(highest + 1 - logged <= threads, "item \(start.number) overtook more than \(threads) others")
        }
      }
    }

    private struct Start: Sendable {
      let number: Int
      let thread: UInt
    }

    @Test("Every item of a concurrent queue runs once, whoever submits it")
    func everyItemRunsOnce() async {
      await isolated {
        let queue = DispatchQueue(label: "all", attributes: .concurrent)
        let group = DispatchGroup()
        let log = Recorder<Int>()
        onThreads(4) { thread in
          for number in 0..<1000 { queue.async(group: group) { log.add(1000 * thread + number) } }
        }
        group.wait()
        expectEqual(log.entries.sorted(), Array(0..<4000))
      }
    }

    @Test("A sync onto an idle concurrent queue does not wait for items that still run")
    func syncPassesRunningItems() async {
      await isolated {
        let queue = DispatchQueue(label: "passing", attributes: .concurrent)
        let (running, release) = (Gate(), Gate())
        let group = DispatchGroup()
        queue.async(group: group) {
          running.open()
          release.wait()
        }
        running.wait()
        expectEqual(queue.sync { 7 }, 7)
        release.open()
        group.wait()
      }
    }
  }
}
