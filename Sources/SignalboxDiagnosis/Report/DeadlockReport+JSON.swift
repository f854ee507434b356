// DeadlockReport+JSON.swift: the report as machines read it: one object on one line.
import SignalboxSystem
import SignalboxWaits

extension DeadlockReport {
  /// The whole report as one JSON object. Addresses are hexadecimal strings, times are in seconds.
  public var json: String { json(symbols: ReportSymbols(self)) }

  func json(symbols: ReportSymbols) -> String {
    JSONText.object(.deadlock, fields(symbols))
  }

  func fields(_ symbols: ReportSymbols) -> [String] {
    let chain = participants.indices.map { participantJSON($0, symbols) }.joined(separator: ",")
    let cycle = ring.isEmpty ? [] : ["\"ring\":[\(ring.map(Self.object).joined(separator: ","))]"]
    return ["\"certainty\":\"\(certainty.rawValue)\"", "\"participants\":[\(chain)]"] + cycle
      + ["\"hint\":\(JSONText.quoted(hint))"]
  }

  private func participantJSON(_ index: Int, _ symbols: ReportSymbols) -> String {
    let participant = participants[index]
    let acquired = participant.acquired.map { JSONText.list(symbols.lines($0)) } ?? "null"
    let fields = [
      "\"thread\":\(participant.threadID)", "\"name\":\(JSONText.quoted(participant.threadName))",
      "\"holds\":\(Self.object(held(by: index)))", "\"wants\":\(Self.object(participant.wants))",
      "\"detail\":\(participant.detail.map(JSONText.quoted) ?? "null")",
      "\"waitsFor\":\(next(after: index).threadID)", "\"seconds\":\(ReportTimes.decimals(participant.seconds))",
      "\"inside\":\(JSONText.list(participant.frames))", "\"item\":\(Self.item(participant.item, symbols))",
      "\"acquired\":\(acquired)",
      "\"stack\":\(JSONText.list(symbols.lines(participant.stack)))",
    ]
    return "{\(fields.joined(separator: ","))}"
  }

  static func object(_ object: Object) -> String {
    "{\"kind\":\(JSONText.quoted(object.kind.noun)),\"name\":\(JSONText.quoted(object.name)),\"description\":\(JSONText.quoted(object.description)),"
      + "\"address\":\"0x\(String(object.address, radix: 16))\"}"
  }

  static func item(_ item: Item?, _ symbols: ReportSymbols) -> String {
    guard let item else { return "null" }
    let function = symbols.function(of: item).map(JSONText.quoted) ?? "null"
    return "{\"kind\":\(JSONText.quoted(item.kind)),\"function\":\(function)}"
  }
}

extension DiagnosticReport {
  /// The deadlock; nil for other kinds.
  public var deadlock: DeadlockReport? { details as? DeadlockReport }
}
