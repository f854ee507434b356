// ELFNotes.swift: notes of ELF files: a name, a kind and contents, one behind the other. Where a file has them is
// ELFReader.swift.

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
