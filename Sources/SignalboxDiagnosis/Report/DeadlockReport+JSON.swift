// DeadlockReport+JSON.swift: the report as machines read it: one object on one line.
import SignalboxSystem

extension DeadlockReport {
  /// The whole report as one JSON object. Addresses are hexadecimal strings, times are in seconds.
  public var json: String { json(symbols: ReportSymbols(self)) }

  func json(symbols: ReportSymbols) -> String {
    let chain = participants.indices.map { participantJSON($0, symbols) }.joined(separator: ",")
    let circle = ring.isEmpty ? "" : "\"ring\":[\(ring.map(Self.object).joined(separator: ","))],"
    return "{\"kind\":\"deadlock\",\"certainty\":\"\(certainty.rawValue)\",\"participants\":[\(chain)],"
      + circle + "\"hint\":\(Self.quoted(hint))}"
  }

  private func participantJSON(_ index: Int, _ symbols: ReportSymbols) -> String {
    let participant = participants[index]
    let acquired = participant.acquired.map { Self.list(symbols.lines($0)) } ?? "null"
    let fields = [
      "\"thread\":\(participant.threadID)", "\"name\":\(Self.quoted(participant.threadName))",
      "\"holds\":\(Self.object(held(by: index)))", "\"wants\":\(Self.object(participant.wants))",
      "\"detail\":\(participant.detail.map(Self.quoted) ?? "null")",
      "\"waitsFor\":\(next(after: index).threadID)", "\"seconds\":\(ReportTimes.decimals(participant.seconds))",
      "\"inside\":\(Self.list(participant.frames))", "\"item\":\(Self.item(participant.item, symbols))",
      "\"acquired\":\(acquired)",
      "\"stack\":\(Self.list(symbols.lines(participant.stack)))",
    ]
    return "{\(fields.joined(separator: ","))}"
  }

  static func object(_ object: Object) -> String {
    "{\"kind\":\(quoted(object.kind.noun)),\"name\":\(quoted(object.name)),\"description\":\(quoted(object.description)),"
      + "\"address\":\"0x\(String(object.address, radix: 16))\"}"
  }

  static func item(_ item: Item?, _ symbols: ReportSymbols) -> String {
    guard let item else { return "null" }
    let function = symbols.function(of: item).map(quoted) ?? "null"
    return "{\"kind\":\(quoted(item.kind)),\"function\":\(function)}"
  }

  static func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ","))]" }

  static func quoted(_ text: String) -> String {
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
