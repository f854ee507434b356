// WaitForCompletionTests.swift: a completion waited for: its value, its delay, its absence, and the hint when the caller
// blocks it.
import Glibc
import Signalbox
import SignalboxTestSupport
import Testing

@Suite("Waiting for a completion with waitForCompletion") struct WaitForCompletionTests {
  private func compute(_ number: Int, completion: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().async { completion(number * 2) }
  }
  private func work(completionBlock: @escaping @Sendable () -> Void) { DispatchQueue.global().async { completionBlock() } }

  @Test("The value of the completion is returned, from wherever it comes")
  func values() throws {
    #expect(try waitForCompletion { compute(21, completion: $0) } == 42)
    #expect(try waitForCompletion(timeout: .seconds(Int(patience))) { completion in compute(4, completion: completion) } == 8)
    #expect(try waitForCompletion { (completion: @Sendable (String) -> Void) in completion("at once") } == "at once")
    let result: Result<Int, CancellationError> = try waitForCompletion { $0(.success(1)) }
    #expect(try result.get() == 1)
    let optional: Int? = try waitForCompletion { $0(nil) }
    #expect(optional == nil)
  }

  @Test("A completion without a value is waited for, too")
  func noValue() throws {
    let ran = Count()
    try waitForCompletion { done in
      work {
        ran.add()
        done()
      }
    }
    #expect(ran.value == 1)
    try waitForCompletion(timeout: .seconds(Int(patience))) { work(completionBlock: $0) }
    try waitForCompletion { $0() }
  }

  @Test("A completion that is late gives an error, and has no effect afterwards")
  func timeouts() {
    let kept = SynchronizedArray<@Sendable (Witness) -> Void>(), freed = Count()
    for timeout in [DispatchTimeInterval.milliseconds(20), .never, .seconds(0), .seconds(-1)] where timeout != .never {
      #expect(throws: TimeoutError.timedOut(after: timeout)) {
        _ = try waitForCompletion(timeout: timeout) { (completion: @escaping @Sendable (Witness) -> Void) in
          kept.append(completion)
        }
      }
    }
    for completion in kept.removeAll() {
      completion(Witness { freed.add() })
      completion(Witness { freed.add() })
    }
    #expect(freed.value == 6, "late values are let go of")
    #expect("\(TimeoutError.timedOut(after: .seconds(1)))" == "the completion was not called within seconds(1)")
  }

  @Test("A completion that is there already is found by a wait of no time")
  func zeroTimeout() throws {
    #expect(try waitForCompletion(timeout: .seconds(0)) { (completion: @Sendable (Int) -> Void) in completion(3) } == 3)
  }

  @Test("A completion that everyone has released ends the wait at once")
  func neverCalled() {
    #expect(throws: TimeoutError.neverCalled) { try waitForCompletion { (_: @Sendable (Int) -> Void) in } }
    #expect(throws: TimeoutError.neverCalled) {
      try waitForCompletion { (completion: @escaping @Sendable () -> Void) in DispatchQueue.global().async { _ = completion } }
    }
    #expect("\(TimeoutError.neverCalled)" == "the completion was released without having been called")
  }

  @Test("Many calls at once end, whether their completions come early, late or never")
  func stress() {
    let values = Count(), failures = Count()
    onThreads(4) { thread in
      for number in 0..<300 {
        do {
          let value = try waitForCompletion(timeout: number % 3 == 0 ? .microseconds(20) : .seconds(Int(patience))) {
            completion in
            DispatchQueue.global().async { if number % 5 != 0 { completion(number) } }
          }
          precondition(value == number)
          values.add()
        } catch { failures.add() }
      }
    }
    #expect(values.value + failures.value == 1_200)
    #expect(failures.value >= 240 && values.value >= 4 * 160, "\(values.value) values")
  }

  @Test("A second call of the completion is reported and has no effect")
  func calledTwice() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let value = try waitForCompletion { (completion: @Sendable (Int) -> Void) in
        completion(1)
        completion(2)
      }
      precondition(value == 1)
    }
    expectReport(result, saying: "the completion of waitForCompletion is called again, which has no effect")
  }

  @Test("Waiting in an item of the queue that delivers the completion is reported after a second")
  func ownQueue() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      killOnHang()
      let queue = DispatchQueue(label: "one after another")
      let isLate = queue.sync { () -> Bool in
        do {
          try waitForCompletion(timeout: .milliseconds(1_200)) { done in queue.async { done() } }
          return false
        } catch { return error as? TimeoutError == .timedOut(after: .milliseconds(1_200)) }
      }
      queue.sync {}
      precondition(isLate)
    }
    expectReport(
      result, saying: "waitForCompletion() has waited for 1 s in a turn of \"one after another\"",
      "only its timeout can end this wait, 0.", "call waitForCompletion() on another queue")
  }

  @Test("A slow completion delivered by another queue is not reported")
  func otherQueue() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      killOnHang()
      DispatchQueue(label: "outer").sync {
        let value = try? waitForCompletion { (completion: @escaping @Sendable (Int) -> Void) in
          DispatchQueue(label: "inner").asyncAfter(deadline: .now() + .milliseconds(1_200)) { completion(5) }
        }
        precondition(value == 5)
      }
    }
    #expect(!errorText(result).contains("waitForCompletion()"), "\(errorText(result))")
  }
}
