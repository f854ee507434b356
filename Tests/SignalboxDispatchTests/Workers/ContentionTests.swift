// ContentionTests.swift: threads are made for work that waits, not for threads that compete: contending syncs breed none.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
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

    /// Asks for the queue's turn 20,000 times, and counts how often that takes more than a millisecond, because the
    /// owner has lost its processor: a thread that waits so long counts as blocked and may get a stand-in, one that
    /// waits less may not.
    static func contend(_ queue: DispatchQueue, _ sum: Sum, _ longWaits: Count) {
      for _ in 0..<20_000 {
        let asked = Clock.uptime()
        queue.sync {
          sum.value += 1
          if Clock.uptime() - asked > milliseconds(1) { longWaits.add() }
        }
      }
    }

    @Test("16 global items that contend for one serial queue run on as many workers as there are processors")
    func items() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let before = Kernel.threads().count
        let (queue, all, ended) = (DispatchQueue(label: "wanted"), DispatchGroup(), Count())
        let (sum, longWaits) = (Sum(), Count())
        for _ in 0..<16 {
          DispatchQueue.global().async(group: all) {
            ContentionTests.contend(queue, sum, longWaits)
            ended.add()
          }
        }
        let most = ContentionTests.mostThreads { ended.value == 16 }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(sum.value == 320_000)
        // The sampler is one more; see `contend` for the last.
        let allowed = Tuning.processors + 3 + min(Int(longWaits.value), 14)
        #expect(most - before <= allowed, "\(most - before) threads, \(allowed) allowed")
      }
    }

    @Test("16 workers that contend for one serial queue get no company")
    func workers() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (queue, all, ended) = (DispatchQueue(label: "wanted"), DispatchGroup(), Count())
        let (arrived, start, sum, longWaits) = (Count(), DispatchSemaphore(value: 0), Sum(), Count())
        for _ in 0..<16 {
          DispatchQueue.global().async(group: all) {
            arrived.add()
            start.wait()  // so there are 16 workers
            ContentionTests.contend(queue, sum, longWaits)
            ended.add()
          }
        }
        #expect(eventually { arrived.value == 16 })
        let before = Kernel.threads().count
        // Work to do for any thread that might be made.
        for _ in 0..<16 { DispatchQueue.global().async(group: all) { for _ in 0..<1_000 { queue.sync { sum.value += 1 } } } }
        for _ in 0..<16 { start.signal() }
        let most = ContentionTests.mostThreads { ended.value == 16 }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        #expect(sum.value == 336_000)
        // Breeding would be one more for each contender however long it waits; see `contend`.
        let allowed = 3 + min(Int(longWaits.value), 14)
        #expect(most - before <= allowed, "\(most - before) threads, \(allowed) allowed")
      }
    }

    @Test("16 serial queues whose items contend for one further queue do not grow without limit")
    func queues() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
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
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
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
