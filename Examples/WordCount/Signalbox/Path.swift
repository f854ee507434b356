// Path.swift: a file name as the kernel sees it: bytes, not necessarily UTF-8. Showing bytes to people is `printable` below.

struct Path: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }
  init(stringLiteral text: String) { self.init(text) }
  private init(bytes: [UInt8]) { self.bytes = bytes }

  func appending(_ name: [UInt8]) -> Path {
    var joined = bytes
    joined.reserveCapacity(bytes.count + 1 + name.count)
    if joined.last != UInt8(ascii: "/") { joined.append(UInt8(ascii: "/")) }
    return Path(bytes: joined + name)
  }

  /// Calls `body` with the name as a C string, valid during the call only.
  func withCString<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    (bytes + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
    }
  }

  var description: String { printable(bytes) }
}

/// The bytes as text; control characters and whatever is not UTF-8 appear as `\xNN`, so that no terminal acts on them.
func printable(_ bytes: some Collection<UInt8>) -> String {
  func escaped(_ byte: UInt8) -> String { "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
  var text = ""
  var rest = bytes[...]
  while !rest.isEmpty {
    var decoder = UTF8()
    var input = rest.makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&input) else {
      text += escaped(rest.removeFirst())
      continue
    }
    let length = UTF8.width(scalar)
    if scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) {
      text += rest.prefix(length).map(escaped).joined()
    } else {
      text.unicodeScalars.append(scalar)
    }
    rest = rest.dropFirst(length)
  }
  return text
}
