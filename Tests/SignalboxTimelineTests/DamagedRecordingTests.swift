// DamagedRecordingTests.swift: recordings with words that nobody wrote, and cut off: they are refused, or shown as far as they make sense.
import SignalboxSystem
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

@Suite("Damaged recordings") struct DamagedRecordingTests {
  /// Bytes of a recording with some of everything.
  private static func whole() throws -> [UInt8] {
    let script = try RecordingScript(workers: 2)
    script.room.recording.name(.image, 0x100000, extra: 0x200000, "fff00 /bin/none")
    for number in UInt64(0)..<20 {
      script.item(
        0x10 + number, of: RecordingScript.serial, submitted: 100 * number, on: 1, 100 * number + 10, 100 * number + 50)
    }
    script.event(2, 3_000, .waitBegan, RecordingScript.lock, 9)
    script.event(0, 3_100, .timerArmed, RecordingScript.serial, 0x10, 1_000)
    script.event(1, 3_200, .timerFired, RecordingScript.serial, 0x10)
    script.event(0, 3_300, .started, RecordingScript.main, 0x99)
    script.event(0, 43_300, .ended)
    script.event(2, 50_000, .waitEnded)
    return [UInt8](UnsafeRawBufferPointer(start: script.room.start, count: script.room.size))
  }

  private static func remove(_ folder: String) {
    _ = try? Programs.output(of: "/bin/rm", arguments: ["rm", "-rf", RawString(folder)], environment: [])
  }

  private func show(_ bytes: ArraySlice<UInt8>, _ file: String) throws {
    try PrivateFile.replace(file) { write in _ = write(Array(bytes)) }
    do throws(UnreadableRecording) {
      let recording = try RecordingFile(file), summary = RecordingSummary(recording)
      #expect(!summary.text(isWhole: true).isEmpty && !summary.json.text.isEmpty)
      _ = PageData.read(recording)
    } catch { #expect(!error.description.isEmpty) }
  }

  @Test("One word is another: a recording is refused, or shown, and never more than is there", arguments: 0..<4)
  func words(part: Int) throws {
    var random = Dice(seed: UInt64(77 + part))
    let whole = try Self.whole()
    let written = stride(from: 0, to: whole.count, by: 8).filter { place in whole[place..<place + 8].contains { $0 != 0 } }
    let folder = try Files.makeFreshFolder("/tmp/signalbox-tests-").description
    defer { Self.remove(folder) }
    for _ in 0..<150 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = written.randomElement(using: &random)!
        let word: UInt64 = [0, .max, 1 << 63, .random(in: 0 ... .max, using: &random), .random(in: 0...255, using: &random)]
          .randomElement(using: &random)!
        withUnsafeBytes(of: word) { bytes.replaceSubrange(place..<place + 8, with: $0) }
      }
      try show(bytes[...], folder + "/damaged")
    }
  }

  @Test("A recording is cut off anywhere")
  func cut() throws {
    var random = Dice(seed: 5)
    let whole = try Self.whole(), folder = try Files.makeFreshFolder("/tmp/signalbox-tests-").description
    defer { Self.remove(folder) }
    let places = stride(from: 0, to: whole.count, by: 8).filter { place in whole[place..<place + 8].contains { $0 != 0 } }
    for _ in 0..<200 {
      let end = places.randomElement(using: &random)! + Int.random(in: 0...8, using: &random)
      try show(whole[..<end], folder + "/cut")
    }
  }
}
