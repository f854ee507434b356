// Symbols.swift: return addresses in words, by the symbolication that is installed.
import SignalboxSystem

/// Turning return addresses into text.
enum Symbols {
  static func lines(_ addresses: [UInt]) -> [String] { addresses.map { "0x" + String($0, radix: 16) } }
}
