// RingTests.swift: rings on plain memory: what is written is read, what gives way is counted, and names of any length come back.
import Glibc
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxRecorder
@testable import SignalboxTimeline

@Suite("Rings") struct RingTests {
  private typealias Layout = RecordLayout
  private typealias Room = RecordingRoom

  @Test("Three addresses, a kind and a time come out of an event as they went in")
  func eventsKeepTheirParts() throws {
    let all: [UInt64] = [0, 1, 0xFFFF, 0x1_0000, 0x7FFF_1234_5678, EventCell.addressMask]
    for kind in EventKind.allCases where kind.isRecorded {
      for a in all {
        for b in all {
          for c in all {
            let event = try #require(EventCell(words: EventCell(kind, time: 0x12_3456_789A, a, b, c).words))
            #expect(event.kind == kind && event.time == 0x12_3456_789A && event.a == a && event.b == b && event.c == c)
          }
        }
      }
    }
    #expect(EventCell(words: (0, 1, 2)) == nil)
    for kind in EventKind.allCases where !kind.isRecorded {
      #expect(EventCell(words: EventCell(kind, time: 1, 2, 3, 4).words) == nil, "\(kind) stands in no recording")
    }
    #expect(MemoryLayout<EventCell>.size == 24)
  }

  @Test("Events of more pieces than one are read in order, without a gap")
  func piecesFollowEachOther() throws {
    let room = Room(chunks: 4)
    var ring = try #require(Ring(room.recording, who: 7))
    let count = UInt64(Layout.cellsInChunk) * 3
    for number in 0..<count { ring.write(.mark, ring.ticks(), 1, number, 0) }
    let thread = try #require(try room.read().threads.first)
    #expect(thread.events.map(\.b.bits) == Array(0..<count))
    #expect(thread.gaps.isEmpty && thread.owner == 7)
  }

  /// A ring begins by saying whose it is.
  private let opening: UInt64 = 2

  @Test(
    "Where there is no further piece the oldest gives way, and the reader knows how many events went", arguments: [1, 2, 3])
  func oldestGiveWay(chunks: Int) throws {
    let room = Room(chunks: chunks)
    var ring = try #require(Ring(room.recording, who: 7))
    let inPiece = UInt64(Layout.cellsInChunk), count = inPiece * 5 + 10
    for number in 0..<count { ring.write(.mark, ring.ticks(), 1, number, 0) }
    let thread = try #require(try room.read().threads.first)
    let lost = inPiece * UInt64(6 - chunks)
    #expect(thread.gaps.map(\.count.bits) == [lost] && thread.gaps.first?.place == 0)
    #expect(thread.events.map(\.b.bits) == Array(lost - opening..<count))
  }

  @Test("The oldest events of all give way, whoever wrote them, so that a new thread has room")
  func oldestOfAllGiveWay() throws {
    let room = Room(chunks: 4)
    var busy = try #require(Ring(room.recording, who: 7))
    let inPiece = UInt64(Layout.cellsInChunk)
    for number in 0..<inPiece * 6 { busy.write(.mark, busy.ticks(), 1, number, 0) }
    var late = try #require(Ring(room.recording, who: 8))
    for number in 0..<inPiece * 2 { late.write(.mark, late.ticks(), 1, number, 0) }
    busy.write(.mark, busy.ticks(), 1, inPiece * 6, 0)
    let read = try room.read()
    let all = inPiece * 6 + 1 + opening
    try #require(read.threads.map(\.owner.bits) == [7, 8])
    // The late one has three pieces now, the busy one what it is filling.
    #expect(read.threads[1].events.map(\.b.bits) == Array(0..<inPiece * 2) && read.threads[1].gaps.isEmpty)
    #expect(read.threads[0].events.map(\.b.bits) == [inPiece * 6 - 2, inPiece * 6 - 1, inPiece * 6])
    #expect(read.threads[0].gaps.map(\.count.bits) == [all - 3] && read.lostEvents == 0)
  }

  @Test("Names take no more than a part of the room, and those that have none are counted")
  func namesLeaveRoom() throws {
    let room = Room(chunks: 8)
    var ring = try #require(Ring(room.recording, who: 7))
    let count = UInt64(Layout.namesInChunk) * 3
    for number in 0..<count { room.recording.name(.queue, 0x1000 + number * 16, "name") }
    for number in 0..<UInt64(Layout.cellsInChunk) * 20 { ring.write(.mark, ring.ticks(), 1, number, 0) }
    let read = try room.read()
    #expect(read.lostNames == count / 3 && read.name(0x1000, at: .max)?.text == "name")
    #expect(read.threads.first?.events.count ?? 0 >= Layout.cellsInChunk * 5)
  }

  @Test("A thread goes on in the ring of one that has ended, and each has its own events")
  func ringsPassOn() throws {
    let room = Room(chunks: 3, machine: RecordedMachine())
    var ring = try #require(Ring(room.recording, who: 7 | 40 << 32))
    let inPiece = UInt64(Layout.cellsInChunk)
    var expected: [[UInt64]] = []
    for thread in 0..<UInt64(9) {
      if thread > 0 { ring.passes(to: 7 + thread | (40 + thread) << 32 | Layout.isWorker) }
      let numbers = thread * inPiece..<thread * inPiece + (thread % 3 == 0 ? 5 : inPiece / 4)
      for number in numbers { ring.write(.mark, ring.ticks(), 1, number, 0) }
      expected.append(Array(numbers))
    }
    let read = try room.read()
    #expect(read.threads.map(\.number.bits) == Array(1...9) && read.threads.map(\.owner.bits) == Array(7...15))
    #expect(
      read.threads.map(\.id) == Array(40...48) && read.threads.map(\.isWorker) == [false] + Array(repeating: true, count: 8))
    #expect(read.threads.map { $0.events.map(\.b.bits) } == expected)
    #expect(read.threads.allSatisfy { $0.gaps.isEmpty && $0.kernelName == Threads.ownName() })
  }

  @Test("A disk that is full leaves what was written")
  func fullDisk() throws {
    let room = Room(chunks: 10, grown: 2)
    var ring = try #require(Ring(room.recording, who: 7))
    let inPiece = UInt64(Layout.cellsInChunk)
    for number in 0..<inPiece * 3 - opening { ring.write(.mark, ring.ticks(), 1, number, 0) }
    let thread = try #require(try room.read().threads.first)
    #expect(
      thread.events.map(\.b.bits) == Array(inPiece - opening..<inPiece * 3 - opening)
        && thread.gaps.map(\.count.bits) == [inPiece])
  }

  @Test("Recordings that tests write have the same bytes each time: none is the machine's")
  func sameBytes() throws {
    func bytes() throws -> [UInt8] {
      let script = try RecordingScript(workers: 2)
      script.item(0x10, of: RecordingScript.serial, submitted: 100, on: 1, 200, 300)
      script.room.recording.end()
      return [UInt8](UnsafeRawBufferPointer(start: script.room.start, count: script.room.size))
    }
    let once = try bytes()
    #expect(try bytes() == once)
  }

  @Test("Where there is no piece at all a thread has no ring")
  func noRoom() throws {
    let room = Room(chunks: 10, grown: 0)
    #expect(Ring(room.recording, who: 7) == nil)
    let full = Room(chunks: 1)
    _ = try #require(Ring(full.recording, who: 7))
    #expect(Ring(full.recording, who: 8) == nil)
  }

  @Test("Of a flight recording the last seconds are read, of all threads")
  func lastSeconds() throws {
    let room = Room(chunks: 3, seconds: 10)
    var early = try #require(Ring(room.recording, who: 7)), late = try #require(Ring(room.recording, who: 8))
    let start = early.ticks()
    for number in 0..<UInt64(5) {
      early.write(.mark, start + number, 1, number, 0)
      late.write(.mark, start + number, 1, number, 0)
    }
    // Hours later.
    for number in UInt64(5)..<8 { late.write(.mark, start + 1 << 45 + number, 1, number, 0) }
    let read = try room.read()
    #expect(read.seconds == 10 && read.threads.map(\.owner.bits) == [7, 8])
    #expect(read.threads.map { $0.events.map(\.b.bits) } == [[], [5, 6, 7]])
  }

  @Test("Times further apart than an event can say are told apart")
  func longSilence() throws {
    let room = Room(chunks: 2)
    var ring = try #require(Ring(room.recording, who: 7))
    let start = ring.ticks()
    ring.write(.mark, start, 1, 1, 0)
    ring.write(.mark, start + (1 << 45), 1, 2, 0)
    ring.write(.mark, start + (1 << 45) + 1_000_000, 1, 3, 0)
    let events = try #require(try room.read().threads.first).events
    #expect(events.map(\.b.bits) == [1, 2, 3])
    let silence = (events[1].time - events[0].time).double, rest = (events[2].time - events[1].time).double
    #expect(abs(silence / rest - Double(1 << 45) / 1e6) < 1e-2 * Double(1 << 45) / 1e6)
  }

  @Test(
    "Names of any length come back, cut after 1,000 bytes; the last one counts from its time on",
    arguments: [0, 1, 95, 96, 97, 216, 217, 999, 1_500])
  func names(length: Int) throws {
    let room = Room(chunks: 2)
    let text = String(repeating: "ä", count: length / 2) + (length % 2 == 1 ? "x" : "")
    room.recording.name(.queue, 0x1000, "before")
    room.recording.name(.queue, 0x1000, extra: 1, text)
    room.recording.name(.queue, 0x2000, "other")
    let read = try room.read()
    #expect(read.name(0x1000, at: .max)?.text == (length > 1_000 ? String(repeating: "ä", count: 500) : text))
    #expect(read.name(0x1000, at: 0)?.text == "before" && read.name(0x2000, at: .max)?.text == "other")
  }

  @Test("A thread that finds a name's address known writes its event behind the name, though the text is not made yet")
  func nameInTheMaking() throws {
    let room = Room(chunks: 2), recording = room.recording
    var other = try #require(Ring(recording, who: 8))
    recording.nameOnce(.object, 0x1000) { "gone" }
    recording.known.remove(0x1000)
    recording.nameOnce(.object, 0x1000) {
      let isKnown = recording.known.contains(0x1000)
      #expect(isKnown)
      other.write(.waitBegan, other.ticks(), 0x1000, 0, 0)
      return "semaphore"
    }
    recording.nameOnce(.object, 0x1000) { "not asked for" }
    let read = try room.read(), event = try #require(read.threads.first?.events.first)
    #expect(read.name(event.a, at: event.time)?.text == "semaphore")
  }

  @Test("An address is new once, and once more when it was taken out")
  func knownAddresses() {
    let known = KnownAddresses()
    for address in stride(from: UInt64(0x1000), to: 0x9000, by: 16) { #expect(known.add(address) == .new) }
    for address in stride(from: UInt64(0x1000), to: 0x9000, by: 16) { #expect(known.add(address) == .known) }
    known.remove(0x2000)
    #expect(!known.contains(0x2000) && known.contains(0x2010))
    #expect(known.add(0x2000) == .new)
  }

  @Test("What is made where a mutex of the C library lay, which went without a word, has a name of its own, and vice versa")
  func goneUntold() throws {
    let room = Room(chunks: 2), recording = room.recording, mutex = UInt64(WaitKind.foreignMutex.rawValue)
    var ring = try #require(Ring(recording, who: 7)), names: [String] = []
    for round in 0..<3 {
      recording.nameOnce(.object, 0x1000, extra: mutex) { "mutex \(round)" }
      recording.nameOnce(.object, 0x1000, extra: mutex) { "known" }
      ring.write(.waitBegan, ring.ticks(), 0x1000, 0, 0)
      recording.nameOnce(.object, 0x1000) { "run loop \(round)" }
      recording.nameOnce(.note, 0x1000) { "known" }
      ring.write(.waitBegan, ring.ticks(), 0x1000, 0, 0)
      names += ["mutex \(round)", "run loop \(round)"]
    }
    let read = try room.read()
    #expect(try #require(read.threads.first).events.map { read.name($0.a, at: $0.time)?.text } == names)
    recording.known.remove(0x1000)
    for goesUntold in [false, true] {
      let isKnown = recording.known.contains(0x1000, goesUntold: goesUntold)
      #expect(!isKnown)
    }
  }
}
