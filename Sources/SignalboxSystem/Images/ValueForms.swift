// ValueForms.swift: how Swift's strings and arrays lie in memory that is another process's, or may be gone. Whether
// they lie so is tried in the process itself, before it says where its labels and lists are: `isKnown`.

// MARK: the text of a string, by its two words

/// The form of strings: of 16 bytes, or behind an address.
package enum StringForm {
  /// Longer texts are cut.
  package static let longest = 1024

  /// The text of the words; `read` copies memory. Nil for a form that is not known, and for memory that is not there.
  package static func text(
    _ first: ReadNumber, _ second: ReadNumber, _ read: (_ address: ReadNumber, _ count: Int) -> [UInt8]?
  ) -> String? {
    let bytes: [UInt8]?
    switch second >> 60 {
    case 0xE, 0xA:
      // Within the words: the number of bytes stands in the last one's low half.
      let all = [first, second].flatMap { word in (0..<8).map { (word >> ($0 * 8)).lowest(UInt8.self) } }
      bytes = Array(all.first(second >> 56 & 0xF))
    case 0x8, 0x0:
      // Of the program's own, or on the heap: behind a header, so far from what the word names.
      let count = (first & 0xFFFF_FFFF_FFFF).int(upTo: longest), address = (second & 0x0FFF_FFFF_FFFF_FFFF) + 32
      bytes = count > 0 && address > 4096 ? read(address, count) : nil
    default: bytes = nil
    }
    guard let bytes else { return nil }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    // Cut within a character.
    return bytes.count == longest ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// The words of a string.
  package static func words(_ text: String) -> (first: UInt64, second: UInt64) {
    // SAFETY: a string is two words; they are read, and not kept.
    withUnsafeBytes(of: text) { ($0.load(as: UInt64.self), $0.load(fromByteOffset: 8, as: UInt64.self)) }
  }

  /// Whether strings of this program lie so: short ones, ones of the program's own, ones on the heap.
  package static let isKnown: Bool = {
    guard MemoryLayout<String>.size == 16 else { return false }
    let short = "short", own = "a text that does not fit in two words"
    return [short, own, own + short, "k\u{fc}rzer"].allSatisfy { sample in
      let words = words(sample)
      return text(ReadNumber(words.first), ReadNumber(words.second), ownBytes) == sample
    }
  }()

  /// The text of the string at `address` of this process, which may be gone, or be something else by now: nil then, or any text.
  package static func text(at address: UInt) -> String? {
    guard isKnown, let first = SafeMemory.word64(address), let second = SafeMemory.word64(address &+ 8) else { return nil }
    return text(ReadNumber(first), ReadNumber(second), ownBytes)
  }

  /// This process's memory, as far as it is there.
  package static func ownBytes(_ place: ReadNumber, _ count: Int) -> [UInt8]? {
    let address = UInt(place.bits)
    let from = address & ~7, all = stride(from: from, to: address &+ UInt(count), by: 8).map { SafeMemory.word64($0) }
    let bytes = all.compactMap { $0 }.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
    guard bytes.count == all.count * 8 else { return nil }
    return Array(bytes[Int(address - from)..<Int(address - from) + count])
  }
}

// MARK: an array of objects, by its one word

/// The form of arrays of objects, whose word is the address of what holds their elements.
package enum ArrayForm {
  /// How far behind that address the number of elements lies, and the first of them; each is an object's address, or 0.
  package static let count: UInt64 = 16, elements: UInt64 = 32

  private final class Sample {}

  /// Whether arrays of this program lie so: short ones, empty ones, ones that have grown.
  package static let isKnown: Bool = {
    let one = Sample(), other = Sample()
    var grown: [Sample?] = []
    for _ in 0..<10 { grown.append(one) }
    return [[], [one], [one, nil, other], grown].allSatisfy { lies($0) }
  }()

  private static func lies(_ samples: [Sample?]) -> Bool {
    guard MemoryLayout<[Sample?]>.size == 8 else { return false }
    // SAFETY: an array is one word, which is an address: `samples` keeps what lies there for the call, and the kernel copies it.
    let word = UInt64(UInt(bitPattern: unsafeBitCast(samples, to: UnsafeRawPointer.self)))
    let wanted = samples.map { sample -> UInt64 in
      sample.map { UInt64(UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque())) } ?? 0
    }
    return withExtendedLifetime(samples) {
      SafeMemory.word64(UInt(word &+ count)) == UInt64(samples.count)
        && wanted.indices.allSatisfy { SafeMemory.word64(UInt(word &+ elements) &+ UInt($0) * 8) == wanted[$0] }
    }
  }
}
