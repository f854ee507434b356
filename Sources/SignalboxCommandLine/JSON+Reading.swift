// JSON+Reading.swift: a JSON text as a value: what other programs of the toolchain print.

extension JSON {
  /// The value that `text` is; nil if it is none, or has anything behind it.
  public init?(_ text: some StringProtocol) {
    var reader = JSONReader(bytes: Array(text.utf8))
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }

  /// The member of that name; null if there is none.
  public subscript(name: String) -> JSON {
    if case .object(let members) = self { members.first { $0.name == name }?.value ?? .null } else { .null }
  }

  /// The values of an array; none if it is no array.
  public var values: [JSON] { if case .array(let values) = self { values } else { [] } }
  /// The string; nil if it is none.
  public var string: String? { if case .string(let string) = self { string } else { nil } }
  /// The whole number; nil if it is none, or is beyond 2⁵³, where numbers of JSON are whole no more. So two of them
  /// have a sum.
  public var integer: Int? {
    guard case .number(let number) = self, number.magnitude <= 0x1p53 else { return nil }
    return Int(exactly: number)
  }
  /// True or false; nil if it is neither.
  public var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }
}

/// A place in a text of JSON.
private struct JSONReader {
  let bytes: [UInt8]
  var place = 0
  /// Deeper values are refused: they would need more stack than there may be.
  static let deepest = 256

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return place == bytes.count
    }
  }

  private var next: UInt8 { place < bytes.count ? bytes[place] : 0 }

  private mutating func skipSpace() {
    while [0x20, 0x09, 0x0a, 0x0d].contains(next) && place < bytes.count { place += 1 }
  }

  private mutating func takes(_ character: Character) -> Bool {
    skipSpace()
    guard place < bytes.count, next == character.asciiValue else { return false }
    place += 1
    return true
  }

  private mutating func takes(word: String) -> Bool {
    guard bytes[place...].starts(with: word.utf8) else { return false }
    place += word.utf8.count
    return true
  }

  mutating func value(depth: Int) -> JSON? {
    guard depth < Self.deepest else { return nil }
    skipSpace()
    switch Character(Unicode.Scalar(next)) {
    case "{": return object(depth)
    case "[": return array(depth)
    case "\"": return string().map { .string($0) }
    case "t": return takes(word: "true") ? .boolean(true) : nil
    case "f": return takes(word: "false") ? .boolean(false) : nil
    case "n": return takes(word: "null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(_ depth: Int) -> JSON? {
    place += 1
    var members: [(name: String, value: JSON)] = []
    if takes("}") { return .object([]) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\""), let name = string(), takes(":"), let value = value(depth: depth + 1) else { return nil }
      members.append((name, value))
    } while takes(",")
    return takes("}") ? .object(members) : nil
  }

  private mutating func array(_ depth: Int) -> JSON? {
    place += 1
    var values: [JSON] = []
    if takes("]") { return .array([]) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    } while takes(",")
    return takes("]") ? .array(values) : nil
  }

  private mutating func number() -> JSON? {
    let start = place
    // What JSON has no numbers for, other readers of numbers may take.
    guard next == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) else { return nil }
    while place < bytes.count, "+-.0123456789eE".utf8.contains(next) { place += 1 }
    return Double(String(decoding: bytes[start..<place], as: UTF8.self)).map { .number($0) }
  }

  private mutating func string() -> String? {
    place += 1
    var text: [UInt8] = []
    while place < bytes.count, next != UInt8(ascii: "\"") {
      if next == UInt8(ascii: "\\") {
        place += 1
        guard let scalar = escaped() else { return nil }
        text += Array(String(Character(scalar)).utf8)
      } else {
        text.append(next)
        place += 1
      }
    }
    guard place < bytes.count else { return nil }
    place += 1
    return String(validating: text, as: UTF8.self)
  }

  private mutating func escaped() -> Unicode.Scalar? {
    let letter = Character(Unicode.Scalar(next))
    place += 1
    switch letter {
    case "\"", "\\", "/": return letter.unicodeScalars.first
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      guard let first = unit() else { return nil }
      guard 0xd800..<0xdc00 ~= first else { return Unicode.Scalar(first) }
      guard takes(word: "\\u"), let second = unit(), 0xdc00..<0xe000 ~= second else { return nil }
      return Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    default: return nil
    }
  }

  private mutating func unit() -> UInt32? {
    guard place + 4 <= bytes.count else { return nil }
    let digits = String(decoding: bytes[place..<place + 4], as: UTF8.self)
    guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    place += 4
    return UInt32(digits, radix: 16)
  }
}
