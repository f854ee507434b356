// RawString.swift: strings as others have them: the system, bytes that end with a zero, in no promised encoding; and
// JSON. Text is `String`.
import CSignalbox
import Glibc

/// A file name, an argument or an environment entry: bytes without a zero, handed on exactly as they came.
public struct RawString: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The bytes, without the zero at the end.
  public let bytes: [UInt8]

  /// Keeps the bytes before the first zero.
  public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes.prefix { $0 != 0 }) }
  /// The text's UTF-8.
  public init(_ text: String) { self.init(text.utf8) }
  /// The text's UTF-8.
  public init(stringLiteral text: String) { self.init(text.utf8) }
  /// Copies what stands at `start`, up to the zero.
  public init(cString start: UnsafePointer<CChar>) {
    bytes = UnsafeBufferPointer(start: start, count: strlen(start)).map(UInt8.init(bitPattern:))
  }

  /// The text, if the bytes are UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// For messages: one line, whatever the bytes are.
  public var description: String {
    var shown = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      shown.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7f ? "?" : scalar)
    }
    return shown
  }

  /// Passes the bytes with a zero behind them; the pointer is valid during the call.
  public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
    try (bytes + [0]).withUnsafeBytes { try body($0.start.assumingMemoryBound(to: CChar.self)) }
  }

  /// Passes a null-terminated list of such pointers, the form that `execve` takes.
  static func withCStrings<Result>(
    _ strings: [RawString], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
  ) rethrows -> Result {
    let pointers = strings.map { string in string.withCString { strdup($0) } }
    defer { for pointer in pointers { free(pointer) } }
    return try body(pointers + [nil])
  }

  /// The one behind the other.
  public static func + (left: RawString, right: RawString) -> RawString { RawString(left.bytes + right.bytes) }
}

/// What this program was started with, byte for byte.
public enum ProcessInput {
  /// The command line, with the program's own name.
  public static var arguments: [RawString] {
    (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { RawString(cString: $0) } }
  }

  /// The environment's entries, `NAME=value`, in their order.
  public static var environment: [RawString] {
    var entries: [RawString] = []
    guard var next = sb_environment() else { return [] }
    while let entry = next.pointee {
      entries.append(RawString(cString: entry))
      next += 1
    }
    return entries
  }

  /// True when the program runs with more rights than its caller (AT_SECURE): the environment is a stranger's then.
  public static var isSecure: Bool { sb_secure_execution() != 0 }

  /// The file from which this program's loader took `symbol`; nil if none of the loaded ones has it.
  public static func file(defining symbol: StaticString) -> RawString? {
    sb_file_defining(symbol.cString).map { RawString(cString: $0) }
  }

  /// The user whose rights the program has.
  public static var user: UInt32 { geteuid() }
}

// MARK: JSON, in reports, in answers, and in what commands print

/// JSON, written.
package enum JSONText {
  /// An array of strings.
  package static func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ","))]" }

  /// A string.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
