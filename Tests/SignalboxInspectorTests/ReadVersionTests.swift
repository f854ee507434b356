// ReadVersionTests.swift: what a reader of another process takes for granted and no word of the description tells. Both
// sides use the layouts of SignalboxWords; these are the numbers that version 1 stands for.
import CSignalbox
import Testing

@testable import SignalboxDiagnosis
@testable import SignalboxWaits
@testable import SignalboxSystem
@testable import SignalboxWords

@Suite("What readers take for granted") struct ReadVersionTests {
  @Test("What no word of the description tells is what its version 1 stands for: a change is another version")
  func version() {
    #expect(ProcessDescription.version == 1)
    let cells: [WaitCell] = [.sequence, .owner, .tid, .what, .object, .since, .park, .parkValue, .counts]
    #expect(cells.map(\.rawValue) == Array(0..<9))
    #expect(OwnerValue.slotBits == 16 && OwnerValue.bits == 24)
    #expect(WaitFacts.timed.inPlace == 1 << 8 && WaitFacts.explored.inPlace == 1 << 10)
    let readings: [OwnerReading] = [
      .nobody, .lock, .thread, .once, .readerWriter, .serialQueue, .foreign, .concurrentQueue, .workItem, .mainThread,
      .parallelLoop,
      .operation, .pool, .anyone, .number,
    ]
    #expect(readings.map(\.rawValue) == Array(0..<15))
    #expect([FrameKind.syncAlone, .syncShared, .drainAlone, .drainShared].map(\.rawValue) == [0, 1, 2, 3])
    #expect([QueueKind.serial, .concurrent, .global, .main, .runLoop].map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(WaitKind.foreignMutex.rawValue == 22 && WaitKind.allCases.count == 25)
    typealias Status = WorkerStatus
    let statuses = [Status.running, Status.blocked, Status.sampled, Status.idle, Status.searching, Status.marked]
    #expect(statuses == Array(0..<6) && PoolBand.names == ["default", "utility", "background"])
    let poolWords: [PoolWord] = [.address, .state, .bound, .band, .rings, .ringCount]
    #expect(poolWords.map(\.rawValue) == Array(0..<6) && PoolWord.size == 48)
    #expect(PoolState.fields.map { $0.field.shift } == [0, 16, 32, 48])
    let frame = FrameWord(0x1000, .drainShared)
    #expect(frame.bits == 0x1003 && FrameWord(bits: 0x1007).object == 0x1000)
    #expect(OwnerWord(0x1000, .once).bits == 0x0300_0000_0000_1000)
  }

  @Test("Words lie where C and Swift have them, and where readers read them")
  func layouts() {
    #expect(MemoryLayout<sb_wait>.offset(of: \.words)! / 8 == WaitCell.words.rawValue)
    #expect(MemoryLayout<sb_wait>.offset(of: \.frames)! / 8 == WaitCell.frames.rawValue)
    #expect(MemoryLayout<sb_wait>.offset(of: \.shared)! / 8 == WaitCell.shared.rawValue)
    #expect(MemoryLayout<sb_wait>.offset(of: \.stack)! / 8 == WaitCell.stack.rawValue)
    #expect(MemoryLayout<ThreadFrame>.offset(of: \.word)! == Int(FrameLayout.word))
    #expect(MemoryLayout<ThreadFrame>.offset(of: \.previous)! == Int(FrameLayout.previous))
    #expect(MemoryLayout<DrainFrame>.offset(of: \.item)! == Int(FrameLayout.item))
    #expect(MemoryLayout<Slot>.offset(of: \.second)! == 8)
  }
}
