// ImageFunctions.swift: which functions places in a loaded file belong to, by the symbol table in the file: names without files and
// lines, asked of nobody. What those names mean to people is SymbolNames.swift.
import Glibc

/// The functions of programs and libraries of this machine's kind.
public enum ImageFunctions {
  /// A function, as the compiler wrote its name, and how far behind its beginning the place lies.
  public struct Found: Sendable, Equatable {
    /// The name.
    public let name: String
    /// Bytes.
    public let distance: UInt64
  }

  /// The functions at `offsets`, distances from where the image of the file at `path` begins in memory; nil for what no function
  /// covers, and for all if the file is no such image.
  ///
  /// - Complexity: O(symbols in the file). The file is read, nothing else: neither the loader nor another process is asked.
  public static func at(_ offsets: [UInt64], in path: String) -> [Found?] {
    Image(path)?.found(at: offsets, .function) ?? offsets.map { _ in nil }
  }

  /// The names in the symbol table of the file at `path` that hold `word`; none if the file has no such table.
  ///
  /// - Complexity: O(bytes of all names).
  public static func names(holding word: String, in path: String) -> [String] { Image(path)?.names(holding: word) ?? [] }

  /// Where the symbols of these names lie, as distances from where the image begins in memory; those that the file has.
  /// Of what each thread has for itself, the distance from where the file's part of a thread's memory begins.
  ///
  /// - Complexity: O(symbols in the file).
  package static func places(ofSymbols names: Set<String>, in path: String) -> [String: UInt64] {
    Image(path)?.places(ofSymbols: names) ?? [:]
  }

  /// The variable at `offset`, as `at(_:in:)` finds functions; nil if no symbol of one covers it.
  package static func variable(at offset: UInt64, in path: String) -> String? {
    Image(path)?.found(at: [offset], .variable)[0]?.name
  }

  /// The types of symbols by which places are found, as ELF numbers them.
  private enum SymbolType: UInt8 { case variable = 1, function = 2 }

  /// Where the section of that name lies, from the image's beginning on; nil if the file has none.
  package static func section(_ name: String, in path: String) -> Range<UInt64>? { Image(path)?.section(name) }

  /// The address that the file's own numbers give to the image's beginning: 0 for libraries and most programs; nil if the file is no
  /// such image.
  public static func base(of path: String) -> ReadNumber? { Image(path)?.base }

  /// How many bytes of memory the image takes, from its beginning to the end of its last part; nil if the file is no such image.
  public static func extent(of path: String) -> ReadNumber? { Image(path)?.extent }

  /// Bytes of which numbers are read; what lies behind their end is 0.
  private struct Bytes {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of that type at a place.
    @inline(__always)
    func number<T: FixedWidthInteger & BitwiseCopyable>(_ place: Int, as type: T.Type = UInt64.self) -> ReadNumber {
      guard place >= 0, place <= bytes.count - MemoryLayout<T>.size else { return 0 }
      return ReadNumber(UInt64(truncatingIfNeeded: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: type) }))
    }
  }

  /// What of an ELF file with 64-bit words in this machine's order is of use here.
  private struct Image {
    let file: FileBytes
    let base: ReadNumber
    let extent: ReadNumber
    private let reader: ELFReader
    private static let symbolSize = 24
    /// No table of parts is longer; no table of symbols is.
    private static let mostBytes = 16 << 20, mostSymbols = 1 << 28

    init?(_ path: String) {
      guard let file = try? FileBytes(RawString(path)),
        let reader = ELFReader(mostBytes: Self.mostBytes, { file.read(at: $0, count: $1) }), reader.is64, reader.isLittle
      else { return nil }
      let loaded = reader.segments.filter { $0.type == ELFReader.loadSegment }
      guard let lowest = loaded.map(\.address).min() else { return nil }
      // The loader maps whole pages.
      let base = lowest & ~ReadNumber(UInt64(Threads.pageSize - 1))
      (self.file, self.reader, self.base) = (file, reader, base)
      extent = (loaded.map { $0.address + $0.memorySize }.max() ?? base) - base
    }

    /// All symbols, and where their names lie: of the whole table where the file has one, else of the exported ones.
    private func symbols() -> (table: Bytes, names: ReadNumber)? {
      tables().map { entries, names in
        (Bytes(file.read(at: entries.offset.bits, count: entries.size.int(upTo: Self.mostSymbols))), names.offset)
      }
    }

    /// What the file says of that table, and of the one with its names.
    private func tables() -> (symbols: ELFReader.Section, names: ELFReader.Section)? {
      let sections = reader.sections
      func find(_ type: ReadNumber) -> ELFReader.Section? { sections.first { $0.type == type } }
      guard let found = find(ELFReader.symbolTable) ?? find(ELFReader.exportedSymbols), let names = sections[at: found.link]
      else { return nil }
      return (found, names)
    }

    func section(_ name: String) -> Range<UInt64>? {
      guard let section = reader.header(ofSection: name) else { return nil }
      let start = section.address - base
      let end = start + section.size
      return start.bits < end.bits ? start.bits..<end.bits : nil
    }

    func names(holding word: String) -> [String] {
      guard let names = tables()?.names, !word.isEmpty else { return [] }
      let bytes = file.read(at: names.offset.bits, count: names.size.int(upTo: Self.mostSymbols))
      let word = Array(word.utf8)
      var found: [String] = [], place = 0
      bytes.withUnsafeBytes { all in
        // SAFETY: what is searched and compared lies within the bytes.
        while let base = all.baseAddress, place <= all.count - word.count,
          let hit = memchr(base + place, Int32(word[0]), all.count - word.count - place + 1)
        {
          let middle = UnsafeRawPointer(hit) - base
          place = middle + 1
          guard memcmp(base + middle, word, word.count) == 0 else { continue }
          let start = all[..<middle].lastIndex(of: 0).map { $0 + 1 } ?? 0
          place = all[middle...].firstIndex(of: 0) ?? all.count
          if let name = String(validating: all[start..<place], as: UTF8.self) { found.append(name) }
        }
      }
      return found
    }

    func places(ofSymbols wanted: Set<String>) -> [String: UInt64] {
      guard let (entries, names) = tables() else { return [:] }
      let table = Bytes(file.read(at: entries.offset.bits, count: entries.size.int(upTo: Self.mostSymbols)))
      let texts = file.read(at: names.offset.bits, count: names.size.int(upTo: Self.mostSymbols))
      let bytes = Dictionary(wanted.map { (Array($0.utf8), $0) }, uniquingKeysWith: { $1 }),
        longest = wanted.map(\.utf8.count).max() ?? 0
      var found: [String: UInt64] = [:]
      for symbol in stride(from: 0, to: table.bytes.count - Self.symbolSize + 1, by: Self.symbolSize) {
        let value = table.number(symbol + 8), start = table.number(symbol, as: UInt32.self).int(upTo: texts.count)
        // Such a distance may be 0; a symbol of another file is in no section.
        let isOfThread = table.bytes[symbol + 4] & 0xF == 6 && table.number(symbol + 6, as: UInt16.self) != 0
        guard value != 0 || isOfThread, start < texts.count else { continue }
        let name = texts[start...].prefix(longest + 1).prefix { $0 != 0 }
        if let known = bytes[Array(name)] { found[known] = isOfThread ? value.bits : (value - base).bits }
      }
      return found
    }

    func found(at offsets: [UInt64], _ type: SymbolType) -> [Found?] {
      guard let (table, names) = symbols() else { return offsets.map { _ in nil } }
      let wanted = offsets.map { base + ReadNumber($0) }, sorted = Array(Set(wanted)).sorted()
      let nearest = Dictionary(
        zip(sorted, nearestSymbols(before: sorted, table, type)), uniquingKeysWith: { first, _ in first })
      return wanted.map { address in
        guard let symbol = nearest[address] ?? nil else { return nil }
        let distance = address - table.number(symbol + 8), size = table.number(symbol + 16)
        // Hand-written code says no size.
        guard distance < (size == 0 ? 4096 : size) else { return nil }
        let place = names + table.number(symbol, as: UInt32.self)
        let name = file.read(at: place.bits, count: 4096).prefix { $0 != 0 }
        return String(validating: name, as: UTF8.self).map { Found(name: $0, distance: distance.bits) }
      }
    }

    /// Where in the table the last symbol of that type stands that begins at or before each address; the addresses are
    /// in their order.
    private func nearestSymbols(before sorted: [ReadNumber], _ table: Bytes, _ type: SymbolType) -> [Int?] {
      // The best of those that lie behind the address before; then the best of all.
      var found: [(start: ReadNumber, symbol: Int)?] = sorted.map { _ in nil }
      table.bytes.withUnsafeBytes { bytes in
        for symbol in stride(from: 0, to: bytes.count - Self.symbolSize + 1, by: Self.symbolSize)
        where bytes[symbol + 4] & 0xF == type.rawValue {
          let start = ReadNumber(bytes.loadUnaligned(fromByteOffset: symbol + 8, as: UInt64.self))
          guard start != 0 else { continue }
          var low = 0, high = sorted.count
          while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < start { low = middle + 1 } else { high = middle }
          }
          if low < sorted.count, found[low].map({ $0.start < start }) ?? true { found[low] = (start, symbol) }
        }
      }
      var last: Int?
      return found.map { place in
        last = place?.symbol ?? last
        return last
      }
    }
  }
}
