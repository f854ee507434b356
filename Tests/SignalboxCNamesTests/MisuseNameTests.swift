// MisuseNameTests.swift: what stops the program, and that the message says what it was. Each body runs in a process of its own.
import SignalboxCNames
import SignalboxTestSupport
import Testing

@Suite("Misuse through C names stops the program with a message") struct MisuseNameTests {
  @Test("dispatch_async onto nil stops the program and names the function")
  func nilQueue() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_async(dispatch_get_global_queue(7, 0)) {}
    }
    expectStop(result, saying: "dispatch_async(_:_:) was given nil")
  }

  @Test("Signalling nil stops the program and names the function")
  func nilSemaphore() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_semaphore_signal(dispatch_semaphore_create(-1) as dispatch_semaphore_t?)
    }
    expectStop(result, saying: "dispatch_semaphore_signal(_:) was given nil")
  }

  /// The article's recursive singleton: a report in place of a hang.
  @Test("A dispatch_once inside its own block stops the program")
  func recursiveOnce() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      let token = UnsafeMutablePointer<dispatch_once_t>.allocate(capacity: 1)
      token.initialize(to: 0)
      dispatch_once(token) { dispatch_once(token) {} }
    }
    expectStop(result, saying: "dispatch_once")
  }

  /// The article's deadlock: sync onto the serial queue that is running.
  @Test("A sync onto the serial queue that is running stops the program")
  func syncOntoItself() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      let queue = dispatch_queue_create("com.bool.dispatch", DISPATCH_QUEUE_SERIAL)
      dispatch_async(queue) { dispatch_sync(queue) {} }
      pause(20_000)
    }
    expectStop(result, saying: "com.bool.dispatch")
  }

  @Test("Leaving a group more often than it was entered stops the program")
  func unbalancedLeave() async {
    await #expect(processExitsWith: .signal(6)) { dispatch_group_leave(dispatch_group_create()) }
  }

  @Test("Resuming a queue more often than it was suspended stops the program")
  func resumeTooMuch() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_resume(dispatch_queue_create("resumed", nil))
    }
    expectStop(result, saying: "resumed")
  }

  /// Only what dispatch_queue_create makes may be retargeted while active.
  @Test("Setting the target of a queue that was made with its target stops the program")
  func retargetFixedQueue() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      let queue = dispatch_queue_create_with_target("fixed", nil, nil)
      dispatch_set_target_queue(queue, dispatch_get_global_queue(QOS_CLASS_UTILITY, 0))
    }
    expectStop(result, saying: "fixed")
  }

  @Test("Setting the target of an activated queue stops the program")
  func retargetAfterActivation() async {
    await #expect(processExitsWith: .signal(6)) {
      let queue = dispatch_queue_create("activated", DISPATCH_QUEUE_SERIAL_INACTIVE)
      dispatch_activate(queue)
      dispatch_set_target_queue(queue, dispatch_get_global_queue(QOS_CLASS_UTILITY, 0))
    }
  }

  @Test("dispatch_assert_queue on another queue stops the program")
  func wrongQueue() async {
    let result = await #expect(processExitsWith: .signal(6), observing: [\.standardErrorContent]) {
      dispatch_assert_queue(dispatch_queue_create("elsewhere", nil))
    }
    expectStop(result, saying: "elsewhere")
  }
}
