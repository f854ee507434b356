// JSON.swift: the report for programs: a value, its text, and the shape of the report in it.

/// A JSON value; objects keep the order of their members.
public indirect enum JSON: Sendable {
  /// Members in order.
  case object([(name: String, value: JSON)])
  /// Values in order.
  case array([JSON])
  /// A string.
  case string(String)
  /// A number; one that JSON cannot express becomes null.
  case number(Double)
  /// True or false.
  case boolean(Bool)
  /// Nothing.
  case null

  /// The value as JSON text.
  public var text: String {
    switch self {
    case .object(let members): "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .string(let string): Self.quoted(string)
    case .number(let number): Self.numeral(number)
    case .null: "null"
    case .boolean(let boolean): boolean ? "true" : "false"
    }
  }

  private static func numeral(_ number: Double) -> String {
    guard number.isFinite else { return "null" }
    return number == number.rounded() && number.magnitude < 1e15 ? "\(Int(number))" : "\(number)"
  }

  static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{0}"..<" ": text += "\\u" + padded(String(scalar.value, radix: 16), to: 4, with: "0")
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension Report {
  /// The report as one JSON object.
  public var json: JSON {
    .object([
      ("subject", .string(subjectName)), ("toolchainLibrary", .string(toolchainLibrary)),
      ("processors", .number(Double(machine.processors))), ("architecture", .string(machine.architecture)),
      ("kernel", .string(machine.kernel)), ("load", .number(machine.load)), ("pairs", .number(Double(rounds))),
      ("smoke", .boolean(pace == .smoke)), ("optimised", .boolean(!isUnoptimised)), ("rows", .array(rows.map(\.json))),
      ("trials", .array(trials.map(\.json))),
    ])
  }
}

extension Row {
  /// The row as a JSON object, before it has run.
  public var json: JSON {
    .object([
      ("name", .string(name)), ("group", .string(group.rawValue)), ("operation", .string(operation)), ("bar", bar.json),
    ])
  }
}

extension RowResult {
  /// The row as a JSON object; times are nanoseconds per operation.
  public var json: JSON {
    .object([
      ("name", .string(name)), ("group", .string(group.rawValue)), ("operation", .string(operation)),
      ("signalbox", signalbox.json), ("toolchain", toolchain.json), ("floor", floor.json), ("floorIs", .string(floorText)),
      ("reference", reference?.json ?? .null), ("ratio", ratio.json), ("timesFloor", timesFloor.json),
      ("timesReference", timesReference?.json ?? .null), ("peers", .array(peers.map(json))),
      ("contest", contest?.json ?? .null), ("contention", contention?.json ?? .null), ("bar", bar.json),
      ("verdict", .string(verdict.rawValue)),
    ])
  }

  private func json(_ peer: PeerResult) -> JSON {
    .object([("name", .string(peer.name)), ("lane", peer.lane.json), ("ratio", ratio(to: peer).json)])
  }
}

extension LaneResult {
  fileprivate var json: JSON {
    .object([
      ("nanoseconds", .number(nanoseconds)), ("operationsPerSample", .number(Double(operationsPerSample))),
      ("allocations", allocationsPerOperation.map { .number($0) } ?? .null), ("samples", .array(samples.map { .number($0) })),
    ])
  }
}

extension Estimate {
  var json: JSON {
    .object([("median", .number(median)), ("low", .number(low)), ("high", .number(high)), ("coverage", .number(coverage))])
  }
}

extension Bar {
  fileprivate var json: JSON {
    switch self {
    case .ratio(let ratio): .object([("ratio", .number(ratio))])
    case .kernelBound(let ratio, let factor): .object([("ratio", .number(ratio)), ("orTimesFloor", .number(factor))])
    case .ownCost(let factor, let name): .object([("timesOwnRow", .number(factor)), ("row", .string(name))])
    case .nearFloor(let factor): .object([("timesFloor", .number(factor))])
    case .ratioBesidePeers(let ratio):
      .object([("ratio", .number(ratio)), ("ratioToPeers", .number(Self.notSlowerRatio))])
    case .none: .null
    }
  }
}
