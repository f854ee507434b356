// DamagedCoreTests.swift: core dumps that are cut off or hold words that no kernel writes: they are refused, or shown
// as far as they go, and what is missing is reported. Whole ones are CoreTests.swift.
import SignalboxSystem
import Testing

@testable import SignalboxInspector

@Suite("Damaged core dumps") struct DamagedCoreTests {
  /// A folder with the program, and with the core dump that a test puts there.
  private final class Folder {
    let path: String
    var program: String { path + "/program" }
    var core: String { path + "/core" }

    init() throws {
      path = try InspectedProgram.makePlace()
      try PrivateFile.replace(program) { write in _ = write(MadeProcess.memory.bytes) }
    }
    deinit { InspectedProgram.remove(path) }

    /// What the command would show, and what it would say that is missing; or why it shows nothing.
    func show(_ bytes: some Sequence<UInt8>) throws -> (text: String, loss: String?, refusal: InspectRefusal?) {
      let all = Array(bytes)
      try PrivateFile.replace(core) { write in _ = write(all) }
      do throws(InspectRefusal) {
        let found = try CoreInspection(core, program: program)
        return (Shown.everything(found.inspections), Inspection.loss(found.inspections, found.damage), nil)
      } catch { return ("", nil, error) }
    }
  }

  private static let head = MadeCore.bytes, notes = MadeCore.notesStart..<MadeCore.notesEnd

  @Test("The made core dump is whole: its deadlock is shown, and nothing is missing")
  func whole() throws {
    let shown = try Folder().show(MadeCore.bytes)
    #expect(shown.loss == nil && shown.text.contains("deadlock: 2 threads wait for one another"), "\(shown)")
    #expect(shown.text.contains("made.1") && !shown.text.contains("is damaged"), "\(shown.text)")
  }

  @Test("Each word of the head, the segments and the notes in turn is wild", arguments: DamagedMemoryTests.wild)
  func eachWord(wild: UInt64) throws {
    let folder = try Folder()
    for place in stride(from: 0, to: MadeCore.notesEnd - 7, by: 8) {
      var bytes = MadeCore.bytes
      bytes.set(wild, at: place)
      let shown = try folder.show(bytes)
      #expect(!shown.text.isEmpty || shown.refusal?.message.isEmpty == false, "\(place)")
    }
  }

  @Test("Words anywhere are others at random", arguments: 1...4)
  func random(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let folder = try Folder(), whole = MadeCore.bytes
    let written = stride(from: 0, to: whole.count - 7, by: 4).filter { place in whole[place..<place + 4].contains { $0 != 0 } }
    for _ in 0..<100 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let word = (DamagedMemoryTests.wild + [.random(in: 0 ... .max, using: &dice), .random(in: 0...0x7000, using: &dice)])
          .randomElement(using: &dice)!
        bytes.set(word, at: written.randomElement(using: &dice)!, width: 4)
      }
      let shown = try folder.show(bytes)
      #expect(!shown.text.isEmpty || shown.refusal?.message.isEmpty == false)
    }
  }

  @Test("Wherever a core dump is cut off, it is refused or says how much is missing")
  func cut() throws {
    let folder = try Folder(), size = MadeCore.bytes.count
    let bounds = [0, 1, 4, 16, 63, 64, 65, 119, 120, 175] + Array(Self.notes.lowerBound...Self.notes.upperBound)
    let places = bounds.filter { $0 < 200 || $0 % 12 == 0 } + stride(from: Self.notes.upperBound, to: size, by: 256)
    for place in places + [size - 1] {
      let shown = try folder.show(MadeCore.bytes[..<place])
      #expect(shown.refusal != nil || shown.loss?.contains(" of the core, which is cut off or damaged") == true, "\(place)")
    }
    let last = try folder.show(MadeCore.bytes[..<(size - 1)])
    #expect(last.loss == "what is whole was shown; missing: 1 byte of the core, which is cut off or damaged", "\(last)")
    #expect(last.text.contains("deadlock: 2 threads") && last.text.contains("not read: 1 byte of the core"))
  }

  @Test(
    "What is claimed beyond what there is, is counted, and the rest is shown",
    arguments: [
      (56, 2, 0xFFF0, " segments of the core"),
      (64 + 56 + 32, 8, .max, "bytes of the core"),
      (64 + 56 + 8, 8, 1 << 63, "\(MadeProcess.memory.bytes.count) bytes of the core"),
      (64 + 32, 8, .max, "1 note of the core"),
    ] as [(Int, Int, UInt64, String)])
  func claims(place: Int, width: Int, word: UInt64, loss: String) throws {
    var bytes = MadeCore.bytes
    bytes.set(word, at: place, width: width)
    let folder = try Folder(), shown = try folder.show(bytes)
    let said = shown.loss ?? shown.refusal?.message ?? ""
    #expect(said.contains(loss), "\(shown)")
  }

  @Test("Notes of one thread twice, of thread 0, and too short ones are counted; the list of files may claim any number")
  func notes() throws {
    let folder = try Folder(), second = Self.firstNote(after: Self.notes.lowerBound)
    for id in [0, 11, UInt64(UInt32.max)] {
      var bytes = MadeCore.bytes
      bytes.set(id, at: second + 20 + 32, width: 4)
      #expect(try folder.show(bytes).loss?.contains("1 note of the core") == true, "\(id)")
    }
    var bytes = MadeCore.bytes, files = Self.notes.lowerBound
    while bytes[files + 8..<files + 12].elementsEqual([0x45, 0x4C, 0x49, 0x46]) == false {
      files = Self.firstNote(after: files)
    }
    bytes.set(.max, at: files + 20)
    let shown = try folder.show(bytes)
    #expect(shown.loss?.contains("18446744073709551614 names of mapped files of the core") == true, "\(shown)")
    #expect(shown.text.contains("deadlock: 2 threads"))
    bytes.set(1, at: files + 20)
    bytes.set(.max, at: files + 20 + 16)
    #expect(try folder.show(bytes).refusal != nil)
  }

  private static func firstNote(after place: Int) -> Int {
    let size = Int(MadeCore.bytes.word32(at: place + 4).bits)
    return place + 20 + (size + 3) / 4 * 4
  }

  @Test("Of segments of notes that lie upon one another by the thousand the first few are read")
  func repeated() throws {
    // Each of 60,000 segments names the same 64 KB of notes: 4 GB in all.
    let count = 60_000, start = 64 + count * 56
    var bytes = Array(MadeCore.bytes[..<64]) + [UInt8](repeating: 0, count: count * 56)
    bytes.set(UInt64(count), at: 56, width: 2)
    for segment in 0..<count {
      bytes.set(4, at: 64 + segment * 56, width: 4)
      bytes.set(UInt64(start), at: 64 + segment * 56 + 8)
      bytes.set(1 << 16, at: 64 + segment * 56 + 32)
    }
    let shown = try Folder().show(bytes + [UInt8](repeating: 1, count: 1 << 16))
    #expect(shown.refusal?.message.contains("names no threads") == true)
  }

  @Test("The command shows what is whole of a core dump that is cut off, says what is missing, and ends with status 3")
  func command() throws {
    let folder = try Folder()
    _ = try folder.show(MadeCore.bytes.dropLast(256))
    func signalbox(_ options: String) throws -> (text: String, status: Int32?) {
      let line = "'\(InspectedProgram.programs)signalbox' inspect --core '\(folder.core)' '\(folder.program)' \(options) 2>&1"
      let printed = try Programs.output(
        of: "/bin/bash", arguments: ["bash", "-c", RawString(line)], environment: [], seconds: 500)
      return (String(decoding: printed.bytes, as: UTF8.self), printed.status)
    }
    let table = try signalbox("--svg '\(folder.path)/a.svg'")
    #expect(table.status == 3 && table.text.contains("deadlock: 2 threads wait for one another"), "\(table)")
    #expect(
      table.text.hasSuffix(
        "signalbox: inspect: \(folder.core) is damaged or cut off: what is whole was shown; missing: 256 bytes of the core, which is "
          + "cut off or damaged\n"), "\(table.text)")
    #expect((try? FileStatus(of: RawString(folder.path + "/a.svg"))) != nil)
    let json = try signalbox("--json")
    #expect(json.status == 3 && json.text.hasPrefix("{\"process\":11"), "\(json)")
    _ = try folder.show(MadeCore.bytes)
    #expect(try signalbox("").status == 0)
  }
}
