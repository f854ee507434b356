// Script.swift: the first line of a script: which program the kernel starts for it. Pure.
import SignalboxSystem

/// The `#!` line of a script.
public struct Script: Sendable, Equatable {
  /// The program that the kernel starts.
  public let interpreter: RawString
  /// What stands behind it: one argument to the kernel.
  public let argument: RawString

  /// Reads a file's first bytes; nil if they are no `#!` line. The kernel reads 255 of them.
  public init?(_ start: [UInt8]) {
    guard start.starts(with: "#!".utf8) else { return nil }
    let line = start.prefix(255).dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    let words = line.drop(while: Self.isBlank)
    let name = words.prefix { !Self.isBlank($0) }
    guard !name.isEmpty else { return nil }
    interpreter = RawString(name)
    argument = RawString(words.dropFirst(name.count).drop(while: Self.isBlank))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// The program that `env` would search for on PATH, if the interpreter is `env`: the first word that is neither an option nor
  /// a variable.
  public var nameForEnv: RawString? {
    let name = interpreter.bytes.split(separator: slash).last.map(Array.init) ?? []
    guard name.elementsEqual("env".utf8) else { return nil }
    return argument.bytes.split(whereSeparator: Self.isBlank)
      .first { $0.first != UInt8(ascii: "-") && !$0.contains(UInt8(ascii: "=")) }.map { RawString($0) }
  }
}
