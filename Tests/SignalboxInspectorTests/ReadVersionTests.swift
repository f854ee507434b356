// ReadVersionTests.swift: what a reader of another process takes for granted, compared with what the process's own side has. Queues and items are in
// SignalboxDispatchTests.
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxInspector
@testable import SignalboxSystem

@Suite("What readers take for granted") struct ReadVersionTests {
  @Test("The kinds of waits are those of the diagnosis")
  func nouns() {
    #expect(WaitNoun.nouns == WaitKind.allCases.map(\.noun))
    for kind in WaitKind.allCases where kind != .none {
      let noun = WaitNoun(number: kind.rawValue)
      #expect(noun?.noun == kind.noun && noun?.hasOwner == kind.hasOwner)
      #expect(noun?.isQueue == [.sync, .barrierSync, .asyncAndWait].contains(kind))
    }
    #expect(WaitNoun(number: 0) == nil && WaitNoun(number: UInt8(WaitNoun.nouns.count)) == nil)
  }

  @Test("What no word of the description tells is what its version 1 stands for: a change is another version")
  func version() {
    #expect(ProcessDescription.version == 1)
    let cells: [Record.Cell] = [.sequence, .owner, .tid, .what, .object, .since, .park, .parkValue, .counts]
    #expect(cells.map(\.rawValue) == Array(0..<9))
    #expect(ThreadSlot.idBits == 16)
    #expect(WaitRecord.timedBit == 1 << 8 && WaitRecord.exploredBit == 1 << 10)
    let readings: [OwnerReading] = [
      .nobody, .lock, .thread, .once, .readerWriter, .serialQueue, .foreign, .concurrentQueue, .workItem, .mainThread,
      .parallelLoop,
      .operation, .pool, .anyone, .number,
    ]
    #expect(readings.map(\.rawValue) == Array(0..<15))
    #expect([ThreadFrame.Kind.syncAlone, .syncShared, .drainAlone, .drainShared].map(\.rawValue) == [0, 1, 2, 3])
    #expect(MemoryLayout<ThreadFrame>.offset(of: \.word) == 0 && MemoryLayout<ThreadFrame>.offset(of: \.previous) == 8)
    #expect(MemoryLayout<DrainFrame>.offset(of: \.first) == 16 && MemoryLayout<DrainFrame>.offset(of: \.second) == 24)
    let frame = FrameWord(0x1000, .drainShared)
    #expect(frame.bits == 0x1003 && FrameWord(bits: 0x1007).object == 0x1000)
    #expect(OwnerWord(0x1000, .once).bits == 0x0300_0000_0000_1000)
  }
}
