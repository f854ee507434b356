// PreconditionTests.swift: `dispatchPrecondition` in a file that imports SignalboxFoundation alone is Signalbox's, however it is
// called.
import Glibc
import SignalboxFoundation
import Testing

@Suite struct PreconditionTests {
  @Test("A condition that would fit the toolchain's function too is taken for ours")
  func implicitMembers() {
    dispatchPrecondition(condition: .notOnQueue(.global()))
    DispatchQueue.global().sync { dispatchPrecondition(condition: .onQueue(.global())) }
    let queue = DispatchQueue(label: "here")
    queue.sync { dispatchPrecondition(condition: .onQueue(queue), file: #file, line: #line) }
  }

  @Test("A condition that fails stops the program, with the file and the queue")
  func failing() async {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      DispatchQueue(label: "elsewhere").sync { dispatchPrecondition(condition: .onQueue(.main)) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("precondition failed at "))
    #expect(text.contains("PreconditionTests.swift: expected to run on queue"))
    #expect(text.contains("elsewhere"))
  }
}
