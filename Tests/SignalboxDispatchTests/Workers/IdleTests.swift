// IdleTests.swift: what is left when nothing is to be done: few threads, no processor time, no system calls.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  /// Beside one another: they mostly sleep.
  @Suite struct IdleTests {
    /// The workers of all bands.
    static var total: UInt64 { Pools.all.reduce(0) { $0 + $1.use { $0.total } } }

    /// A burst that uses workers of several classes, timers, waits and parallel applies, and makes many threads.
    static func burst() {
      let (semaphore, all) = (DispatchSemaphore(value: 0), DispatchGroup())
      for _ in 0..<40 { DispatchQueue.global().async(group: all) { semaphore.wait() } }
      for qos in [.userInteractive, .utility, .background] as [DispatchQoS.QoSClass] {
        for _ in 0..<100 { DispatchQueue.global(qos: qos).async(group: all) {} }
      }
      // Work that sleeps.
      for index in 0..<8 { DispatchQueue(label: "burst.\(index)").async(group: all) { sleepPlainly(milliseconds: 5) } }
      let queue = DispatchQueue(label: "contended")
      DispatchQueue.concurrentPerform(iterations: 1_000) { _ in queue.sync {} }
      all.enter()
      queue.asyncAfter(deadline: .now() + .milliseconds(3)) { all.leave() }
      #expect(eventually { Pool.shared.total >= 40 })
      for _ in 0..<40 { semaphore.signal() }
      #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    }

    @Test("Threads beyond the processors end after a while of idleness")
    func shrinks() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let before = Kernel.threads().count
        IdleTests.burst()
        #expect(Kernel.threads().count - before >= 40)
        #expect(eventually { IdleTests.total <= UInt64(Tuning.processors) })
        // The sampler, the timer thread, the one that searches for cycles and the one that makes threads stay.
        #expect(eventually { Kernel.threads().count - before <= Tuning.processors + 4 })
        // And the pool still works.
        #expect(DispatchQueue(label: "after").sync { 1 } == 1)
        IdleTests.burst()
      }
    }

    @Test("An idle process uses no processor time and never switches threads, for five seconds")
    func nothingHappens() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let others = Set(Kernel.threads())
        IdleTests.burst()
        #expect(eventually { IdleTests.total <= UInt64(Tuning.processors) })
        // After the sampler's last samples, and the last thread's end.
        #expect(
          eventually {
            let ours = Kernel.threads().filter { !others.contains($0) }
            return !ours.isEmpty && Kernel.isIdle(ours, milliseconds: 5_000)
              && Set(Kernel.threads()).subtracting(others) == Set(ours)
          })
      }
    }

    @Test("Nothing of the library runs before it is used, nor for objects and syncs alone")
    func nothingBeforeUse() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let before = Set(Kernel.threads())
        let (queue, group, semaphore) = (DispatchQueue(label: "quiet"), DispatchGroup(), DispatchSemaphore(value: 1))
        #expect(queue.sync { 1 } == 1)
        group.enter()
        group.leave()
        group.wait()
        semaphore.wait()
        semaphore.signal()
        #expect(DispatchQueue.global().label == "com.apple.root.default-qos")
        #expect(Set(Kernel.threads()).subtracting(before).isEmpty)
      }
    }

    @Test("A pool that was idle for long takes up work at once")
    func wakesUp() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        IdleTests.burst()
        #expect(eventually { IdleTests.total <= UInt64(Tuning.processors) })
        let spent = best(of: 5, within: milliseconds(50)) {
          duration {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async { done.signal() }
            #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          }
        }
        #expect(spent <= milliseconds(50), "\(spent) ns")
      }
    }
  }
}
