// FairnessTests.swift: no work keeps the workers for itself: queues that feed themselves, items that never rest, and
// other classes' work all leave room. Sleeping items are SleepersTests.swift.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import SignalboxWords
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct FairnessTests {
    /// Items that compute until told to stop.
    final class Load: Sendable {
      private let stop = Count()
      private let running = Count()
      private let all = DispatchGroup()
      func add(to queue: DispatchQueue, _ count: Int) {
        for _ in 0..<count {
          queue.async(group: all) { [running, stop] in
            running.add()
            while stop.value == 0 {}
          }
        }
      }
      var isRunning: Bool { running.value >= UInt64(Tuning.processors) }
      func end() {
        stop.value = 1
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    /// Nanoseconds until an item submitted to `queue` has run.
    static func delay(_ queue: DispatchQueue) -> UInt64 {
      let done = DispatchSemaphore(value: 0)
      return duration {
        queue.async { done.signal() }
        #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    /// What a processor has spent on this process while `body` ran, in nanoseconds: under a flood that is real time, less what other
    /// processes had of it, which is much more on a busy machine for threads that stand behind others.
    static func computed(_ body: () -> Void) -> UInt64 {
      func spent() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
      }
      let start = spent()
      body()
      return (spent() - start) / UInt64(Tuning.processors)
    }

    @Test("Serial queues that keep feeding themselves let other queues run")
    func feeders() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (stop, ended) = (Count(), DispatchGroup())
        @Sendable func feed(_ queue: DispatchQueue) {
          if stop.value == 0 { queue.async(group: ended) { feed(queue) } }
        }
        for index in 0..<(2 * Tuning.processors) { feed(DispatchQueue(label: "feeder.\(index)")) }
        for queue in [DispatchQueue(label: "serial"), DispatchQueue(label: "wide", attributes: .concurrent), .global()] {
          let spent = best(of: 5, within: milliseconds(200)) { FairnessTests.delay(queue) }
          #expect(spent <= milliseconds(200), "\(queue.label): \(spent) ns")
        }
        stop.value = 1
        #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test("Serial queues with long lists let other queues run")
    func longLists() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (stop, ended) = (Count(), DispatchGroup())
        let queues = (0..<(2 * Tuning.processors)).map { DispatchQueue(label: "long.\($0)") }
        for queue in queues {
          for _ in 0..<2_000 {
            queue.async(group: ended) {
              let end = Clock.uptime() + milliseconds(1)
              while stop.value == 0, Clock.uptime() < end {}
            }
          }
        }
        for queue in [DispatchQueue(label: "serial"), .global()] {
          let spent = best(of: 5, within: milliseconds(200)) { FairnessTests.delay(queue) }
          #expect(spent <= milliseconds(200), "\(queue.label): \(spent) ns")
        }
        stop.value = 1
        #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test("A serial queue behind computing global items gets a thread")
    func serialBehindGlobal() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let load = Load()
        load.add(to: .global(), 4 * Tuning.processors)
        #expect(eventually { load.isRunning })
        let spent = best(of: 5, within: milliseconds(100)) { FairnessTests.delay(DispatchQueue(label: "promised")) }
        #expect(spent <= milliseconds(100), "\(spent) ns")
        load.end()
      }
    }

    @Test("Computing items of one class do not stop another class, whichever is the more urgent")
    func classes() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let load = Load()
        load.add(to: .global(), 4 * Tuning.processors)
        #expect(eventually { load.isRunning })
        for qos in [.userInteractive, .userInitiated, .utility, .background] as [DispatchQoS.QoSClass] {
          let spent = best(of: 5, within: milliseconds(500)) { FairnessTests.delay(.global(qos: qos)) }
          #expect(spent <= milliseconds(500), "\(qos): \(spent) ns")
        }
        load.end()
      }
    }

    @Test("Computing items of all classes do not stop a serial queue of any")
    func everythingBusy() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let load = Load()
        for qos in [.userInteractive, .userInitiated, .default, .utility, .background] as [DispatchQoS.QoSClass] {
          load.add(to: .global(qos: qos), 2 * Tuning.processors)
        }
        #expect(eventually { load.isRunning })
        for qos in [DispatchQoS.userInteractive, .default, .background] {
          let spent = best(of: 5, within: milliseconds(500)) { FairnessTests.delay(DispatchQueue(label: "serial", qos: qos)) }
          #expect(spent <= milliseconds(500), "\(qos): \(spent) ns")
        }
        load.end()
      }
    }

    /// An urgent item begins with its submission, on one more thread than run now.
    static func expectUrgentAtOnce(isSerial: Bool) {
      let before = Pool.shared.snapshot[PoolState.running]
      let (seen, done) = (Count(), DispatchSemaphore(value: 0))
      let root = DispatchQueue.global(qos: .userInteractive)
      let queue = isSerial ? DispatchQueue(label: "urgent", target: root) : root
      // Does not end before the test has checked, so that its worker is there to be seen.
      queue.async {
        while seen.value == 0 {}
        done.signal()
      }
      // Made or woken by the submission itself, not by the sampler some time later.
      let after = Pool.shared.snapshot[PoolState.running]
      // One more at least: the sampler may have added one for other items just then.
      #expect(after > before, "\(before) workers ran, and now \(after)")
      seen.value = 1
      #expect(done.wait(timeout: .now() + .seconds(Int(patience))) == .success)
    }

    @Test("Urgent work gets a worker at once though every processor computes for less urgent items", arguments: [false, true])
    func urgentAtOnce(isSerial: Bool) async {
      await #expect(processExitsWith: .success) { [isSerial] in
        beginMeasured()
        let load = Load()
        load.add(to: .global(), 2 * Tuning.processors)
        #expect(eventually { load.isRunning })
        let processors = UInt64(Tuning.processors)
        // More than that where other programs keep a worker from its processor for long: then another one has been started for it.
        #expect(
          eventually { Pool.shared.snapshot[PoolState.running] >= processors },
          "\(Pool.shared.snapshot[PoolState.running]) workers run, of \(processors)")
        FairnessTests.expectUrgentAtOnce(isSerial: isSerial)
        load.end()
      }
    }

    @Test("A flood of urgent items that never ends lets every other class run soon")
    func flood() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (stop, ended) = (Count(), DispatchGroup())
        @Sendable func feed() {
          let end = Clock.uptime() + 50_000
          while Clock.uptime() < end {}
          if stop.value == 0 { DispatchQueue.global(qos: .userInteractive).async(group: ended) { feed() } }
        }
        for _ in 0..<(4 * Tuning.processors) { feed() }
        for qos in [.userInitiated, .default, .utility, .background] as [DispatchQoS.QoSClass] {
          let serial = DispatchQueue(label: "serial", target: .global(qos: qos))
          for queue in [.global(qos: qos), serial] {
            // Within 30 ms on a machine that is otherwise idle; without ages some wait for seconds.
            let spent = (0..<12).map { _ in FairnessTests.computed { _ = FairnessTests.delay(queue) } }.max()!
            #expect(spent <= milliseconds(600), "\(queue.label) of \(qos): \(spent) ns")
          }
          let spent = (0..<12).map { _ in
            serial.async {}
            return FairnessTests.computed { serial.sync {} }
          }.max()!
          #expect(spent <= milliseconds(600), "sync on one of \(qos): \(spent) ns")
        }
        stop.value = 1
        #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test("A concurrent queue's flood lets other classes run soon")
    func concurrentFlood() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let (stop, ended) = (Count(), DispatchGroup())
        let wide = DispatchQueue(label: "wide", attributes: .concurrent, target: .global(qos: .userInitiated))
        @Sendable func feed() { if stop.value == 0 { wide.async(group: ended) { feed() } } }
        for _ in 0..<(4 * Tuning.processors) { feed() }
        for qos in [.default, .background] as [DispatchQoS.QoSClass] {
          let spent = (0..<12).map { _ in FairnessTests.delay(.global(qos: qos)) }.max()!
          #expect(spent <= milliseconds(600), "\(qos): \(spent) ns")
        }
        stop.value = 1
        #expect(ended.wait(timeout: .now() + .seconds(Int(patience))) == .success)
      }
    }

    @Test("Computing items of one class run on no more workers than there are processors")
    func noMoreThanProcessors() async {
      await #expect(processExitsWith: .success) {
        beginMeasured()
        let load = Load()
        load.add(to: .global(), 8 * Tuning.processors)
        #expect(eventually { load.isRunning })
        var most: UInt64 = 0
        let end = Clock.uptime() + milliseconds(100)
        while Clock.uptime() < end { most = max(most, Pool.shared.total) }
        #expect(most <= UInt64(Tuning.processors))
        load.end()
      }
    }
  }
}
