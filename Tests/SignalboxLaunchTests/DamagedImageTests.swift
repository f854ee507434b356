// DamagedImageTests.swift: programs and libraries with words that no linker writes, and cut off: reading ends, and
// takes no more than there is.
import SignalboxSystem
import Testing

@testable import SignalboxLaunch

@Suite("Damaged programs and libraries") struct DamagedImageTests {
  private static let wild: [UInt64] = [0, 1, .max, 1 << 63, .max / 2]

  /// A library with a loader, a build ID, a library that it needs, a function and sections.
  private static let whole: [UInt8] = {
    var bytes = [UInt8](repeating: 0, count: 0x500)
    func put(_ values: [(Int, Int, UInt64)], from start: Int = 0) {
      for (place, width, value) in values {
        for index in 0..<width { bytes[start + place + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8)) }
      }
    }
    bytes.replaceSubrange(0..<7, with: [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
    put([(16, 2, 3), (18, 2, 62), (32, 8, 64), (40, 8, 0x300), (54, 2, 56), (56, 2, 4), (58, 2, 64), (60, 2, 5), (62, 2, 1)])
    // Type, place in the file, address, size: what is loaded, the loader, notes, what is needed.
    for (number, words) in [[1, 0, 0, 0x500], [3, 0x150, 0x150, 8], [4, 0x160, 0x160, 36], [2, 0x190, 0x190, 64]].enumerated() {
      put(
        [(0, 4, words[0]), (8, 8, words[1]), (16, 8, words[2]), (32, 8, words[3])].map { ($0.0, $0.1, UInt64($0.2)) },
        from: 64 + number * 56)
    }
    bytes.replaceSubrange(0x150..<0x158, with: Array("/lib/ld\0".utf8))
    put([(0, 4, 4), (4, 4, 20), (8, 4, 3)], from: 0x160)
    bytes.replaceSubrange(0x16C..<0x170, with: Array("GNU\0".utf8))
    for place in 0..<20 { bytes[0x170 + place] = UInt8(place + 1) }
    put([(0, 8, 1), (8, 8, 1), (16, 8, 5), (24, 8, 0x200), (32, 8, 29), (40, 8, 9)], from: 0x190)
    bytes.replaceSubrange(0x201..<0x209, with: Array("libc.so\0".utf8))
    bytes.replaceSubrange(0x209..<0x20F, with: Array("/some\0".utf8))
    bytes.replaceSubrange(0x240..<0x24F, with: Array("\0swift5_t\0func\0".utf8))
    // A symbol: its name, that it is a function, where it begins, how long it is.
    put([(0, 4, 10), (4, 1, 0x12), (8, 8, 0x40), (16, 8, 0x20)], from: 0x280)
    // Sections: none, names, of Swift's, symbols with names in the first, notes of compilers.
    for (number, words) in [
      [0, 0, 0, 0, 0], [0, 3, 0x240, 15, 0], [1, 1, 0x280, 24, 0], [0, 2, 0x280, 24, 1], [0, 1, 0x200, 32, 0],
    ].enumerated() {
      put(
        [(0, 4, words[0]), (4, 4, words[1]), (24, 8, words[2]), (32, 8, words[3]), (40, 4, words[4])].map {
          ($0.0, $0.1, UInt64($0.2))
        },
        from: 0x300 + number * 64)
    }
    return bytes
  }()

  /// Reads it in both ways.
  private func read(_ bytes: [UInt8], _ file: String) throws -> (image: ElfImage?, names: [String]) {
    let image = ElfImage { offset, count in
      Array(bytes.dropFirst(ReadNumber(offset).int(upTo: bytes.count)).prefix(max(0, count)))
    }
    try PrivateFile.replace(file) { write in _ = write(bytes) }
    var names: [String] = []
    let places = ["0x50", "0", "0xffffffffffffffff", "9223372036854775808"].map { SymbolQuestion(line: "\(file) \($0)") }
    Symbolication.byTables.answer(places) { names.append($0.text) }
    return (image, names)
  }

  @Test("The made library is read")
  func theWhole() throws {
    let folder = try TemporaryFolder(), found = try read(Self.whole, folder.path + "/image"), image = try #require(found.image)
    #expect(
      image.interpreter?.description.hasPrefix("/lib/ld") == true && image.needed == ["libc.so"] && image.pathBehind == "/some")
    #expect(image.buildID == "0102030405060708090a0b0c0d0e0f1011121314" && image.holdsSwift)
    #expect(found.names == ["func", "?", "?", "?"])
  }

  @Test("Each word in turn is wild", arguments: wild)
  func eachWord(wild: UInt64) throws {
    let folder = try TemporaryFolder()
    for place in stride(from: 0, to: Self.whole.count, by: 4) where Self.whole[place..<place + 4].contains(where: { $0 != 0 }) {
      var bytes = Self.whole
      for index in 0..<min(8, bytes.count - place) {
        bytes[place + index] = UInt8(truncatingIfNeeded: wild >> UInt64(index * 8))
      }
      #expect(try read(bytes, folder.path + "/image").names.count == 4)
    }
  }

  @Test("Words at random are others, and the file is cut off anywhere", arguments: [3, 5] as [UInt64])
  func random(seed: UInt64) throws {
    var random = SmallRandom(seed: seed)
    let folder = try TemporaryFolder()
    for _ in 0..<200 {
      var bytes = Self.whole
      for _ in 0...random.next() % 4 {
        let place = Int(random.next() % UInt64(bytes.count - 8)), word = random.next() >> (random.next() % 64)
        for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: word >> UInt64(index * 8)) }
      }
      #expect(try read(bytes, folder.path + "/image").names.count == 4)
      #expect(try read(Array(bytes.prefix(Int(random.next() % UInt64(bytes.count)))), folder.path + "/image").names.count == 4)
    }
  }

  @Test("Names without an end, in as many sections as there can be, take no more than names have")
  func longNames() throws {
    var bytes = [UInt8](repeating: 0x61, count: 0x10_0000)
    bytes.replaceSubrange(0..<64, with: Self.whole[..<64])
    for (place, width, value) in [(40, 8, 64), (58, 2, 64), (60, 2, 0xFFFF), (62, 2, 0)] {
      for index in 0..<width { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (index * 8)) }
    }
    for place in stride(from: 64, to: bytes.count, by: 64) {
      bytes.replaceSubrange(
        place..<min(place + 40, bytes.count), with: [UInt8](repeating: 0, count: min(40, bytes.count - place)))
      for index in 0..<4 { bytes[place + 32 + index] = index == 2 ? 0x10 : 0 }
    }
    let file = bytes
    let reader = try #require(ELFReader { offset, count in Array(file.dropFirst(Int(clamping: offset)).prefix(count)) })
    let names = reader.sectionNames
    #expect(names.count > 16_000 && names.reduce(0) { $0 + $1.count } <= names.count * 256)
  }

  @Test("A count that was read takes no memory for what is not there")
  func wildCounts() throws {
    let folder = try TemporaryFolder(), path = try folder.file("short", "words")
    let file = try FileBytes(RawString(path))
    #expect(file.read(at: 0, count: .max) == Array("words".utf8) && file.read(at: .max, count: .max).isEmpty)
    #expect(file.read(at: UInt64(Int.max), count: .max).isEmpty && file.read(at: 3, count: 1 << 40) == Array("ds".utf8))
    var long = [UInt8](repeating: 7, count: 5_000_000)
    for place in stride(from: 0, to: long.count, by: 1_000) { long[place] = UInt8(truncatingIfNeeded: place / 1_000) }
    try PrivateFile.replace(folder.path + "/long") { write in _ = write(long) }
    let other = try FileBytes(RawString(folder.path + "/long"))
    for (start, count) in [
      (0, Int.max), (1, 4_999_999), (7, 3 << 20), (0, 1 << 20), (0, (1 << 20) + 1), (3_000_000, 4_000_000),
    ] {
      #expect(other.read(at: UInt64(start), count: count) == Array(long.dropFirst(start).prefix(count)))
    }
  }

  @Test("A file's name with a line's end in it is no second question to the symbolizer")
  func lines() throws {
    let folder = try TemporaryFolder(), odd = folder.path + "/a\nb"
    try PrivateFile.replace(odd) { write in _ = write(Self.whole) }
    var names: [String] = []
    let questions = ["\(odd) 0x50", "\(folder.path)/none 0x50"].map { SymbolQuestion(line: $0) }
    Symbolication(symbolizer: "/bin/cat").answer(questions) { names.append($0.text) }
    #expect(names == ["func", "?"])
  }
}
