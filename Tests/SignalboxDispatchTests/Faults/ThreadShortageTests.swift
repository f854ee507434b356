// ThreadShortageTests.swift: the first worker cannot be made (RLIMIT_NPROC), and later one can: accepted work runs then, whoever it is
// that could see to it. That further workers cannot be made is ScarcityTests.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

/// Becomes a user whom the limit of threads binds.
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
        precondition(!SleepDuty.isSet, "the shortage is over")
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
  }
}
