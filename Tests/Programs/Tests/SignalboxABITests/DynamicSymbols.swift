// DynamicSymbols.swift: the names that a shared library offers, read from its section of dynamic symbols. For libraries of the
// machine the tests run on: 64 bits, little-endian.
import SignalboxSystem

struct DynamicSymbol: Hashable, Sendable {
  enum Kind: Sendable { case function, data, other }
  let name: String
  let kind: Kind
  let size: UInt64
}

/// The symbols that `library` defines and lets others use; empty if it is no such file.
func dynamicSymbols(of library: RawString) throws -> [DynamicSymbol] {
  let file = try FileBytes(library)
  func numbers(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
  func field(_ bytes: [UInt8], _ start: Int, _ width: Int) -> UInt64 {
    start + width <= bytes.count ? numbers(bytes[start..<start + width]) : 0
  }
  let header = file.read(at: 0, count: 64)
  guard header.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]) else { return [] }
  let width = Int(field(header, 58, 2)), count = Int(field(header, 60, 2))
  let table = file.read(at: field(header, 40, 8), count: width * count)
  let sections = (0..<count).map { Array(table[$0 * width..<($0 + 1) * width]) }
  func contents(_ section: [UInt8]) -> [UInt8] { file.read(at: field(section, 24, 8), count: Int(field(section, 32, 8))) }
  // SHT_DYNSYM; its link is the index of its strings.
  guard let section = sections.first(where: { field($0, 4, 4) == 11 }) else { return [] }
  let names = contents(sections[Int(field(section, 40, 4))])
  let symbols = contents(section)
  return stride(from: 0, to: symbols.count, by: 24).compactMap { start in
    let entry = Array(symbols[start..<start + 24])
    // Defined, global or weak, and visible.
    let isVisible = entry[5] & 3 == 0 || entry[5] & 3 == 3
    guard field(entry, 6, 2) != 0, [1, 2].contains(entry[4] >> 4), isVisible else { return nil }
    let name = String(decoding: names[Int(field(entry, 0, 4))...].prefix { $0 != 0 }, as: UTF8.self)
    let kind: DynamicSymbol.Kind = entry[4] & 15 == 2 ? .function : entry[4] & 15 == 1 ? .data : .other
    return DynamicSymbol(name: name, kind: kind, size: field(entry, 16, 8))
  }
}
