// ELFReader.swift: the layout of ELF files, of programs, libraries and core dumps, and of what a process has mapped of
// them: where which number stands, in both widths and byte orders; and their notes. Its readers say what the numbers
// mean to them. Sizes that a damaged file claims are bounded, so that reading it ends.

/// Reads the headers and tables of one file. Pure: bytes come from a closure.
package struct ELFReader {
  /// Reads at most `count` bytes from an offset on; fewer at the file's end.
  package typealias Source = (_ offset: UInt64, _ count: Int) -> [UInt8]

  /// Kinds of segments.
  package static let loadSegment: ReadNumber = 1, dynamicSegment: ReadNumber = 2, interpreterSegment: ReadNumber = 3
  package static let noteSegment: ReadNumber = 4
  /// GNU's, in which the header of the unwind table lies.
  package static let unwindSegment: ReadNumber = 0x6474_e550
  /// Kinds of sections.
  package static let symbolTable: ReadNumber = 2, exportedSymbols: ReadNumber = 11
  /// The type of core dumps.
  package static let coreDump: ReadNumber = 4

  /// A part of the file as it is mapped.
  package struct Segment {
    package var type, offset, address: ReadNumber
    /// How many bytes the file has of it, and how many it takes in memory.
    package var size, memorySize: ReadNumber
  }
  /// A part of the file as linkers and debuggers see it.
  package struct Section {
    package var type, address, offset, size: ReadNumber
    /// The section that belongs to it: with a table of symbols, that of their names.
    package var link: ReadNumber
    fileprivate var name: ReadNumber
  }
  /// An entry of what the loader is to know.
  package struct DynamicEntry {
    package var tag, value: ReadNumber
  }

  package let is64: Bool
  /// Whether the lowest byte of a number comes first.
  package let isLittle: Bool
  package let machine: UInt16
  package let type: ReadNumber
  private let header: [UInt8]
  private let source: Source
  /// No table of which all is read is longer.
  private let mostBytes: Int
  /// No section's name is longer.
  private static let longestName = 256

  /// nil: the bytes are no ELF file's.
  ///
  /// - Parameter mostBytes: no table is read further.
  package init?(mostBytes: Int = 1 << 20, _ source: @escaping Source) {
    let header = source(0, 64)
    guard header.count >= 52, header.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { return nil }
    guard (1...2).contains(header[4]), (1...2).contains(header[5]) else { return nil }
    (is64, isLittle) = (header[4] == 2, header[5] == 1)
    guard header.count >= (is64 ? 64 : 52) else { return nil }
    (self.header, self.source, self.mostBytes) = (header, source, mostBytes)
    type = Self.number(header, 16, 2, isLittle)
    machine = Self.number(header, 18, 2, isLittle).lowest(UInt16.self)
  }

  // MARK: numbers

  private static func number(_ bytes: [UInt8], _ start: Int, _ width: Int, _ isLittle: Bool) -> ReadNumber {
    guard start >= 0, start <= bytes.count - width else { return 0 }
    let field = bytes[start..<start + width]
    return ReadNumber(isLittle ? field.reversed().reduce(0) { $0 << 8 | UInt64($1) } : field.reduce(0) { $0 << 8 | UInt64($1) })
  }
  private func number(_ bytes: [UInt8], _ start: Int, _ width: Int) -> ReadNumber {
    Self.number(bytes, start, width, isLittle)
  }
  /// A field whose place and width depend on the file's.
  private func word(_ bytes: [UInt8], at64: Int, at32: Int) -> ReadNumber {
    is64 ? number(bytes, at64, 8) : number(bytes, at32, 4)
  }
  private func half(_ at64: Int, at32: Int) -> ReadNumber { number(header, is64 ? at64 : at32, 2) }

  package func bytes(_ offset: ReadNumber, _ size: ReadNumber) -> [UInt8] { source(offset.bits, size.int(upTo: mostBytes)) }

  /// The bytes up to the zero; at most 4096.
  package func string(_ offset: ReadNumber) -> [UInt8] { Array(source(offset.bits, 4096).prefix { $0 != 0 }) }

  /// The entries that the file has, none of them shorter than the fields that are read of it.
  private func table(start: ReadNumber, width: ReadNumber, count: ReadNumber) -> [[UInt8]] {
    guard width >= (is64 ? 56 : 32), start > 0 else { return [] }
    let all = bytes(start, width * count), width = width.int(upTo: 0xFFFF)
    return stride(from: 0, to: all.count - width + 1, by: width).map { Array(all[$0..<$0 + width]) }
  }

  // MARK: segments

  /// How many segments there are said to be.
  package var segmentCount: ReadNumber {
    let count = half(56, at32: 44)
    // More than the field holds: the number stands in the first section's header.
    return count == 0xFFFF ? number(source(word(header, at64: 40, at32: 32).bits, 64), is64 ? 44 : 28, 4) : count
  }

  /// Those that the file has.
  package var segments: [Segment] {
    table(start: word(header, at64: 32, at32: 28), width: half(54, at32: 42), count: segmentCount).map { entry in
      Segment(
        type: number(entry, 0, 4), offset: word(entry, at64: 8, at32: 4), address: word(entry, at64: 16, at32: 8),
        size: word(entry, at64: 32, at32: 16), memorySize: word(entry, at64: 40, at32: 20))
    }
  }

  package func fileOffset(of address: ReadNumber, in segments: [Segment]) -> ReadNumber? {
    segments.first { $0.type == Self.loadSegment && address >= $0.address && address - $0.address < $0.size }
      .map { address - $0.address + $0.offset }
  }

  package func dynamicEntries(_ segment: Segment) -> [DynamicEntry] {
    let width = is64 ? 16 : 8, all = bytes(segment.offset, segment.size)
    var entries: [DynamicEntry] = []
    for start in stride(from: 0, to: all.count - width + 1, by: width) {
      let entry = DynamicEntry(tag: number(all, start, width / 2), value: number(all, start + width / 2, width / 2))
      if entry.tag == 0 { break }
      entries.append(entry)
    }
    return entries
  }

  /// The notes of a segment.
  package func notes(_ segment: Segment) -> ELFNotes { ELFNotes(bytes(segment.offset, segment.size), isLittle: isLittle) }

  /// The build ID, as the first segment of notes has it that has one.
  package var buildID: [UInt8]? {
    for segment in segments where segment.type == Self.noteSegment {
      if let found = notes(segment).buildID { return found }
    }
    return nil
  }

  // MARK: sections

  package var sections: [Section] {
    table(start: word(header, at64: 40, at32: 32), width: half(58, at32: 46), count: half(60, at32: 48)).map { entry in
      Section(
        type: number(entry, 4, 4), address: word(entry, at64: 16, at32: 12), offset: word(entry, at64: 24, at32: 16),
        size: word(entry, at64: 32, at32: 20), link: number(entry, is64 ? 40 : 24, 4), name: number(entry, 0, 4))
    }
  }

  /// The contents of the first section of that name, empty if there is none; as far as a table is read.
  package func section(named name: String) -> [UInt8] {
    header(ofSection: name).map { bytes($0.offset, $0.size) } ?? []
  }

  /// The first section of that name.
  package func header(ofSection name: String) -> Section? {
    sectionNames.firstIndex { $0.elementsEqual(name.utf8) }.map { sections[$0] }
  }

  package var sectionNames: [[UInt8]] {
    let sections = sections
    guard let names = sections[at: half(62, at32: 50)] else { return [] }
    let all = bytes(names.offset, names.size)
    return sections.map { section in
      Array(all.dropFirst(section.name.int(upTo: all.count)).prefix(Self.longestName).prefix { $0 != 0 })
    }
  }
}

// MARK: notes: a name, a kind and contents, one behind the other

/// Notes in a row of bytes, as far as they are whole.
package struct ELFNotes: Sequence, IteratorProtocol {
  /// One note.
  package struct Note {
    package let name: ArraySlice<UInt8>
    package let type: ReadNumber
    /// Its indices are those of all the bytes.
    package let contents: ArraySlice<UInt8>
  }

  private var rest: ArraySlice<UInt8>
  private let isLittle: Bool
  /// What was left behind the last note is none that is whole.
  package private(set) var isBroken = false

  package init(_ bytes: [UInt8], isLittle: Bool = true) { (rest, self.isLittle) = (bytes[...], isLittle) }

  /// The sizes of name and contents, the type; then both, each up to a place that four divides.
  package mutating func next() -> Note? {
    func number(_ place: Int) -> ReadNumber {
      let field = rest.dropFirst(place).prefix(4)
      return ReadNumber(
        isLittle ? field.reversed().reduce(0) { $0 << 8 | UInt64($1) } : field.reduce(0) { $0 << 8 | UInt64($1) })
    }
    func whole(_ size: ReadNumber) -> ReadNumber { (size + 3) / 4 * 4 }
    guard rest.count >= 12, rest.prefix(12).contains(where: { $0 != 0 }) else {
      // What follows the last is zeros.
      isBroken = rest.contains { $0 != 0 }
      return nil
    }
    let nameSize = number(0), size = number(4), names = whole(nameSize)
    guard names + size <= ReadNumber(count: rest.count - 12) else {
      isBroken = true
      return nil
    }
    let name = rest.dropFirst(12).first(nameSize), behind = rest.dropFirst(12).dropFirst(names.int(upTo: rest.count))
    let note = Note(name: name, type: number(8), contents: behind.first(size))
    rest = behind.dropFirst(whole(size).int(upTo: behind.count))
    return note
  }

  /// No build ID is longer.
  private static let longestBuildID: ReadNumber = 64

  /// The build ID among them.
  package var buildID: [UInt8]? {
    first { $0.type == 3 && ReadNumber(count: $0.contents.count) <= Self.longestBuildID && $0.name.elementsEqual("GNU\0".utf8) }
      .map { Array($0.contents) }
  }
}
