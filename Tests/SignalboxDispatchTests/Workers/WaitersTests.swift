// WaitersTests.swift: the blocking policy for waits of Signalbox's: an item that waits for one still queued is given
// company at once, however many wait. Plain system calls are SleepersTests.swift, the bound is BoundTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct WaitersTests {
    /// Submits 60 global items that run `wait`, then one that runs `release`; the time until all 61 have ended.
    static func timeUntilAllEnd(wait: @escaping @Sendable () -> Void, release: @escaping @Sendable () -> Void) -> UInt64 {
      let all = DispatchGroup()
      return duration {
        for _ in 0..<60 { DispatchQueue.global().async(group: all) { wait() } }
        DispatchQueue.global().async(group: all) { release() }
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    /// Whether this many items that need a worker each were quick: within the bound or, on a machine that others use as well, four
    /// times what as many threads take that start one another in turn.
    static func isQuick(_ spent: UInt64, items: Int = 61, bound: UInt64 = milliseconds(1_000)) -> Bool {
      spent < bound || spent < 4 * duration { startInTurn(items) }
    }

    private static func startInTurn(_ count: Int) {
      guard count > 0 else { return }
      TestThread { startInTurn(count - 1) }.join()
    }

    @Test("Items that submit to a serial queue and then sync onto it do not wait for the pool sampler")
    func asyncThenSync() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let queue = DispatchQueue(label: "asked by all")
        let wide = DispatchQueue(label: "asking", attributes: .concurrent)
        // A sample takes 0.8 ms: forty of them, 32 ms.
        let spent = best(of: 30, within: milliseconds(12)) {
          let all = DispatchGroup()
          return duration {
            for _ in 0..<40 {
              wide.async(group: all) {
                queue.async {}
                queue.sync {}
              }
            }
            #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          }
        }
        #expect(WaitersTests.isQuick(spent, items: 40, bound: milliseconds(12)), "\(spent) ns")
      }
    }

    @Test("60 global items wait for a semaphore that a 61st signals")
    func semaphore() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let semaphore = DispatchSemaphore(value: 0)
        let spent = WaitersTests.timeUntilAllEnd(
          wait: { semaphore.wait() }, release: { for _ in 0..<60 { semaphore.signal() } })
        #expect(WaitersTests.isQuick(spent), "\(spent) ns")
      }
    }

    @Test("60 global items wait with a limit for a semaphore that a 61st signals")
    func timedSemaphore() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let semaphore = DispatchSemaphore(value: 0)
        let spent = WaitersTests.timeUntilAllEnd(
          wait: { #expect(semaphore.wait(timeout: .now() + .seconds(Int(patience))) == .success) },
          release: { for _ in 0..<60 { semaphore.signal() } })
        #expect(WaitersTests.isQuick(spent), "\(spent) ns")
      }
    }

    @Test("60 global items wait for a group that a 61st leaves")
    func group() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let group = DispatchGroup()
        group.enter()
        let spent = WaitersTests.timeUntilAllEnd(wait: { group.wait() }, release: { group.leave() })
        #expect(WaitersTests.isQuick(spent), "\(spent) ns")
      }
    }

    @Test("60 global items wait for a work item that a 61st performs")
    func workItem() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let item = DispatchWorkItem {}
        let spent = WaitersTests.timeUntilAllEnd(wait: { item.wait() }, release: { item.perform() })
        #expect(WaitersTests.isQuick(spent), "\(spent) ns")
      }
    }

    @Test("60 global items wait for a once whose runner waits for a 61st")
    func once() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let token = Token()
        let semaphore = DispatchSemaphore(value: 0)
        let spent = WaitersTests.timeUntilAllEnd(
          wait: { OnceToken.run(token.word) { semaphore.wait() } }, release: { semaphore.signal() })
        #expect(WaitersTests.isQuick(spent), "\(spent) ns")
      }
    }

    @Test("60 global items wait by sync for a queue whose item waits for a 61st")
    func syncBehindAParkedItem() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (queue, semaphore) = (DispatchQueue(label: "parked"), DispatchSemaphore(value: 0))
        queue.async { semaphore.wait() }
        let spent = WaitersTests.timeUntilAllEnd(wait: { queue.sync {} }, release: { semaphore.signal() })
        #expect(WaitersTests.isQuick(spent), "\(spent) ns")
      }
    }

    @Test("60 global items wait by asyncAndWait for a queue whose item waits for a 61st")
    func asyncAndWaitBehindAParkedItem() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (queue, semaphore) = (DispatchQueue(label: "parked"), DispatchSemaphore(value: 0))
        queue.async { semaphore.wait() }
        let spent = WaitersTests.timeUntilAllEnd(wait: { queue.asyncAndWait {} }, release: { semaphore.signal() })
        #expect(WaitersTests.isQuick(spent), "\(spent) ns")
      }
    }

    @Test("A chain of waits ends, in which item n of a concurrent queue waits for item n + 1")
    func chain() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let queue = DispatchQueue(label: "chain", attributes: .concurrent)
        let semaphores = (0...40).map { _ in DispatchSemaphore(value: 0) }
        let all = DispatchGroup()
        let spent = duration {
          for index in 0..<40 {
            queue.async(group: all) {
              semaphores[index + 1].wait()
              semaphores[index].signal()
            }
          }
          queue.async(group: all) { semaphores[40].signal() }
          #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        }
        semaphores[0].wait()
        #expect(WaitersTests.isQuick(spent), "\(spent) ns")
      }
    }

    /// A once token that lives as long as its users.
    final class Token: @unchecked Sendable {
      // SAFETY: the word is touched by OnceToken only, as an atomic.
      let word = UnsafeMutablePointer<Int>.allocate(capacity: 1)
      init() { word.initialize(to: 0) }
      deinit { word.deallocate() }
    }
  }
}
