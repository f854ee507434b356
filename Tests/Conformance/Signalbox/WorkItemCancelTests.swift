// WorkItemCancelTests.swift: cancelling before, while and after an item runs. Cancelling delayed items is in
// AsyncAfterTests.swift.
import Testing

extension Conformance {
  @Suite("Cancelling work items") struct WorkItemCancel {
    @Test("An item cancelled before it starts never runs, yet completes in its turn")
    func before() async {
      await isolated {
        let queue = DispatchQueue(label: "before")
        let ran = Counter()
        let item = DispatchWorkItem { ran.add() }
        queue.suspend()
        queue.async(execute: item)
        item.cancel()
        expect(item.isCancelled)
        expectEqual(item.wait(timeout: .now() + .milliseconds(5)), .timedOut)
        queue.resume()
        item.wait()
        queue.sync {}
        expectEqual(ran.value, 0)
      }
    }

    @Test("A cancelled item neither performs nor runs by sync, async or in a group, and holds up nobody")
    func everyWayToRun() async {
      await isolated {
        let queue = DispatchQueue(label: "ways")
        let ran = Counter()
        let group = DispatchGroup()
        let items = (0..<4).map { _ in DispatchWorkItem { ran.add() } }
        for item in items { item.cancel() }
        items[0].perform()
        queue.sync(execute: items[1])
        queue.async(execute: items[2])
        queue.async(group: group, execute: items[3])
        group.wait()
        for item in items { expectEqual(item.wait(timeout: .now() + .seconds(patience)), .success) }
        expectEqual(ran.value, 0)
      }
    }

    @Test("An item cancelled while it runs sees so, and runs to its end")
    func during() async {
      await isolated {
        let (started, cancelled) = (Gate(), Gate())
        let log = Recorder<Bool>()
        let itself = Shared<DispatchWorkItem?>(nil)
        let item = DispatchWorkItem {
          log.add(itself.value!.isCancelled)
          started.open()
          cancelled.wait()
          log.add(itself.value!.isCancelled)
        }
        itself.value = item
        DispatchQueue(label: "during").async(execute: item)
        started.wait()
        item.cancel()
        cancelled.open()
        item.wait()
        expectEqual(log.entries, [false, true])
        itself.value = nil
      }
    }

    @Test("Cancelling an item that has run marks it and keeps it from running again")
    func after() async {
      await isolated {
        let ran = Counter()
        let item = DispatchWorkItem { ran.add() }
        item.perform()
        expect(!item.isCancelled)
        item.cancel()
        expect(item.isCancelled)
        item.perform()
        expectEqual(ran.value, 1)
      }
    }

    @Test("An item submitted twice and cancelled in between runs once")
    func betweenTwoRuns() async {
      await isolated {
        let queue = DispatchQueue(label: "between")
        let ran = Counter()
        let item = DispatchWorkItem { ran.add() }
        queue.async(execute: item)
        queue.sync { item.cancel() }
        queue.async(execute: item)
        queue.sync {}
        expectEqual(ran.value, 1)
      }
    }

    @Test("Cancelling twice is cancelling once, and other items are untouched")
    func twice() async {
      await isolated {
        let queue = DispatchQueue(label: "twice")
        let log = Recorder<Int>()
        let items = (0..<10).map { number in DispatchWorkItem { log.add(number) } }
        queue.suspend()
        for item in items { queue.async(execute: item) }
        for number in [3, 3, 7] { items[number].cancel() }
        queue.resume()
        queue.sync {}
        expectEqual(log.entries, [0, 1, 2, 4, 5, 6, 8, 9])
        expectEqual(items.map(\.isCancelled), (0..<10).map { $0 == 3 || $0 == 7 })
      }
    }

    @Test("A cancelled barrier still takes its turn between readers")
    func cancelledBarrier() async {
      await isolated {
        let queue = DispatchQueue(label: "wide", attributes: .concurrent)
        let group = DispatchGroup()
        let ran = Counter()
        let item = DispatchWorkItem(flags: .barrier) { ran.add(100) }
        queue.suspend()
        for _ in 0..<5 { queue.async(group: group) { ran.add() } }
        queue.async(execute: item)
        for _ in 0..<5 { queue.async(group: group) { ran.add() } }
        item.cancel()
        queue.resume()
        group.wait()
        item.wait()
        expectEqual(ran.value, 10)
      }
    }
  }
}
