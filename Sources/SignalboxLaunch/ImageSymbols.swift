// ImageSymbols.swift: the functions of one program or library by the symbol table in its file: names, without files and lines.
// The tool that knows those is asked by Symbolication.swift.
import SignalboxSystem

/// Where the functions of an image begin.
struct ImageSymbols {
  /// The address that the file's own numbers give to the image's beginning: 0 for libraries and most programs.
  let base: UInt64
  private let functions: [ElfReader.Symbol]
  private let name: (ElfReader.Symbol) -> [UInt8]

  /// Reads an ELF file; nil if the bytes are none.
  init?(_ source: @escaping ElfImage.Source) {
    guard let reader = ElfReader(source) else { return nil }
    // The loader maps whole pages.
    base = (reader.segments.filter { $0.type == ElfReader.loadSegment }.map(\.address).min() ?? 0) & ~0xFFF
    let found = reader.functions
    functions = found?.symbols.sorted { $0.address < $1.address } ?? []
    let names = found?.names ?? 0
    name = { reader.string(names &+ $0.name) }
  }

  /// The function at `offset` from the image's beginning, as the compiler wrote its name.
  func function(at offset: UInt64) -> String? {
    let address = base &+ offset
    var low = 0, high = functions.count
    while low < high {
      let middle = (low + high) / 2
      if functions[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let found = functions[low - 1]
    guard found.size == 0 || address - found.address < found.size else { return nil }
    return String(validating: name(found), as: UTF8.self)
  }
}
