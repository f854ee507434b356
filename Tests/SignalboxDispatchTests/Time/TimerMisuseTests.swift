// TimerMisuseTests.swift: schedules that mean nothing stop the program with a message; handlers that leave by the back door.
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Invalid timer schedules stop the program") struct TimerMisuseTests {
  static func message(_ result: ExitTest.Result?) -> String {
    errorText(result)
  }

  @Test("A negative interval stops the program")
  func negativeInterval() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      DispatchSource.makeTimerSource().schedule(deadline: .now(), repeating: .milliseconds(-5))
    }
    #expect(Self.message(result).contains("a timer's interval is negative (milliseconds(-5)): use zero or more"))
  }

  @Test("A negative leeway stops the program")
  func negativeLeeway() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      DispatchSource.makeTimerSource().schedule(wallDeadline: .now(), leeway: .nanoseconds(-1))
    }
    #expect(Self.message(result).contains("a timer's leeway is negative (nanoseconds(-1)): use zero or more"))
  }

  @Test("Seconds that are negative stop the program")
  func negativeSeconds() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      DispatchSource.makeTimerSource().schedule(deadline: .now(), repeating: -1.5)
    }
    #expect(Self.message(result).contains("a timer's interval is -1.5 seconds: use zero or more"))
  }

  @Test("Seconds that are no number stop the program")
  func noNumber() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      DispatchSource.makeTimerSource().schedule(wallDeadline: .now(), repeating: .nan)
    }
    #expect(Self.message(result).contains("a timer's interval is nan seconds"))
  }

  @Test("A schedule for a source of another kind stops the program")
  func notATimer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let source = DispatchSource.makeUserDataAddSource(queue: DispatchQueue(label: "data")) as Any
      (source as? any DispatchSourceTimer)?.schedule(deadline: .now())
    }
    #expect(Self.message(result).contains("schedule is called on a data add source on queue \"data\""))
  }

  @Test("A handler that ends its thread does not end its timer")
  func handlerEndsThread() async {
    await #expect(processExitsWith: .success) {
      killOnHang()
      let (events, timer) = (Count(), DispatchSource.makeTimerSource(queue: DispatchQueue(label: "back door")))
      timer.setEventHandler { if events.add() == 2 { pthread_exit(nil) } }
      timer.schedule(deadline: .now(), repeating: .milliseconds(1))
      timer.activate()
      #expect(eventually { events.value >= 5 })
      timer.cancel()
    }
  }
}
