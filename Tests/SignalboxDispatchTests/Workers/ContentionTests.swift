// ContentionTests.swift: threads are made for work that waits, not for threads that compete: contending syncs breed none.
import Glibc
import SignalboxSystem
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct ContentionTests {
    /// The most threads seen while `isOver` does not hold.
    static func mostThreads(until isOver: () -> Bool) -> Int {
      var most = 0
      _ = eventually(within: 2 * patience) {
        most = max(most, Kernel.threads().count)
        return isOver()
      }
      return most
    }

    @Test("16 global items that contend for one serial queue run on as many workers as there are processors")
    func items() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let before = Kernel.threads().count
        let (queue, all, ended) = (DispatchQueue(label: "wanted"), DispatchGroup(), Count())
        let sum = Sum()
        for _ in 0..<16 {
          DispatchQueue.global().async(group: all) {
            for _ in 0..<20_000 { queue.sync { sum.value += 1 } }
            ended.add()
          }
        }
        let most = ContentionTests.mostThreads { ended.value == 16 }
        #expect(all.wait(timeout: .now() + 30) == .success)
        #expect(sum.value == 320_000)
        // The watcher is one more.
        #expect(most - before <= Tuning.processors + 3, "\(most - before) threads")
      }
    }

    @Test("16 workers that contend for one serial queue get no company")
    func workers() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let (queue, all, ended) = (DispatchQueue(label: "wanted"), DispatchGroup(), Count())
        let (arrived, start, sum, longWaits) = (Count(), DispatchSemaphore(value: 0), Sum(), Count())
        for _ in 0..<16 {
          DispatchQueue.global().async(group: all) {
            arrived.add()
            start.wait()  // so there are 16 workers
            for _ in 0..<20_000 {
              let asked = Clock.uptime()
              queue.sync {
                sum.value += 1
                if Clock.uptime() - asked > 1_000_000 { longWaits.add() }
              }
            }
            ended.add()
          }
        }
        #expect(eventually { arrived.value == 16 })
        let before = Kernel.threads().count
        // Work to do for any thread that might be made.
        for _ in 0..<16 { DispatchQueue.global().async(group: all) { for _ in 0..<1_000 { queue.sync { sum.value += 1 } } } }
        for _ in 0..<16 { start.signal() }
        let most = ContentionTests.mostThreads { ended.value == 16 }
        #expect(all.wait(timeout: .now() + 30) == .success)
        #expect(sum.value == 336_000)
        // Who waits for longer than a millisecond, because the owner has lost its processor, counts as blocked and may get a
        // stand-in; who waits less may not. Breeding would be one for each contender, whatever it waits.
        let (allowed, long) = (3 + min(longWaits.value, 5), longWaits.value)
        #expect(UInt64(max(0, most - before)) <= allowed, "\(most - before) threads, \(long) waits of more than 1 ms")
      }
    }

    @Test("16 serial queues whose items contend for one further queue do not grow without limit")
    func queues() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        let before = Kernel.threads().count
        let (queue, all, ended) = (DispatchQueue(label: "wanted"), DispatchGroup(), Count())
        let sum = Sum()
        for index in 0..<16 {
          DispatchQueue(label: "contender.\(index)").async(group: all) {
            for _ in 0..<20_000 { queue.sync { sum.value += 1 } }
            ended.add()
          }
        }
        let most = ContentionTests.mostThreads { ended.value == 16 }
        #expect(all.wait(timeout: .now() + 30) == .success)
        #expect(sum.value == 320_000)
        // A serial queue is promised a thread of its own, so each contender may have one: no more than that.
        #expect(most - before <= 16 + 3, "\(most - before) threads")
      }
    }

    /// A plain number that a serial queue protects.
    final class Sum: @unchecked Sendable {
      // SAFETY: touched in the queue's turn only.
      var value = 0
    }
  }
}
