// ElfReader.swift: the layout of ELF files: where which number stands, in both widths and byte orders. What the numbers mean
// to us is ElfImage.swift. Sizes that a damaged file claims are bounded, so that reading it ends.

struct ElfReader {
  static let interpreterSegment: UInt32 = 3
  static let dynamicSegment: UInt32 = 2
  static let noteSegment: UInt32 = 4
  static let loadSegment: UInt32 = 1
  static let neededTag: UInt64 = 1, stringTable: UInt64 = 5, rPathTag: UInt64 = 15, runPathTag: UInt64 = 29
  static let buildIDNote: UInt64 = 3

  struct Segment {
    var type: UInt32
    var offset: UInt64
    var address: UInt64
    var size: UInt64
  }

  struct DynamicEntry {
    var tag: UInt64
    var value: UInt64
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
    machine = UInt16(Self.number(header, 18, 2, isLittle: isLittle))
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ width: Int, isLittle: Bool) -> UInt64 {
    guard start >= 0, start + width <= bytes.count else { return 0 }
    let field = bytes[start..<start + width]
    return isLittle ? field.reversed().reduce(0) { $0 << 8 | UInt64($1) } : field.reduce(0) { $0 << 8 | UInt64($1) }
  }
  private func number(_ bytes: [UInt8], _ start: Int, _ width: Int) -> UInt64 {
    Self.number(bytes, start, width, isLittle: isLittle)
  }
  /// A field whose place and width depend on the file's.
  private func word(_ bytes: [UInt8], at64: Int, at32: Int) -> UInt64 {
    is64 ? number(bytes, at64, 8) : number(bytes, at32, 4)
  }

  func bytes(_ offset: UInt64, _ size: UInt64) -> [UInt8] { source(offset, Int(min(size, 1 << 20))) }

  /// The bytes up to the zero; at most 4096.
  func string(_ offset: UInt64) -> [UInt8] { Array(source(offset, 4096).prefix { $0 != 0 }) }

  var segments: [Segment] {
    table(
      start: word(header, at64: 32, at32: 28), width: number(header, is64 ? 54 : 42, 2),
      count: number(header, is64 ? 56 : 44, 2)
    )
    .map { entry in
      Segment(
        type: UInt32(number(entry, 0, 4)), offset: word(entry, at64: 8, at32: 4), address: word(entry, at64: 16, at32: 8),
        size: word(entry, at64: 32, at32: 16))
    }
  }

  private func table(start: UInt64, width: UInt64, count: UInt64) -> [[UInt8]] {
    guard width > 0, start > 0 else { return [] }
    let all = source(start, Int(min(width * count, 1 << 20)))
    return stride(from: 0, to: all.count - Int(width) + 1, by: Int(width)).map { Array(all[$0..<$0 + Int(width)]) }
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

  func fileOffset(of address: UInt64, in segments: [Segment]) -> UInt64? {
    segments.first { $0.type == Self.loadSegment && address >= $0.address && address - $0.address < $0.size }
      .map { address - $0.address &+ $0.offset }
  }

  /// The build ID among the notes of a segment.
  func buildID(_ segment: Segment) -> String? {
    let all = bytes(segment.offset, segment.size)
    var place = 0
    while place + 12 <= all.count {
      let nameSize = Int(number(all, place, 4)), size = Int(number(all, place + 4, 4)), type = number(all, place + 8, 4)
      let name = place + 12, contents = name + (nameSize + 3) / 4 * 4
      guard contents + size <= all.count else { return nil }
      if type == Self.buildIDNote, all[name..<name + nameSize].elementsEqual("GNU\0".utf8) {
        return all[contents..<contents + size].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
      place = contents + (size + 3) / 4 * 4
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
    let names = Int(number(header, is64 ? 62 : 50, 2))
    guard sections.indices.contains(names) else { return [] }
    let all = bytes(word(sections[names], at64: 24, at32: 16), word(sections[names], at64: 32, at32: 20))
    return sections.map { section in
      let start = Int(number(section, 0, 4))
      return start < all.count ? Array(all[start...].prefix { $0 != 0 }) : []
    }
  }
}
