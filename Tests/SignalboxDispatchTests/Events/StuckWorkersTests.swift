// StuckWorkersTests.swift: events while every processor has a worker whose item does not end, and more items wait: no
// worker runs out of work and polls, so the event thread, which leaves events to busy workers, has to come back by
// itself.
import Glibc
import SignalboxSystem
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite("Events beside items that do not end", .serialized) struct StuckWorkersTests {
  @Test("A byte goes round in a pipe although no worker polls")
  func bytesArrive() {
    let isOver = Count(), turns = Count(), items = DispatchGroup(), ended = DispatchSemaphore(value: 0)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (input, output) = (ends[0], ends[1])
    let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: DispatchQueue(label: "bytes"))
    source.setEventHandler {
      var byte: UInt8 = 0
      if read(input, &byte, 1) == 1 { _ = write(output, &byte, 1) }
      turns.add()
    }
    source.setCancelHandler { ended.signal() }
    source.activate()
    for _ in 0..<4 * Tuning.processors { DispatchQueue.global().async(group: items) { while isOver.value == 0 {} } }
    #expect(write(output, "x", 1) == 1)
    #expect(eventually { turns.value > 20 })
    isOver.value = 1
    items.wait()
    source.cancel()
    ended.wait()
    for end in ends { close(end) }
  }
}
