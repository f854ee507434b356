// WholeImage.swift: a small program in the form of ELF, with all that its readers ask for: a loader, libraries, a build
// ID, a note of the compiler, sections of Swift's, functions.
enum WholeImage {
  /// Where its parts lie.
  private static let notes = 0x200, dynamic = 0x280, strings = 0x380, symbols = 0x480, comment = 0x580, sectionNames = 0x680
  private static let sections = 0x800, size = 0xC00

  static let bytes: [UInt8] = {
    var file = [UInt8](repeating: 0, count: size)
    head(&file)
    file.put(Array("/lib/loader.so\0".utf8), at: 0x1C0)
    // A build ID of eight bytes.
    file.put([4, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0] + Array("GNU\0".utf8) + [1, 2, 3, 4, 5, 6, 7, 8], at: notes)
    let texts = Array("\0libone.so\0libtwo.so\0/opt/one\0/opt/two\0main\0$s4main3runyyF\0_ZN3one3twoEv\0".utf8)
    file.put(texts, at: strings)
    func text(_ word: String) -> UInt64 {
      let wanted = Array(word.utf8) + [0]
      return UInt64((0..<texts.count - wanted.count + 1).first { texts[$0..<$0 + wanted.count].elementsEqual(wanted) } ?? 0)
    }
    let entries: [(UInt64, UInt64)] = [
      (1, text("libone.so")), (1, text("libtwo.so")), (15, text("/opt/one")), (29, text("/opt/two")), (5, UInt64(strings)),
      (0, 0),
    ]
    for (place, entry) in entries.enumerated() {
      file.put(entry.0, at: dynamic + place * 16)
      file.put(entry.1, at: dynamic + place * 16 + 8)
    }
    let functions = ["main", "$s4main3runyyF", "_ZN3one3twoEv"]
    for (place, name) in functions.enumerated() {
      let symbol = symbols + (place + 1) * 24
      file.put(text(name), 4, at: symbol)
      file.put(0x12, 1, at: symbol + 4)
      file.put(UInt64(0x1000 + place * 0x40), at: symbol + 8)
      file.put(0x40, at: symbol + 16)
    }
    let compiler = "\0clang version 21.0.0 (https://github.com/swiftlang/llvm-project.git 0123456789abcdef)\0"
    file.put(Array(compiler.utf8), at: comment)
    table(&file)
    return file
  }()

  private static func head(_ file: inout [UInt8]) {
    file.put([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], at: 0)
    file.put(3, 2, at: 16)
    file.put(62, 2, at: 18)
    file.put(1, 4, at: 20)
    file.put(0x1000, at: 24)
    file.put(64, at: 32)
    file.put(UInt64(sections), at: 40)
    for (place, value) in [64, 56, 4, 64, 7, 6].enumerated() { file.put(UInt64(value), 2, at: 52 + place * 2) }
    let segments: [(type: UInt64, offset: Int, size: Int)] = [(3, 0x1C0, 15), (1, 0, 0x2000), (4, notes, 24), (2, dynamic, 96)]
    for (place, segment) in segments.enumerated() {
      let entry = 64 + place * 56
      file.put(segment.type, 4, at: entry)
      file.put(UInt64(segment.offset), at: entry + 8)
      file.put(UInt64(segment.offset), at: entry + 16)
      file.put(UInt64(segment.size), at: entry + 32)
      file.put(UInt64(segment.size), at: entry + 40)
    }
  }

  private static func table(_ file: inout [UInt8]) {
    let names = Array("\0.symtab\0.strtab\0.comment\0swift5_types\0.text\0.shstrtab\0".utf8)
    file.put(names, at: sectionNames)
    let list: [(name: Int, type: UInt64, offset: Int, size: Int, link: UInt64)] = [
      (0, 0, 0, 0, 0), (1, 2, symbols, 96, 2), (9, 3, strings, 0x100, 0), (17, 1, comment, 0x60, 0), (26, 1, 0x700, 16, 0),
      (39, 1, 0x700, 16, 0), (45, 3, sectionNames, names.count, 0),
    ]
    for (place, section) in list.enumerated() {
      let entry = sections + place * 64
      file.put(UInt64(section.name), 4, at: entry)
      file.put(section.type, 4, at: entry + 4)
      file.put(UInt64(section.offset), at: entry + 24)
      file.put(UInt64(section.size), at: entry + 32)
      file.put(section.link, 4, at: entry + 40)
    }
  }
}
