// Edits.swift: how a short input becomes a damaged file: bytes that say which words of a whole file are others, what is
// moved, where the file ends. The file itself is EditedFile.swift.

/// Bytes, read one after the other; zeros behind their end.
struct InputBytes {
  private let bytes: [UInt8]
  private var place = 0
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isOver: Bool { place >= bytes.count }

  mutating func next() -> UInt8 {
    defer { place += 1 }
    return place < bytes.count ? bytes[place] : 0
  }

  /// A number of that many bytes, the lowest first.
  mutating func number(_ width: Int) -> UInt64 { (0..<width).reduce(0) { $0 | UInt64(next()) << UInt64($1 * 8) } }

  var rest: ArraySlice<UInt8> { bytes[min(place, bytes.count)...] }
}

/// One change of a file.
///
/// An edit is a byte (the kind in its three lowest bits), then a place, then what belongs to the kind.
struct Edits {
  private var input: InputBytes
  /// What the reader's own kind of edit does.
  typealias Own = (inout InputBytes) -> (place: Int, bytes: [UInt8])?

  init(_ input: [UInt8]) { self.input = InputBytes(input) }

  /// Makes all the edits; the file is cut last.
  mutating func apply(to file: EditedFile, own: Own = { _ in nil }) {
    var end = file.size
    for _ in 0..<64 where !input.isOver {
      let kind = input.next()
      if kind & 7 == 7 {
        if let (place, bytes) = own(&input) { file.put(bytes, at: place) }
        continue
      }
      let place = place(in: file)
      switch kind & 7 {
      case 0: file.put([input.next()], at: place + Int(kind >> 5))
      case 1: file.put(word(2, file, place), at: place)
      case 2: file.put(word(4, file, place + Int(kind >> 3 & 4)), at: place + Int(kind >> 3 & 4))
      case 3: file.put(word(8, file, place), at: place)
      case 4: file.put([file.byte(at: place) ^ input.next()], at: place)
      case 5: end = min(end, place)
      default:
        let from = self.place(in: file), count = (Int(input.next()) + 1) * 8
        file.put((0..<count).map { file.byte(at: from + $0) }, at: place)
      }
    }
    if end < file.size { file.cut(at: end) }
  }

  /// A place: among the words that are not zero, or anywhere.
  private mutating func place(in file: EditedFile) -> Int {
    let selector = input.next()
    if selector < 224 { return file.words[(Int(selector) << 8 | Int(input.next())) % file.words.count] }
    return Int(input.number(3)) % file.size
  }

  /// Numbers at which sums, products and conversions end, the word beside the old one, or any.
  private mutating func word(_ width: Int, _ file: EditedFile, _ place: Int) -> [UInt8] {
    let old = (0..<width).reduce(UInt64(0)) { $0 | UInt64(file.byte(at: place + $1)) << UInt64($1 * 8) }
    let choice = input.next(),
      known: [UInt64] = [
        0, 1, .max, 1 << 63, 1 << 62, (1 << 63) - 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 32, 1 << 48, .max - 7, 0x8000_0000,
        old &+ 1,
        old &- 1, old << 1, old &+ 8, old << 32, ~old,
      ]
    let value = Int(choice) < known.count ? known[Int(choice)] : input.number(width)
    return (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
  }
}
