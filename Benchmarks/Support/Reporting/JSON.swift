// JSON.swift: the report for programs: rows, lanes and bars as JSON values.
import SignalboxCommandLine

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
    case .ownCostAnd(let most, let name): .object([("aboveOwnRow", .number(most)), ("row", .string(name))])
    case .time(let most): .object([("nanoseconds", .number(most))])
    case .nearFloor(let factor): .object([("timesFloor", .number(factor))])
    case .ratioBesidePeers(let ratio):
      .object([("ratio", .number(ratio)), ("ratioToPeers", .number(Self.notSlowerRatio))])
    case .none: .null
    }
  }
}
