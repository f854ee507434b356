// ElfReader.swift: the layout of ELF files: where which number stands, in both widths and byte orders. What the numbers mean
// to us is ElfImage.swift. Sizes that a damaged file claims are bounded, so that reading it ends.
import SignalboxSystem

struct ElfReader {
  static let interpreterSegment: ReadNumber = 3
  static let dynamicSegment: ReadNumber = 2
  static let noteSegment: ReadNumber = 4
  static let loadSegment: ReadNumber = 1
  static let neededTag: ReadNumber = 1, stringTable: ReadNumber = 5, rPathTag: ReadNumber = 15, runPathTag: ReadNumber = 29
  static let buildIDNote: ReadNumber = 3
  /// No segment or table of which all is read is longer; no section's name, no build ID is.
  private static let mostBytes = 1 << 20, longestName = 256, longestBuildID: ReadNumber = 64

  struct Segment {
    var type: ReadNumber
    var offset: ReadNumber
    var address: ReadNumber
    var size: ReadNumber
  }

  struct DynamicEntry {
    var tag: ReadNumber
    var value: ReadNumber
  }

  let is64: Bool
  let machine: UInt16
  private let isLittle: Bool
  private let header: [UInt8]
  private let source: ElfImage.Source

  init?(_ source: @escaping ElfImage.Source) {
    let header = source(0, 64)
    guard header.count >= 52, header.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { return nil }
    guard (1...2).contains(header[4]), (1...2).contains(header[5]) else { return nil }
    is64 = header[4] == 2
    isLittle = header[5] == 1
    guard header.count >= (is64 ? 64 : 52) else { return nil }
    self.header = header
    self.source = source
    machine = Self.number(header, 18, 2, isLittle: isLittle).lowest(UInt16.self)
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ width: Int, isLittle: Bool) -> ReadNumber {
    guard start >= 0, start <= bytes.count - width else { return 0 }
    let field = bytes[start..<start + width]
    return ReadNumber(isLittle ? field.reversed().reduce(0) { $0 << 8 | UInt64($1) } : field.reduce(0) { $0 << 8 | UInt64($1) })
  }
  private func number(_ bytes: [UInt8], _ start: Int, _ width: Int) -> ReadNumber {
    Self.number(bytes, start, width, isLittle: isLittle)
  }
  /// A field whose place and width depend on the file's.
  private func word(_ bytes: [UInt8], at64: Int, at32: Int) -> ReadNumber {
    is64 ? number(bytes, at64, 8) : number(bytes, at32, 4)
  }

  func bytes(_ offset: ReadNumber, _ size: ReadNumber) -> [UInt8] { source(offset.bits, size.int(upTo: Self.mostBytes)) }

  /// The bytes up to the zero; at most 4096.
  func string(_ offset: ReadNumber) -> [UInt8] { Array(source(offset.bits, 4096).prefix { $0 != 0 }) }

  var segments: [Segment] {
    table(
      start: word(header, at64: 32, at32: 28), width: number(header, is64 ? 54 : 42, 2),
      count: number(header, is64 ? 56 : 44, 2)
    )
    .map { entry in
      Segment(
        type: number(entry, 0, 4), offset: word(entry, at64: 8, at32: 4), address: word(entry, at64: 16, at32: 8),
        size: word(entry, at64: 32, at32: 16))
    }
  }

  /// The entries that the file has, none of them shorter than the fields that are read of it.
  private func table(start: ReadNumber, width: ReadNumber, count: ReadNumber) -> [[UInt8]] {
    guard width >= (is64 ? 56 : 32), start > 0 else { return [] }
    let all = bytes(start, width * count), width = width.int(upTo: 0xFFFF)
    return stride(from: 0, to: all.count - width + 1, by: width).map { Array(all[$0..<$0 + width]) }
  }

  func dynamicEntries(_ segment: Segment) -> [DynamicEntry] {
    let width = is64 ? 16 : 8
    let all = bytes(segment.offset, segment.size)
    var entries: [DynamicEntry] = []
    for start in stride(from: 0, to: all.count - width + 1, by: width) {
      let entry = DynamicEntry(tag: number(all, start, width / 2), value: number(all, start + width / 2, width / 2))
      if entry.tag == 0 { break }
      entries.append(entry)
    }
    return entries
  }

  func fileOffset(of address: ReadNumber, in segments: [Segment]) -> ReadNumber? {
    segments.first { $0.type == Self.loadSegment && address >= $0.address && address - $0.address < $0.size }
      .map { address - $0.address + $0.offset }
  }

  /// The build ID among the notes of a segment.
  func buildID(_ segment: Segment) -> String? {
    let all = bytes(segment.offset, segment.size)
    func whole(_ size: ReadNumber) -> Int { ((size + 3) / 4 * 4).int(upTo: all.count) }
    var place = 0
    while place <= all.count - 12 {
      let nameSize = number(all, place, 4), size = number(all, place + 4, 4), type = number(all, place + 8, 4)
      let name = all[(place + 12)...], contents = name.dropFirst(whole(nameSize))
      guard size <= ReadNumber(count: contents.count) else { return nil }
      if type == Self.buildIDNote, size <= Self.longestBuildID, name.first(nameSize).elementsEqual("GNU\0".utf8) {
        return contents.first(size).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
      place = contents.startIndex + whole(size)
    }
    return nil
  }

  private var sections: [[UInt8]] {
    table(
      start: word(header, at64: 40, at32: 32), width: number(header, is64 ? 58 : 46, 2),
      count: number(header, is64 ? 60 : 48, 2))
  }

  /// The contents of the first section of that name, empty if there is none; at most a megabyte.
  func section(named name: String) -> [UInt8] {
    guard let index = sectionNames.firstIndex(where: { $0.elementsEqual(name.utf8) }) else { return [] }
    let section = sections[index]
    return bytes(word(section, at64: 24, at32: 16), word(section, at64: 32, at32: 20))
  }

  var sectionNames: [[UInt8]] {
    let sections = sections
    guard let names = sections[at: number(header, is64 ? 62 : 50, 2)] else { return [] }
    let all = bytes(word(names, at64: 24, at32: 16), word(names, at64: 32, at32: 20))
    return sections.map { section in
      Array(all.dropFirst(number(section, 0, 4).int(upTo: all.count)).prefix(Self.longestName).prefix { $0 != 0 })
    }
  }
}
