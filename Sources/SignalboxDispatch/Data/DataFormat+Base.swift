// DataFormat+Base.swift: bytes written as letters that carry 5 or 6 bits each (RFC 4648). Text is DataFormat.swift.

/// One of the alphabets.
struct BaseCode {
  private let alphabet: StaticString
  /// Bits that a letter carries.
  private let bits: Int
  /// Letters of a group, and the bytes that they stand for.
  private let letters: Int
  private let bytes: Int

  /// nil for a format that is none of letters.
  init?(_ format: DataFormat) {
    switch format {
    case .base64: self.init("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bits: 6)
    case .base32: self.init("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5)
    case .base32hex: self.init("0123456789ABCDEFGHIJKLMNOPQRSTUV", bits: 5)
    default: return nil
    }
  }

  private init(_ alphabet: StaticString, bits: Int) {
    self.alphabet = alphabet
    self.bits = bits
    letters = bits == 6 ? 4 : 8
    bytes = bits == 6 ? 3 : 5
  }

  private static let padding = UInt8(ascii: "=")

  // MARK: encoding

  /// All bytes as letters, padded to whole groups.
  func encode(_ data: DispatchData) -> DispatchData {
    guard !data.isEmpty else { return .empty }
    let count = (data.count + bytes - 1) / bytes * letters
    let node = DataNode.allocate(count) { memory in
      var output = memory.assumingMemoryBound(to: UInt8.self)
      let end = output + count
      var held: UInt64 = 0, heldBits = 0
      data.node?.forEachRegion { region, _ in
        encode(region, &held, &heldBits, &output)
        return true
      }
      if heldBits > 0 { write(letter(held << UInt64(bits - heldBits)), &output) }
      while output < end { write(Self.padding, &output) }
    }
    return DispatchData(node)
  }

  /// One region, with the bits that the regions before have left; whole groups at a time where there are none left.
  @inline(__always)
  private func encode(
    _ region: DataPiece, _ held: inout UInt64, _ heldBits: inout Int,
    _ output: inout UnsafeMutablePointer<UInt8>
  ) {
    let start = region.firstByte
    var place = 0
    while place < region.count {
      if heldBits == 0 && region.count - place >= bytes {
        bits == 6 ? encode3(start + place, output) : encode5(start + place, output)
        output += letters
        place += bytes
        continue
      }
      held = held << 8 | UInt64(start[place])
      place += 1
      heldBits += 8
      while heldBits >= bits {
        heldBits -= bits
        write(letter(held >> UInt64(heldBits)), &output)
      }
    }
  }

  /// Three bytes as four letters.
  @inline(__always)
  private func encode3(_ bytes: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>) {
    let group = UInt64(bytes[0]) << 16 | UInt64(bytes[1]) << 8 | UInt64(bytes[2])
    let letters = alphabet.utf8Start
    output[0] = letters[Int(group >> 18)]
    output[1] = letters[Int(group >> 12 & 63)]
    output[2] = letters[Int(group >> 6 & 63)]
    output[3] = letters[Int(group & 63)]
  }

  /// Five bytes as eight letters.
  @inline(__always)
  private func encode5(_ bytes: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>) {
    let high = UInt64(bytes[0]) << 32 | UInt64(bytes[1]) << 24
    let group = high | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 8 | UInt64(bytes[4])
    let letters = alphabet.utf8Start
    for index in 0..<8 { output[index] = letters[Int(group >> UInt64(35 - 5 * index) & 31)] }
  }

  private func write(_ byte: UInt8, _ output: inout UnsafeMutablePointer<UInt8>) {
    output.pointee = byte
    output += 1
  }

  private func letter(_ value: UInt64) -> UInt8 { alphabet.utf8Start[Int(truncatingIfNeeded: value) & ((1 << bits) - 1)] }

  // MARK: decoding

  /// What a byte of the input means, besides the value of a letter.
  private enum Mark {
    static let corrupt: UInt8 = 0xFF
    static let ignored: UInt8 = 0xFE
    static let padding: UInt8 = 0xFD
  }

  private var marks: [UInt8] {
    var marks = [UInt8](repeating: Mark.corrupt, count: 256)
    for blank in " \t\n".utf8 { marks[Int(blank)] = Mark.ignored }
    marks[Int(Self.padding)] = Mark.padding
    for value in 0..<1 << bits { marks[Int(alphabet.utf8Start[value])] = UInt8(value) }
    return marks
  }

  /// The bytes; nil for a byte that is no letter and no blank, and for padding that does not fill exactly the last group. An
  /// unfinished group without padding is left out.
  func decode(_ data: DispatchData) -> DispatchData? {
    let marks = marks
    return DataNode.allocate(upTo: data.count / letters * bytes + bytes) { memory in
      var decoder = Decoder(code: self, output: memory)
      let isWhole = marks.withUnsafeBufferPointer { marks in
        data.node?.forEachRegion { region, _ in decoder.read(region, marks) } ?? true
      }
      return isWhole && decoder.mayEnd ? decoder.output - memory : nil
    }
  }

  /// What has been read of letters, whatever the regions.
  private struct Decoder {
    let code: BaseCode
    var output: UnsafeMutablePointer<UInt8>
    private var held: UInt64 = 0
    private var inGroup = 0
    private var padding = 0

    init(code: BaseCode, output: UnsafeMutablePointer<UInt8>) { (self.code, self.output) = (code, output) }

    /// A group that padding has begun to fill must be full.
    var mayEnd: Bool { padding == 0 || inGroup == 0 }

    /// False if the letters are corrupt.
    mutating func read(_ region: DataPiece, _ marks: UnsafeBufferPointer<UInt8>) -> Bool {
      let start = region.firstByte
      var place = 0
      while place < region.count {
        if inGroup == 0 && padding == 0 && region.count - place >= code.letters && readGroup(start + place, marks) {
          place += code.letters
          continue
        }
        guard read(marks[Int(start[place])]) else { return false }
        place += 1
      }
      return true
    }

    /// A whole group of nothing but letters; false, and nothing done, if it is not.
    @inline(__always)
    private mutating func readGroup(
      _ letters: UnsafePointer<UInt8>, _ marks: UnsafeBufferPointer<UInt8>
    ) -> Bool {
      if code.bits == 6 {
        let (a, b, c, d) = (marks[Int(letters[0])], marks[Int(letters[1])], marks[Int(letters[2])], marks[Int(letters[3])])
        guard a | b | c | d < 0x80 else { return false }
        output[0] = a << 2 | b >> 4
        output[1] = b << 4 | c >> 2
        output[2] = c << 6 | d
        output += 3
        return true
      }
      var group: UInt64 = 0, all: UInt8 = 0
      for index in 0..<8 {
        let mark = marks[Int(letters[index])]
        all |= mark
        group = group << 5 | UInt64(mark)
      }
      guard all < 0x80 else { return false }
      write(group, 5)
      return true
    }

    private mutating func read(_ mark: UInt8) -> Bool {
      if mark == Mark.ignored { return true }
      if mark == Mark.corrupt || (mark != Mark.padding && padding > 0) { return false }
      if mark == Mark.padding { padding += 1 }
      held = held << UInt64(code.bits) | (mark == Mark.padding ? 0 : UInt64(mark))
      inGroup += 1
      guard inGroup == code.letters else { return true }
      guard let filled = code.filled(padding) else { return false }
      write(held, filled)
      (held, inGroup) = (0, 0)
      return true
    }

    /// The first `count` bytes of a group.
    @inline(__always)
    private mutating func write(_ group: UInt64, _ count: Int) {
      for index in 0..<count { output[index] = UInt8(truncatingIfNeeded: group >> UInt64((code.bytes - 1 - index) * 8)) }
      output += count
    }
  }

  /// How many bytes a group with so much padding stands for; nil for a group that no bytes are written as.
  private func filled(_ padding: Int) -> Int? {
    let filled = (letters - padding) * bits / 8
    let needed = (filled * 8 + bits - 1) / bits
    return filled > 0 && needed == letters - padding ? filled : nil
  }
}
