// SyncTests.swift: sync runs its body on the caller's thread and hands back what it returned or threw. Sync through
// targets is in HierarchyTests.swift.
import Testing

private enum Failure: Error, Equatable {
  case refused(Int)
}

private final class Complaint: Error, Sendable {}

private final class Product {}

extension Conformance {
  @Suite("Sync") struct Sync {
    @Test("Sync runs its body on the caller's thread, on every kind of queue")
    func callersThread() async {
      await isolated {
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let queues = [
          DispatchQueue(label: "serial"), concurrent, DispatchQueue.global(), DispatchQueue.global(qos: .background),
          DispatchQueue(label: "targeting", target: concurrent),
        ]
        let caller = currentThread()
        for queue in queues {
          expectEqual(queue.sync { currentThread() }, caller)
          expectEqual(queue.sync(flags: .barrier) { currentThread() }, caller)
        }
      }
    }

    @Test("Sync runs on the caller's thread also when it had to wait")
    func callersThreadAfterAWait() async {
      await isolated {
        let queue = DispatchQueue(label: "busy")
        onThreads(4) { _ in
          let caller = currentThread()
          for round in 0..<500 {
            if round % 4 == 0 { queue.async {} }
            expectEqual(queue.sync { currentThread() }, caller)
          }
        }
      }
    }

    @Test("Sync returns what its body returns, whatever the type")
    func genericResult() async {
      await isolated {
        let queue = DispatchQueue(label: "results")
        expectEqual(queue.sync { 42 }, 42)
        expectEqual(queue.sync { "text" }, "text")
        expectEqual(queue.sync { nil as Int? }, nil)
        expectEqual(queue.sync { [1.5, 2.5] }, [1.5, 2.5])
        let pair = queue.sync(flags: .barrier) { (1, "one") }
        expect(pair == (1, "one"))
        let product = Product()
        expect(queue.sync { product } === product)
        let nothing: Void = queue.sync {}
        _ = nothing
      }
    }

    @Test("Sync may change the caller's variables")
    func nonEscapingBody() async {
      await isolated {
        let queue = DispatchQueue(label: "variables")
        var total = 0
        for number in 1...100 { queue.sync { total += number } }
        queue.sync(flags: []) { total += 1 }
        expectEqual(total, 5051)
      }
    }

    @Test("Sync throws the very error its body threw, and leaves the queue usable")
    func identityOfErrors() async {
      await isolated {
        for queue in [DispatchQueue(label: "serial"), DispatchQueue(label: "wide", attributes: .concurrent)] {
          let complaint = Complaint()
          do {
            try queue.sync { throw complaint }
            expect(false, "nothing was thrown")
          } catch {
            expect(error as? Complaint === complaint)
          }
          do {
            _ = try queue.sync(flags: .barrier) { () throws -> Int in throw Failure.refused(3) }
            expect(false, "nothing was thrown")
          } catch {
            expectEqual(error as? Failure, .refused(3))
          }
          expectEqual(queue.sync { 1 }, 1)
        }
      }
    }

    @Test("Sync waits for the item that runs")
    func waitsForTheRunningItem() async {
      await isolated {
        let queue = DispatchQueue(label: "waiting")
        let (started, release) = (Gate(), Gate())
        let log = Recorder<String>()
        queue.async {
          started.open()
          release.wait()
          log.add("item")
        }
        started.wait()
        let caller = onThread { queue.sync { log.add("sync") } }
        waitForWhatMustNotCome()
        expectEqual(log.entries, [])
        release.open()
        caller.join()
        expectEqual(log.entries, ["item", "sync"])
      }
    }

    @Test("Sync from an item of one queue onto another, and onto a third")
    func nestedOntoUnrelatedQueues() async {
      await isolated {
        let queues = (0..<3).map { DispatchQueue(label: "nest \($0)") }
        let done = Gate()
        queues[0].async {
          let thread = currentThread()
          let inner = queues[1].sync { queues[2].sync { currentThread() } }
          expectEqual(inner, thread)
          done.open()
        }
        done.wait()
      }
    }

    @Test("Sync from a global queue's item onto the same global queue")
    func nestedOntoTheSameGlobalQueue() async {
      await isolated {
        let done = Gate()
        DispatchQueue.global().async {
          expectEqual(DispatchQueue.global().sync { 5 }, 5)
          done.open()
        }
        done.wait()
      }
    }

    @Test("Sync of a work item runs it on the caller's thread and completes it")
    func workItem() async {
      await isolated {
        let queue = DispatchQueue(label: "item")
        let caller = currentThread()
        let ran = Counter()
        let item = DispatchWorkItem {
          expectEqual(currentThread(), caller)
          ran.add()
        }
        queue.sync(execute: item)
        expectEqual(ran.value, 1)
        expectEqual(item.wait(timeout: .now()), .success)
      }
    }
  }
}
