// ThreadShortageTests.swift: the first worker cannot be made (RLIMIT_NPROC), and later one can: accepted work runs
// then, whichever thread it is that could see to it. That further workers cannot be made is ScarcityTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Becomes a user that the limit of threads binds.
private func becomeOrdinary() { if getuid() == 0 { precondition(setuid(65534) == 0) } }

/// Keeps the process from making threads, or allows it again.
private func forbidThreads(_ isForbidden: Bool) {
  var limit = rlimit()
  let resource = __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
  getrlimit(resource, &limit)
  limit.rlim_cur = isForbidden ? 0 : limit.rlim_max
  precondition(setrlimit(resource, &limit) == 0)
}

extension Faults {
  @Suite struct ThreadShortageTests {
    @Test("A thread that waits gets the worker that it waits for")
    func waiting() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        killOnHang()
        becomeOrdinary()
        forbidThreads(true)
        let ran = DispatchSemaphore(value: 0)
        DispatchQueue(label: "accepted").async { ran.signal() }
        DispatchQueue.global().async { ran.signal() }
        forbidThreads(false)
        for _ in 0..<2 { precondition(ran.wait(timeout: .now() + .seconds(Int(patience))) == .success) }
      }
      #expect(errorText(result).components("no further worker thread can be made") == 1, "\(errorText(result))")
    }

    @Test("A submitter waits for the first worker, so that a program which never waits with us gets it, too")
    func submitting() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        becomeOrdinary()
        let helper = TestThread {
          awaitState("the submitter waits") { SleepDuty.isSet }
          forbidThreads(false)
        }
        forbidThreads(true)
        let ran = Count()
        DispatchQueue.global().async { ran.add() }
        precondition(eventually { ran.value == 1 })
        helper.join()
        // The thread that makes the worker takes the duty away after that, and the worker may be quicker.
        awaitState("the end of the shortage") { !SleepDuty.isSet }
      }
    }

    @Test("A thread that waits for a group waits for the first worker, too")
    func group() async {
      await #expect(processExitsWith: .success) {
        killOnHang()
        becomeOrdinary()
        forbidThreads(true)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {}
        forbidThreads(false)
        group.wait()
      }
    }

    @Test(
      "Items of a class whose first thread cannot be made run on other classes' threads, and on their own once there can be one"
    )
    func otherBand() async {
      await #expect(processExitsWith: .success) {
        typealias Standing = Policy.BandTests.Standing
        killOnHang()
        becomeOrdinary()
        let own = Standing.own.niceness
        #expect(Standing.of(.global()).niceness == own)
        forbidThreads(true)
        let low = DispatchQueue.global(qos: .background)
        for queue in [low, DispatchQueue(label: "serial", target: low), .global(qos: .utility)] {
          #expect(Standing.of(queue).niceness == own, "\(queue.label)")
        }
        forbidThreads(false)
        #expect(eventually { Standing.of(low).niceness == min(19, own + Standing.background) })
      }
    }

    /// Each seed is a play of its own. A thread of the test's forbids and allows threads by turns, since a submitter may wait for the
    /// first worker.
    @Test("However threads are forbidden and allowed, all accepted work runs", arguments: 1...4)
    func storm(seed: UInt64) async {
      await #expect(processExitsWith: .success) { [seed = seed as UInt64] in
        killOnHang()
        becomeOrdinary()
        let (isOver, flips) = (Count(), Count())
        let weather = TestThread {
          while isOver.value == 0 {
            forbidThreads(flips.add() % 2 == 1)
            sched_yield()
          }
          forbidThreads(false)
        }
        var state = seed
        func roll(_ sides: UInt64) -> Int {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return Int((state >> 33) % sides)
        }
        let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated, .userInteractive]
        let (ran, group) = (Count(), DispatchGroup())
        var submitted: UInt64 = 0
        for round in 0..<1_000 {
          submitted += 1
          switch roll(6) {
          case 0, 1: DispatchQueue.global(qos: classes[roll(5)]).async(group: group) { ran.add() }
          case 2: DispatchQueue(label: "serial \(round)").async(group: group) { ran.add() }
          case 3:
            let qos = DispatchQoS(qosClass: classes[roll(5)], relativePriority: 0)
            let queue = DispatchQueue(label: "concurrent \(round)", qos: qos, attributes: .concurrent)
            queue.async(group: group, flags: .barrier) { ran.add() }
          case 4: DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(roll(500))) { ran.add() }
          default: DispatchQueue(label: "waited \(round)").asyncAndWait(execute: DispatchWorkItem { ran.add() })
          }
          if roll(50) == 0 { group.wait() }
        }
        precondition(eventually { ran.value == submitted }, "\(ran.value) of \(submitted) items have run")
        precondition(flips.value > 1)
        isOver.value = 1
        weather.join()
      }
    }
  }
}
