// SymbolHook.swift: return addresses as text. Here: the file and the place in it; a layer above may know functions and lines.
import SignalboxSystem

/// How reports write return addresses.
package enum SymbolHook {
  private static let lock = InnerLock()
  // SAFETY: guarded by `lock`.
  nonisolated(unsafe) private static var translate: (@Sendable (UInt) -> String?)?

  /// Lets `translate` write addresses from now on; nil from it means that it does not know. It may take its time.
  package static func install(_ translate: (@Sendable (UInt) -> String?)?) { lock.withLock { self.translate = translate } }

  /// One address.
  package static func text(_ address: UInt) -> String {
    if let translate = lock.withLock({ self.translate }), let text = translate(address) { return text }
    guard let place = StackCapture.place(of: address) else { return "0x\(String(address, radix: 16))" }
    return "\(place.file.split(separator: "/").last ?? "?")+0x\(String(place.offset, radix: 16))"
  }

  /// A call stack, innermost first.
  package static func text(_ addresses: [UInt]) -> String { addresses.map { text($0) }.joined(separator: " < ") }
}
