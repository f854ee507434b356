// SymbolHook.swift: the call stacks of the lock instruments in words: at length for reports, briefly for names.
import SignalboxSystem

/// How the lock instruments write return addresses.
package enum SymbolHook {
  /// A call stack of a report, innermost first: functions and lines. May start a helper process.
  package static func text(_ addresses: [UInt]) -> String { SymbolText.lines(addresses).joined(separator: " < ") }

  /// A call stack as part of a name: files and places in them, asked of nobody.
  package static func places(_ addresses: [UInt]) -> String {
    addresses.map { address in
      guard let place = StackCapture.place(of: address) else { return "0x\(String(address, radix: 16))" }
      return "\(place.file.split(separator: "/").last ?? "?")+0x\(String(place.offset, radix: 16))"
    }.joined(separator: " < ")
  }
}
