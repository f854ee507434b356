// SleepersTests.swift: the blocking policy for plain system calls, which no hook sees: serial queues asleep in the
// kernel delay no other queue, sleeping global items are noticed. Waits of Signalbox's are WaitersTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct SleepersTests {
    @Test("Eight serial queues asleep in system calls do not delay a ninth")
    func ninthQueue() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (tap, asleep) = (Tap(), Count())
        for index in 0..<8 {
          DispatchQueue(label: "sleeper.\(index)").async {
            asleep.add()
            if index % 2 == 0 { tap.waitInRead() } else { sleepPlainly(milliseconds: 60_000) }  // an item that sleeps on
          }
        }
        #expect(eventually { asleep.value == 8 })
        let spent = best(of: 5, within: milliseconds(500)) {
          duration {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue(label: "ninth").async { done.signal() }
            #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          }
        }
        #expect(spent <= milliseconds(500), "\(spent) ns")
        tap.open()
      }
    }

    /// What is submitted while the first worker comes up is left to it: it calls no further worker, as there is no room for
    /// one, and only the sampler learns that the workers with the room sleep.
    @Test(
      "Items of every class that sleep in system calls from the first moment on keep no others waiting",
      arguments: [false, true])
    func sleepFromTheBeginning(isConcurrent: Bool) async {
      await #expect(processExitsWith: .success) { [isConcurrent] in
        beginMeasured()
        for qos in [.background, .utility, .default, .userInitiated, .userInteractive] as [DispatchQoS.QoSClass] {
          for _ in 0..<8 {
            let (tap, all) = (Tap(), DispatchGroup())
            let own = DispatchQueue(label: "own", qos: DispatchQoS(qosClass: qos, relativePriority: 0), attributes: .concurrent)
            let queue = isConcurrent ? own : .global(qos: qos)
            for _ in 0..<2 * Tuning.processors { queue.async(group: all) { tap.waitInRead() } }
            queue.async(group: all) { tap.open() }
            #expect(eventually { all.wait(timeout: .now()) == .success }, "\(qos)")
            #expect(eventually { !Pools.all.contains { $0.use { $0.snapshot[PoolState.running] > 0 } } })
          }
        }
      }
    }

    @Test("A worker that is called for another band's work wakes, and is idle again if it finds none")
    func called() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let pool = Pool.shared, done = DispatchSemaphore(value: 0)
        var isIdle: Bool { pool.snapshot[PoolState.idle] > 0 && pool.snapshot[PoolState.searching] == 0 }
        DispatchQueue.global().async { done.signal() }
        done.wait()
        #expect(eventually { isIdle })
        // No other thread would wake one: nothing is queued, so the sampler sleeps.
        for _ in 0..<10 {
          pool.callAnother()
          #expect(eventually { isIdle })
        }
      }
    }

    @Test("Items that sleep for less than the pool sampler's period each get many workers")
    func shortSleeps() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (stop, ended, inside, most) = (Count(), DispatchGroup(), Count(), Count())
        @Sendable func feed() {
          let now = inside.add()
          if now > most.value { most.value = now }
          sleepPlainly(microseconds: 500)  // work that sleeps
          inside.add(~0)
          if stop.value == 0 { DispatchQueue.global().async(group: ended) { feed() } }
        }
        for _ in 0..<200 { DispatchQueue.global().async(group: ended) { feed() } }
        // Many more than the processors, and more than those that happen to sleep for longer.
        #expect(eventually { most.value >= UInt64(8 * Tuning.processors) })
        stop.value = 1
        #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test("Eight serial queues asleep in system calls all start within half a second")
    func allStart() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let spent = best(of: 5, within: milliseconds(500)) {
          let (tap, asleep, all) = (Tap(), Count(), DispatchGroup())
          defer {
            tap.open()
            all.wait()
          }
          return duration {
            for index in 0..<8 {
              DispatchQueue(label: "sleeper.\(index)").async(group: all) {
                asleep.add()
                tap.waitInRead()
              }
            }
            #expect(eventually { asleep.value == 8 })
          }
        }
        #expect(spent <= milliseconds(500), "\(spent) ns")
      }
    }

    @Test("Twice as many sleeping global items as processors delay a quick one by no more than 100 ms")
    func globalItemsAsleep() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let spent = best(of: 5, within: milliseconds(100)) {
          let (tap, left) = (Tap(), DispatchGroup())
          for _ in 0..<(2 * Tuning.processors) { DispatchQueue.global().async(group: left) { tap.waitInRead() } }
          defer {
            tap.open()
            left.wait()
          }
          return duration {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async { done.signal() }
            #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          }
        }
        #expect(spent <= milliseconds(100), "\(spent) ns")
      }
    }

    @Test("Sleeping items of one concurrent queue do not delay another queue's")
    func concurrentQueueAsleep() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let spent = best(of: 5, within: milliseconds(100)) {
          let (tap, left) = (Tap(), DispatchGroup())
          let readers = DispatchQueue(label: "readers", attributes: .concurrent)
          for _ in 0..<(2 * Tuning.processors) { readers.async(group: left) { tap.waitInRead() } }
          defer {
            tap.open()
            left.wait()
          }
          return duration {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue(label: "other", attributes: .concurrent).async { done.signal() }
            #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
          }
        }
        #expect(spent <= milliseconds(100), "\(spent) ns")
      }
    }
  }
}
