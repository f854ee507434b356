// PreconditionTests.swift: `dispatchPrecondition` in a file that imports SignalboxFoundation alone is Signalbox's, however it is
// called.
import Glibc
import SignalboxFoundation
import SignalboxTestSupport
import Testing

// Outside of the tests: inside of a macro's argument every line is the macro's.
private let lineOfMembers: UInt = #line + 2
private func failWithMember() {
  DispatchQueue(label: "elsewhere").sync { dispatchPrecondition(condition: .onQueue(.main)) }
}
private let lineOfValues: UInt = #line + 3
private func failWithValue() {
  let condition = DispatchPredicate.onQueueAsBarrier(DispatchQueue(label: "made"))
  dispatchPrecondition(condition: condition)
}

@Suite("dispatchPrecondition is Signalbox's") struct PreconditionTests {
  @Test("A condition that would fit the toolchain's function too is taken for ours")
  func implicitMembers() {
    dispatchPrecondition(condition: .notOnQueue(.global()))
    DispatchQueue.global().sync { dispatchPrecondition(condition: .onQueue(.global())) }
    let queue = DispatchQueue(label: "here"), isHere = true
    queue.sync { dispatchPrecondition(condition: .onQueue(queue), file: #file, line: #line) }
    queue.sync { dispatchPrecondition(condition: isHere ? .onQueueAsBarrier(queue) : .notOnQueue(.main)) }
  }

  @Test("A condition that was made before, or by a function, is taken too")
  func values() {
    let queue = DispatchQueue(label: "here")
    func here() -> DispatchPredicate { .onQueue(queue) }
    let elsewhere = DispatchPredicate.notOnQueue(queue)
    dispatchPrecondition(condition: elsewhere)
    queue.sync { dispatchPrecondition(condition: here()) }
  }

  @Test("A condition that fails stops the program, with the file, the line and the queue")
  func failing() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      failWithMember()
    }
    expectStop(
      result, saying: "precondition failed at ", "PreconditionTests.swift:\(lineOfMembers): expected to run on queue",
      "elsewhere")
  }

  @Test("A condition that was made before stops the program too, and a place that is passed on is named")
  func failingValues() async {
    let made = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) { failWithValue() }
    expectStop(made, saying: "PreconditionTests.swift:\(lineOfValues): expected to run alone")
    let passed = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      dispatchPrecondition(condition: .onQueue(DispatchQueue(label: "passed")), file: "Elsewhere.swift", line: 7)
    }
    expectStop(passed, saying: "precondition failed at Elsewhere.swift:7: expected to run on queue \"passed\"")
  }
}
