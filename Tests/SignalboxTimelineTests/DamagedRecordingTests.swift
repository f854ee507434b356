// DamagedRecordingTests.swift: recordings with words that no program wrote, and cut off: they are refused, or shown as
// far as they make sense, with what is missing.
import Glibc
import SignalboxSystem
import SignalboxWords
import Testing

@testable import SignalboxRecorder
@testable import SignalboxTimeline

/// The same numbers in each run (xorshift).
private struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// A recording in a file, of which words are changed in place.
private final class RecordedFile {
  /// Two workers, the main thread and the names.
  static let pieces = 4
  let folder: ProgramFolder
  let path: String
  let whole: [UInt8]
  private let descriptor: Int32

  /// - Parameter isOver: the recording was stopped in order.
  init(isOver: Bool = true) throws {
    let script = try RecordingScript(workers: 2)
    script.room.recording.name(.image, 0x100000, extra: 0x200000, "fff00 /bin/none")
    script.room.recording.name(.object, 0x6000, String(repeating: "long ", count: 60))
    for number in UInt64(0)..<20 {
      script.item(
        0x10 + number, of: RecordingScript.serial, submitted: 100 * number, on: 1, 100 * number + 10, 100 * number + 50,
        ownClass: number % 6)
    }
    script.event(2, 3_000, .waitBegan, RecordingScript.lock, 9)
    script.event(0, 3_100, .timerArmed, RecordingScript.serial, 0x10, 1_000)
    script.event(1, 3_200, .timerFired, RecordingScript.serial, 0x10, 1 << 40)
    script.event(0, 3_250, .woken, 2, 1)
    script.event(0, 3_300, .started, RecordingScript.main, 0x99)
    script.event(0, 43_300, .ended)
    script.event(0, 43_400, .groupEntered, 0x6000, 1, 0)
    script.event(0, 43_500, .transferBegan, 0x7000, 3, 100)
    script.event(0, 43_600, .transferEnded, 0x7000, 100, 3 << 16)
    script.event(0, 43_700, .operationAdded, 0x8000, 0x9000)
    script.event(0, 43_800, .loopBegan, 0xA000, 0xB000)
    script.event(0, 43_810, .loopPhase, 0xA000, 1)
    script.event(0, 43_900, .reported, 1, 1)
    script.event(2, 50_000, .waitEnded)
    if isOver { script.room.recording.end() }
    let size = RecordLayout.headSize + Self.pieces * RecordLayout.chunkSize
    whole = [UInt8](UnsafeRawBufferPointer(start: script.room.start, count: size))
    folder = try ProgramFolder()
    path = folder("recording")
    descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    restore()
  }
  deinit { close(descriptor) }

  func restore() {
    #expect(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, whole, whole.count, 0) == whole.count)
  }
  func cut(to size: Int) { #expect(ftruncate(descriptor, size) == 0) }
  func set(_ place: Int, _ word: UInt64) {
    withUnsafeBytes(of: word) { #expect(pwrite(descriptor, $0.baseAddress, 8, place) == 8) }
  }
  func heal(_ place: Int) {
    whole[place..<place + 8].withUnsafeBytes { #expect(pwrite(descriptor, $0.baseAddress, 8, place) == 8) }
  }

  /// Places of words that are not 0.
  var written: [Int] {
    stride(from: 0, to: whole.count, by: 8).filter { place in whole[place..<place + 8].contains { $0 != 0 } }
  }
  static func piece(_ number: Int) -> Int { RecordLayout.headSize + number * RecordLayout.chunkSize }

  /// Shows it in every way; what was read, nil if it was refused.
  @discardableResult func show() -> RecordingFile? {
    do throws(UnreadableRecording) {
      let recording = try RecordingFile(path), summary = RecordingSummary(recording)
      let text = summary.text(isWhole: true)
      #expect(!text.isEmpty && !summary.json.text.isEmpty)
      #expect(recording.damage.isNone || !text.contains("stopped in order"))
      let page = PageData.read(recording)
      #expect(!page.header(summary: summary.json).text.isEmpty && !page.columns.isEmpty)
      PerfettoForm.write(recording) { !$0.isEmpty }
      return recording
    } catch {
      #expect(!error.description.isEmpty)
      return nil
    }
  }
}

@Suite("Damaged recordings") struct DamagedRecordingTests {
  private static let words: [UInt64] = [0, 1 << 47, .max]

  @Test(
    "Any word of a head, of an event or of a name may be any other: the recording is refused, or shown",
    arguments: 0..<RecordedFile.pieces + 1)
  func words(part: Int) throws {
    let file = try RecordedFile()
    // The file's head; each piece's head, with some events or names behind.
    let places =
      part == 0
      ? Array(stride(from: 0, to: 18 * 8, by: 8))
      : file.written.filter { (0..<64 + 24 * 8).contains($0 - RecordedFile.piece(part - 1)) }
        + file.written.filter { (0..<RecordLayout.chunkSize).contains($0 - RecordedFile.piece(part - 1)) }.suffix(20)
    try #require(places.count >= 18)
    for place in Set(places).sorted() {
      for word in Self.words {
        file.set(place, word)
        file.show()
      }
      file.heal(place)
    }
    #expect(file.show()?.damage == file.show()?.damage)
  }

  @Test("Several words of a recording are others: it is refused, or shown", arguments: 0..<4)
  func manyWords(part: Int) throws {
    var random = Dice(seed: UInt64(77 + part))
    let file = try RecordedFile(isOver: part % 2 == 0), written = file.written
    for _ in 0..<60 {
      let places = (0..<Int.random(in: 1...4, using: &random)).map { _ in written.randomElement(using: &random)! }
      for place in places {
        file.set(place, Bool.random(using: &random) ? Self.words.randomElement(using: &random)! : random.next())
      }
      file.show()
      for place in places { file.heal(place) }
    }
  }

  @Test(
    "A recording that began at any time of its machine is shown, with timers that were due before",
    arguments: [
      0, 1, 1_000, 10_000_000_000_000, 1 << 40, 1 << 61, 1 << 62, 1 << 63, .max - 1, .max,
    ] as [UInt64])
  func start(uptime: UInt64) throws {
    let file = try RecordedFile()
    for word in [RecordLayout.Head.startUptime, .uptime0, .uptime1] { file.set(word.rawValue * 8, uptime) }
    let recording = try #require(file.show())
    #expect(recording.damage.isNone && recording.threads.count == 3)
  }

  @Test("A recording that is cut off anywhere is refused, or its missing pieces are counted")
  func cut() throws {
    var random = Dice(seed: 5)
    let file = try RecordedFile()
    for end in [0, 1, 8, 16, 100, 4_095] {
      file.cut(to: end)
      #expect(file.show() == nil)
      file.restore()
    }
    for place in file.written.shuffled(using: &random).prefix(60) {
      let end = place + Int.random(in: 0...8, using: &random)
      file.cut(to: end)
      let recording = file.show(), behind = end - RecordLayout.headSize
      #expect((recording == nil) == (behind < 0))
      if let recording {
        let whole = behind / RecordLayout.chunkSize, isPart = behind % RecordLayout.chunkSize != 0
        #expect(recording.damage.broken == (isPart ? 1 : 0))
        #expect(recording.damage.missing == ReadNumber(count: RecordedFile.pieces - whole - (isPart ? 1 : 0)))
      }
      file.restore()
    }
  }

  @Test("Pieces are missing also if the program was killed: it says how many the file has got")
  func killed() throws {
    let file = try RecordedFile(isOver: false)
    #expect(file.show()?.damage.isNone == true)
    file.cut(to: RecordedFile.piece(3))
    #expect(file.show()?.damage.words?.contains("of its 4 pieces 1 is missing; what is whole of it is shown") == true)
    // In recordings of before that was counted, a piece may have been asked for by a thread that was killed meanwhile.
    file.set(RecordLayout.Head.grown.rawValue * 8, 0)
    #expect(file.show()?.damage.isNone == true)
    file.set(RecordLayout.Head.state.rawValue * 8, 2)
    #expect(file.show()?.damage.missing == 1)
  }

  @Test("What no program writes is a damaged piece, and the rest of it is shown")
  func broken() throws {
    let file = try RecordedFile(), first = RecordedFile.piece(0)
    func breaks(_ what: String, _ place: Int, _ word: UInt64) {
      file.set(place, word)
      let recording = file.show()
      #expect(recording?.damage.broken == 1 && recording?.damage.missing == 0, "\(what)")
      #expect(recording?.threads.contains { $0.events.count > 10 } == true, "\(what)")
      file.heal(place)
    }
    breaks("the kind of a piece", first, 9)
    breaks("a ring's number", first + RecordLayout.Chunk.ring.rawValue * 8, 0)
    breaks("the kind of an event", first + 64 + 24 * 3, 200 << 40)
    breaks("an event that is gone from amidst others", first + 64 + 24 * 3, 0)
    let submission = try #require(file.written.first { file.whole[$0 + 5] == EventKind.submitted.rawValue && $0 > first + 64 })
    breaks("a class of service", submission + 8, RecordingScript.serial | 7)
    let names = try #require((0..<RecordedFile.pieces).map(RecordedFile.piece).first { file.whole[$0] == 2 })
    breaks("the kind of a name", names + 64, 77)
    breaks("the length of a name", names + 64, 1 | 60_000 << 16)
    breaks("a queue's class", names + 64 + 24, 200 << 8)
    #expect(file.show()?.damage.isNone == true)
  }

  @Test(
    "A command shows what is whole of a recording, says what is missing, and ends with status 3 or 65",
    arguments: [
      (100, 65, "is cut off: it has 100 bytes"), (RecordedFile.piece(2), 3, "of its 4 pieces 2 are missing"),
      (RecordedFile.piece(3) + 1_000, 3, "of its 4 pieces 1 is damaged"),
    ] as [(Int, Int, String)])
  func commands(size: Int, status: Int, words: String) throws {
    let file = try RecordedFile()
    for command in ["summary recording", "summary --json recording", "view recording", "perfetto recording trace"] {
      file.restore()
      #expect(try file.folder.shell("$P/signalbox \(command) > out 2> errors; echo $?") == "0\n", "\(command)")
      file.cut(to: size)
      #expect(try file.folder.shell("$P/signalbox \(command) > out 2> errors; echo $?") == "\(status)\n", "\(command)")
      let errors = Files.text(RawString(file.folder("errors"))) ?? ""
      #expect(errors.contains(words) && errors.split(separator: "\n").count == 1, "\(command): \(errors)")
      let out = Files.text(RawString(file.folder("out"))) ?? ""
      #expect(!out.contains("stopped in order") && (out.isEmpty == (status == 65 || command.hasPrefix("perfetto"))), "\(out)")
    }
  }
}
