// ClassWidthTests.swift: items that compute run on as many threads as there are processors, of each class, whichever thread waits for
// them and wherever their queue was retargeted; one more while a wait moves them to a more urgent band. Operations are OperationWidthTests,
// queues whose items sleep SleepersTests, urgent items beside others FairnessTests.
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

extension Policy {
  @Suite struct ClassWidthTests {
    enum Kind: String, CaseIterable, Codable { case global, concurrent, retargeted }
    enum Wait: String, CaseIterable, Codable { case none, group, item, barrier, asyncAndWait }

    static func queue(_ kind: Kind, _ qos: DispatchQoS.QoSClass) -> DispatchQueue {
      let own = DispatchQoS(qosClass: qos, relativePriority: 0)
      switch kind {
      case .global: return .global(qos: qos)
      case .concurrent: return DispatchQueue(label: "concurrent", qos: own, attributes: .concurrent)
      case .retargeted:
        let queue = DispatchQueue(label: "retargeted", attributes: [.concurrent, .initiallyInactive])
        queue.setTarget(queue: .global(qos: qos))
        queue.activate()
        return queue
      }
    }

    /// Submits `count` items that compute for `time` nanoseconds each, waits, and returns how many ran at once at most.
    static func most(_ count: Int, of time: UInt64, on queue: DispatchQueue, _ wait: Wait) -> UInt64 {
      let (inside, most, all) = (Count(), (0..<1_024).map { _ in Count() }, DispatchGroup())
      let last = DispatchWorkItem {}
      for _ in 0..<count {
        queue.async(group: all) {
          let now = inside.add()
          most[Int(now)].add()
          let end = Clock.uptime() + time
          while Clock.uptime() < end {}
          inside.add(~0)
        }
      }
      switch wait {
      case .none: break
      case .group: all.wait()
      case .item:
        queue.async(execute: last)
        last.wait()
      case .barrier: queue.sync(flags: .barrier) {}
      case .asyncAndWait: queue.asyncAndWait {}
      }
      // By polling, not by waiting: a wait would raise what a row without one leaves alone.
      #expect(eventually { inside.value == 0 && all.wait(timeout: .now()) == .success })
      return UInt64(most.lastIndex { $0.value > 0 } ?? 0)
    }

    @Test("Items that compute run on no more threads than the processors, and one", arguments: Kind.allCases)
    func width(kind: Kind) async {
      await #expect(processExitsWith: .success) { [kind] in
        beginMeasured()
        for qos in [.utility, .background, .default, .userInitiated] as [DispatchQoS.QoSClass] {
          for wait in Wait.allCases {
            for (count, time) in [(48, UInt64(3_000_000)), (300, 1_000_000)] {
              let most = Self.most(count, of: time, on: Self.queue(kind, qos), wait)
              #expect(most <= UInt64(Tuning.processors + 1), "\(count) items, \(qos), \(wait): \(most) at once")
            }
          }
        }
      }
    }

    enum Sleep: String, CaseIterable, Codable { case kernel, semaphore }

    /// Submits items that sleep and behind them `count` that compute for 1 ms each; ends the sleep of the first once others
    /// have taken their places, and returns how many computed at once at most.
    static func mostAfterSleep(_ sleep: Sleep, _ count: Int, on queue: DispatchQueue) -> UInt64 {
      let sleepers = 2 * Tuning.processors + 2
      let (asleep, inside, over, all) = (Count(), Count(), Count(), DispatchGroup())
      let most = (0..<1_024).map { _ in Count() }
      let (tap, semaphore) = (Tap(), DispatchSemaphore(value: 0))
      for _ in 0..<sleepers {
        queue.async(group: all) {
          asleep.add()
          if sleep == .kernel { tap.waitInRead() } else { semaphore.wait() }
        }
      }
      for _ in 0..<count {
        queue.async(group: all) {
          most[Int(inside.add())].add()
          let end = Clock.uptime() + 1_000_000
          while Clock.uptime() < end {}
          inside.add(~0)
          over.add()
        }
      }
      #expect(eventually { asleep.value == sleepers && over.value >= 8 })
      if sleep == .kernel { tap.open() } else { for _ in 0..<sleepers { semaphore.signal() } }
      #expect(eventually { over.value == count && all.wait(timeout: .now()) == .success })
      return UInt64(most.lastIndex { $0.value > 0 } ?? 0)
    }

    @Test(
      "Items that slept leave what comes behind them to the threads that took their place, but for one",
      arguments: Kind.allCases, Sleep.allCases)
    func widthAfterSleep(kind: Kind, sleep: Sleep) async {
      await #expect(processExitsWith: .success) { [kind, sleep] in
        beginMeasured()
        for qos in [.utility, .background, .default, .userInitiated] as [DispatchQoS.QoSClass] {
          let most = Self.mostAfterSleep(sleep, 200, on: Self.queue(kind, qos))
          #expect(most <= UInt64(Tuning.processors + 1), "\(qos): \(most) at once")
        }
      }
    }

    @Test(
      "Items that other items submit run on no more threads than the processors, and one, beside serial queues that compute",
      arguments: [false, true], [false, true])
    func widthBesideSerialQueues(isConcurrent: Bool, fromSerial: Bool) async {
      await #expect(processExitsWith: .success) { [isConcurrent, fromSerial] in
        beginMeasured()
        let (inside, most, all, isOver) = (Count(), (0..<1_024).map { _ in Count() }, DispatchGroup(), Count())
        @Sendable func compute(_ time: UInt64) {
          let end = Clock.uptime() + time
          while Clock.uptime() < end {}
        }
        @Sendable func submit(_ count: Int, to queue: DispatchQueue) {
          for _ in 0..<count {
            queue.async(group: all) {
              let now = inside.add()
              most[Int(now)].add()
              compute(500_000)
              inside.add(~0)
            }
          }
        }
        for number in 0..<8 {
          let serial = DispatchQueue(label: "serial \(number)")
          let beside = isConcurrent ? DispatchQueue(label: "beside \(number)", attributes: .concurrent) : .global()
          @Sendable func turn() {
            compute(1_000_000)
            if fromSerial { submit(2, to: beside) }
            if isOver.value == 0 { serial.async(group: all) { turn() } }
          }
          serial.async(group: all) { turn() }
          if !fromSerial { DispatchQueue.global().async(group: all) { submit(50, to: beside) } }
        }
        #expect(eventually { most.reduce(0) { $0 + $1.value } >= 400 })
        isOver.value = 1
        #expect(all.wait(timeout: .now() + .seconds(Int(patience))) == .success)
        let width = UInt64(most.lastIndex { $0.value > 0 } ?? 0)
        #expect(width <= UInt64(Tuning.processors + 1), "\(width) at once")
      }
    }
  }
}
