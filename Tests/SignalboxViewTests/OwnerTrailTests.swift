// OwnerTrailTests.swift: the way along owner words in memory that is made up word by word: each reading, each hop, and
// what is not there.
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxView

/// A process with queues of three words: state, target, kind.
private struct MadeQueues {
  var memory = MadeWords()
  var description = [ReadNumber](repeating: 0, count: DescribedWord.allCases.count)

  init() {
    describe(.queueState, 8)
    describe(.queueTarget, 16)
    describe(.queueKind, 24)
    describe(.itemPlace, 32)
    describe(.operationState, 40)
    describe(.operationRunner, 48)
    describe(.mainThread, 0x100)
  }
  mutating func describe(_ word: DescribedWord, _ value: UInt64) { description[word.rawValue] = ReadNumber(value) }

  mutating func queue(_ address: UInt64, _ kind: QueueKind, _ state: QueueState, target: UInt64) {
    memory.words[address + 8] = state.rawValue
    memory.words[address + 16] = target
    memory.words[address + 24] = UInt64(kind.rawValue)
  }
  var reading: ReadMemory { .other(memory, description: description) }

  func answer(_ address: UInt, _ reading: OwnerReading) -> OwnerAnswer {
    OwnerReader(self.reading).read(OwnerWord(address, reading))
  }
  func end(_ word: OwnerWord, waiter: UInt64 = 9) -> String {
    var trail = OwnerTrail(OwnerWords(word), in: reading)
    return "\(trail.follow(for: waiter, places: .endThere)) after \(trail.way.hops)"
  }
}

@Suite("Ways along owner words, in any memory") struct OwnerTrailTests {
  private static let enqueued = QueueState(rawValue: QueueState.enqueued.inPlace)

  @Test("Each reading names the thread that its word names, and none where no memory is")
  func readings() {
    var made = MadeQueues()
    made.memory.words[0x200] = 7 | 1 << 24  // parked
    made.memory.words[0x208] = OnceState.running(5).rawValue
    made.memory.words[0x210] = ReaderWriterState(rawValue: ReaderWriterState.writing | 6).rawValue
    made.memory.words[0x100] = 4
    made.queue(0x400, .serial, QueueState(rawValue: 8 | QueueState.exclusive.inPlace), target: 0)
    made.memory.words[0x320] = Whereabouts.queue(0x400, isSerial: true).rawValue  // item at 0x300
    made.memory.words[0x368] = OperationState.initial.afterStart().next.rawValue  // operation at 0x340
    made.memory.words[0x370] = 3
    for (address, reading, owner) in [
      (0x200, .lock, 7), (0x208, .once, 5), (0x210, .readerWriter, 6), (0x55, .thread, 0x55), (0, .mainThread, 4),
      (0x400, .serialQueue, 8), (0x300, .workItem, 8), (0x340, .operation, 3), (0, .pool, 0), (0, .anyone, 0),
    ] as [(UInt, OwnerReading, UInt64)] {
      #expect(made.answer(address, reading).owner == owner, "\(reading)")
    }
    #expect(made.answer(0, .parallelLoop).blockedByHolders)
    for reading in [.lock, .once, .readerWriter, .serialQueue, .concurrentQueue, .workItem, .operation] as [OwnerReading] {
      #expect(made.answer(0x9000, reading) == OwnerAnswer(), "\(reading)")
    }
    made.description = made.description.map { _ in 0 }
    for reading in [.mainThread, .serialQueue, .concurrentQueue, .workItem, .operation] as [OwnerReading] {
      #expect(made.answer(0x400, reading) == OwnerAnswer(), "\(reading) of a process that has not described its words")
    }
  }

  @Test("A queue that waits for its target leads on, to the thread that drains it, to the pool or to the main thread")
  func targets() {
    var made = MadeQueues()
    made.describe(.mainQueue, 0x600)
    made.queue(0x400, .serial, Self.enqueued, target: 0x500)
    made.queue(0x500, .concurrent, QueueState(rawValue: 8), target: 0x700)
    made.queue(0x600, .main, Self.enqueued, target: 0)
    made.queue(0x700, .global, QueueState(rawValue: 0), target: 0)
    #expect(made.end(OwnerWord(0x400, .serialQueue)) == "owner(8) after 1")
    #expect(made.end(OwnerWord(0x400, .serialQueue), waiter: 8) == "waiter after 1")
    made.queue(0x500, .concurrent, Self.enqueued, target: 0x700)
    #expect(made.end(OwnerWord(0x400, .serialQueue)) == "place after 2")
    made.queue(0x400, .serial, Self.enqueued, target: 0x600)
    #expect(made.end(OwnerWord(0x400, .serialQueue)) == "place after 2")
    made.queue(0x400, .serial, QueueState(rawValue: QueueState.suspendCount.one | QueueState.enqueued.inPlace), target: 0x500)
    #expect(made.end(OwnerWord(0x400, .serialQueue)).contains("isStopped: true"))
    made.queue(
      0x400, .concurrent, QueueState(rawValue: QueueState.barrierPending.inPlace | QueueState.width.one), target: 0x700)
    #expect(made.end(OwnerWord(0x400, .concurrentQueue)) == "holders after 0")
  }

  @Test("A way that leads back to where it was ends all the same")
  func rounds() {
    var made = MadeQueues()
    made.queue(0x400, .serial, Self.enqueued, target: 0x500)
    made.queue(0x500, .serial, Self.enqueued, target: 0x400)
    #expect(made.end(OwnerWord(0x400, .serialQueue)).hasSuffix("after \(OwnerTrail.limit)"))
  }

  @Test("A target whose address has more bits than a word keeps is no other reading of another word")
  func wideAddresses() {
    var made = MadeQueues()
    made.queue(0x400, .serial, Self.enqueued, target: 0xFF00_0000_0000_0500)
    #expect(made.end(OwnerWord(0x400, .serialQueue)).hasPrefix("nobody"))
  }

  @Test("A reader of a reader-writer lock that has been let in waits for no thread; a writer waits for all who read")
  func readersAndWriters() {
    var made = MadeQueues()
    let address: UInt = 0x200, mark = ReaderWriterState.ReaderMark.self
    made.memory.words[0x200] = 2  // two readers, generation 0
    #expect(made.answer(address, .readerWriter).blockedByHolders)
    let since0 = OwnerReader(made.reading).read(mark.word(address, 0))
    let since1 = OwnerReader(made.reading).read(mark.word(address, ReaderWriterState.generation))
    #expect(since0.followsNext && since1 == OwnerAnswer())
  }
}
