// DataFormat+Base.swift: bytes written as letters that carry 5 or 6 bits each (RFC 4648). Text is DataFormat+Text.swift.

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
      var held: UInt32 = 0, heldBits = 0
      for byte in data {
        held = held << 8 | UInt32(byte)
        heldBits += 8
        while heldBits >= bits {
          heldBits -= bits
          write(letter(held >> heldBits), &output)
        }
      }
      if heldBits > 0 { write(letter(held << (bits - heldBits)), &output) }
      while output < end { write(Self.padding, &output) }
    }
    return DispatchData(node)
  }

  private func write(_ byte: UInt8, _ output: inout UnsafeMutablePointer<UInt8>) {
    output.pointee = byte
    output += 1
  }

  private func letter(_ value: UInt32) -> UInt8 { alphabet.utf8Start[Int(value) & ((1 << bits) - 1)] }

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
      var output = memory
      var held: UInt64 = 0, inGroup = 0, padding = 0
      for byte in data {
        let mark = marks[Int(byte)]
        if mark == Mark.ignored { continue }
        if mark == Mark.corrupt { return nil }
        if mark == Mark.padding {
          padding += 1
        } else if padding > 0 {
          return nil
        }
        held = held << UInt64(bits) | (mark == Mark.padding ? 0 : UInt64(mark))
        inGroup += 1
        if inGroup < letters { continue }
        guard let filled = filled(padding) else { return nil }
        for place in 0..<filled { write(UInt8(truncatingIfNeeded: held >> UInt64((bytes - 1 - place) * 8)), &output) }
        (held, inGroup) = (0, 0)
      }
      return padding > 0 && inGroup > 0 ? nil : output - memory
    }
  }

  /// How many bytes a group with so much padding stands for; nil for a group that no bytes are written as.
  private func filled(_ padding: Int) -> Int? {
    let filled = (letters - padding) * bits / 8
    let needed = (filled * 8 + bits - 1) / bits
    return filled > 0 && needed == letters - padding ? filled : nil
  }
}
