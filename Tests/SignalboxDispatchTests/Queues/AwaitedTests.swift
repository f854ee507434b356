// AwaitedTests.swift: the list of waits for turns of queues: a wait that is over is on it no more.
import Testing

@testable import SignalboxDispatch

@Suite("Waits that are listed for a queue") struct AwaitedTests {
  @Test("A wait that is taken back is kept no longer, while another wait for the same queue stays")
  func takenBack() {
    let object: UInt = 16  // no queue lies there
    weak var first: Raising?
    weak var second: Raising?
    do {
      let one = Raising(.standard), other = Raising(.standard)
      for raising in [one, other] { Awaited.add(object, raising) }
      (first, second) = (one, other)
      Awaited.remove(one)
    }
    #expect(first == nil && second != nil)
    if let other = second { Awaited.remove(other) }
    #expect(second == nil)
  }
}
