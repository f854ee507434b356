// QueueKindNameTests.swift: the two queue classes are made by their label alone.
import Signalbox
import Testing

@Suite("Serial and concurrent queue classes need only a label") struct QueueKindNameTests {
  @Test("A serial and a concurrent queue are made by their label, without naming attributes")
  func labelAlone() {
    let (serial, concurrent) = (DispatchSerialQueue(label: "serial"), DispatchConcurrentQueue(label: "concurrent"))
    #expect(serial.sync { DispatchQueue.currentLabel } == "serial")
    #expect(concurrent.sync { DispatchQueue.currentLabel } == "concurrent")
    let asleep = DispatchSerialQueue(label: "asleep", attributes: .initiallyInactive)
    asleep.activate()
    #expect(asleep.sync { 3 } == 3)
  }
}
