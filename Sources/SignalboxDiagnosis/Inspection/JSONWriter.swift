// JSONWriter.swift: JSON as bytes, written piece by piece: for texts of megabytes. Short pieces are JSONText.swift.
import SignalboxSystem

/// Writes one value. For one thread.
final class JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true

  func object(_ body: () -> Void) { enclose("{", "}", body) }
  func array(_ body: () -> Void) { enclose("[", "]", body) }

  private func enclose(_ begin: Unicode.Scalar, _ end: Unicode.Scalar, _ body: () -> Void) {
    separate()
    bytes.append(UInt8(ascii: begin))
    isFirst = true
    body()
    bytes.append(UInt8(ascii: end))
    isFirst = false
  }

  // MARK: members of an object

  func object(_ name: StaticString, _ body: () -> Void) { member(name) { object(body) } }
  func list<Element>(_ name: StaticString, _ elements: some Sequence<Element>, _ body: (Element) -> Void) {
    member(name) { array { for element in elements { body(element) } } }
  }
  func string(_ name: StaticString, _ text: String) { member(name) { string(text) } }
  func number(_ name: StaticString, _ value: some FixedWidthInteger) { member(name) { plain("\(value)") } }
  func boolean(_ name: StaticString, _ value: Bool) { member(name) { plain(value ? "true" : "false") } }
  func address(_ name: StaticString, _ address: UInt) { member(name) { plain("\"0x\(String(address, radix: 16))\"") } }
  /// To a microsecond.
  func seconds(_ name: StaticString, _ seconds: Double) {
    member(name) {
      let micros = Int64((abs(seconds) * 1e6).rounded()), rest = "\(micros % 1_000_000)"
      plain((seconds < 0 ? "-" : "") + "\(micros / 1_000_000)." + String(repeating: "0", count: 6 - rest.utf8.count) + rest)
    }
  }

  private func member(_ name: StaticString, _ body: () -> Void) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    isFirst = true
    body()
  }

  // MARK: values

  func string(_ text: String) { plain(JSONText.quoted(text)) }
  func number(_ value: some FixedWidthInteger) { plain("\(value)") }

  private func plain(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }
  private func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }
}
