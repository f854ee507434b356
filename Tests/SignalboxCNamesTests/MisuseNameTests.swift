// MisuseNameTests.swift: what stops the program, and that the message says what it was. Each body runs in a process of its own.
import SignalboxCNames
import SignalboxTestSupport
import Testing

@Suite struct MisuseNameTests {
  @Test func nilQueue() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_async(dispatch_get_global_queue(7, 0)) {}
    }
    expectStop(result, saying: "dispatch_async(_:_:) was given nil")
  }

  @Test func nilSemaphore() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_semaphore_signal(dispatch_semaphore_create(-1) as dispatch_semaphore_t?)
    }
    expectStop(result, saying: "dispatch_semaphore_signal(_:) was given nil")
  }

  /// The article's recursive singleton: a report in place of a hang.
  @Test func recursiveOnce() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      let token = UnsafeMutablePointer<dispatch_once_t>.allocate(capacity: 1)
      token.initialize(to: 0)
      dispatch_once(token) { dispatch_once(token) {} }
    }
    expectStop(result, saying: "dispatch_once")
  }

  /// The article's deadlock: sync onto the serial queue that is running.
  @Test func syncOntoItself() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
      dispatch_async(queue) { dispatch_sync(queue) {} }
      pause(20_000)
    }
    expectStop(result, saying: "com.bool.dispatch")
  }

  @Test func unbalancedLeave() async {
    await #expect(processExitsWith: .signal(6)) { dispatch_group_leave(dispatch_group_create()) }
  }

  @Test func resumeTooMuch() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_resume(dispatch_queue_create("resumed", nil))
    }
    expectStop(result, saying: "resumed")
  }

  /// Only what dispatch_queue_create makes may be retargeted while active.
  @Test func retargetFixedQueue() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      let queue = dispatch_queue_create_with_target("fixed", nil, nil)
      dispatch_set_target_queue(queue, dispatch_get_global_queue(QOS_CLASS_UTILITY, 0))
    }
    expectStop(result, saying: "fixed")
  }

  @Test func retargetAfterActivation() async {
    await #expect(processExitsWith: .signal(6)) {
      let queue = dispatch_queue_create("activated", DISPATCH_QUEUE_SERIAL_INACTIVE)
      dispatch_activate(queue)
      dispatch_set_target_queue(queue, dispatch_get_global_queue(QOS_CLASS_UTILITY, 0))
    }
  }

  @Test func wrongQueue() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_assert_queue(dispatch_queue_create("elsewhere", nil))
    }
    expectStop(result, saying: "elsewhere")
  }
}
