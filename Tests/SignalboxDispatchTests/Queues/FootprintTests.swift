// FootprintTests.swift: what queues and pending items take of memory, that a steady state takes no more, and that much of either
// stays linear. Each in a process of its own.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct FootprintTests {
    @Test("A queue takes at most 320 bytes")
    func queueSize() {
      for queue in [DispatchQueue(label: "small"), DispatchQueue(label: "wide", attributes: .concurrent)] {
        #expect(Memory.blockSize(queue.address) <= 320, "\(Memory.blockSize(queue.address)) bytes")
      }
      let group = DispatchGroup()
      #expect(Memory.blockSize(group.address) <= 64, "\(Memory.blockSize(group.address)) bytes")
    }

    /// Bytes of heap per item that `submit` adds to a suspended queue.
    static func bytesPerPendingItem(_ count: Int, _ submit: (DispatchQueue) -> Void) -> Double {
      let queue = DispatchQueue(label: "pending")
      queue.suspend()
      submit(queue)  // whatever is made once
      let before = Memory.allocated()
      for _ in 0..<count { submit(queue) }
      let bytes = Memory.allocated() - before
      queue.resume()
      #expect(queue.sync { 1 } == 1)
      return Double(bytes) / Double(count)
    }

    @Test("A pending item takes at most 64 bytes")
    func pendingItems() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let plain = FootprintTests.bytesPerPendingItem(1_000_000) { $0.async {} }
        #expect(plain <= 18, "\(plain) bytes for an empty closure")
        let group = DispatchGroup()
        let grouped = FootprintTests.bytesPerPendingItem(1_000_000) { $0.async(group: group) {} }
        #expect(grouped <= 64, "\(grouped) bytes for a closure with a group")
        let barrier = FootprintTests.bytesPerPendingItem(100_000) { $0.async(flags: .barrier) {} }
        #expect(barrier <= 64, "\(barrier) bytes for a barrier")
      }
    }

    @Test("In a steady state nothing is allocated for closures, members of groups and work items")
    func steadyState() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (queue, wide) = (DispatchQueue(label: "steady"), DispatchQueue(label: "wide", attributes: .concurrent))
        let group = DispatchGroup()
        let item = DispatchWorkItem {}
        func round() {
          for _ in 0..<100 {
            queue.async {}
            queue.async(group: group) {}
            queue.async(execute: item)
            wide.async(group: group) {}
            wide.async(flags: .barrier) {}
            queue.sync {}
            DispatchQueue.global().async(group: group) {}
          }
          wide.sync(flags: .barrier) {}
          group.wait()
        }
        for _ in 0..<100 { round() }
        #expect(eventually { Pool.shared.snapshot[PoolState.idle] == Pool.shared.total })
        let before = Memory.allocated()
        for _ in 0..<300 { round() }  // 210,000 submissions
        #expect(eventually { Pool.shared.snapshot[PoolState.idle] == Pool.shared.total })
        let growth = Memory.allocated() - before
        // Free nodes wander between threads: a magazine of them more or less is no growth; one byte per submission would be 210 kB.
        #expect(growth < 64 * 1024, "\(growth) bytes")
      }
    }

    @Test("Ten million pending items and their drain stay linear")
    func manyItems() async {
      await #expect(processExitsWith: .success) {
        killOnHang(after: 500)
        let (queue, ran) = (DispatchQueue(label: "many"), Count())
        queue.suspend()
        let start = Memory.resident()
        func fill() { for _ in 0..<5_000_000 { queue.async { ran.add() } } }
        fill()
        let half = Memory.resident() - start
        fill()
        let whole = Memory.resident() - start
        #expect(half < 320_000_000 && whole < 640_000_000, "\(half) bytes, then \(whole)")
        #expect(whole < half * 5 / 2, "\(half) bytes, then \(whole)")
        queue.resume()
        queue.sync {}
        #expect(ran.value == 10_000_000)
      }
    }

    @Test("A million queues, each used, stay linear and are freed")
    func manyQueues() async {
      await #expect(processExitsWith: .success) {
        killOnHang(after: 500)
        let ran = Count()
        let start = Memory.resident()
        var queues: [DispatchQueue] = []
        func make() {
          for _ in 0..<500_000 {
            let queue = DispatchQueue(label: "one of many")
            queue.async { ran.add() }
            queues.append(queue)
          }
        }
        make()
        #expect(eventually { ran.value == 500_000 })
        let half = Memory.resident() - start
        make()
        #expect(eventually { ran.value == 1_000_000 })
        let whole = Memory.resident() - start
        #expect(whole < half * 5 / 2, "\(half) bytes, then \(whole)")
        #expect(whole < 1_000_000 * 512, "\(whole) bytes")
        let before = Memory.allocated()
        queues.removeAll()
        #expect(eventually { Memory.allocated() < before - 1_000_000 * 200 }, "\(before) bytes, then \(Memory.allocated())")
      }
    }
  }
}
