// DeadlockReport+Text.swift: the report as people read it, and as machines do: one object on one line.
import SignalboxSystem
import SignalboxWaits
import SignalboxWords

extension DeadlockReport {
  /// The whole report as lines of text. Looking up symbols may start a helper process.
  public var text: String { text(symbols: ReportSymbols(self)) }

  func text(symbols: ReportSymbols) -> String {
    if !ring.isEmpty { return ringText }
    var lines = [headline]
    for index in participants.indices { lines.append("  " + edge(index)) }
    for index in participants.indices { lines += details(index, symbols) }
    lines.append("  fix: \(hint)")
    return (lines + symbols.hintLines).joined(separator: "\n") + "\n"
  }

  private var headline: String {
    let count = participants.count
    let who = count == 1 ? "a thread waits for itself" : "\(count) threads wait for one another"
    switch certainty {
    case .certain: return "deadlock: \(who), forever"
    case .suspected: return "suspected deadlock: \(who), \(doubt ?? "and nothing has moved between two scans")"
    }
  }

  /// One edge: what a participant holds, what it wants, and which participant keeps it waiting.
  private func edge(_ index: Int) -> String {
    let participant = participants[index], held = held(by: index)
    let isAlone = participants.count == 1
    let detail = participant.detail.map { ", \($0)" } ?? ""
    if isAlone, participant.detail == nil {
      return "\(participant.title) wants \(participant.wants.name), which it holds already"
    }
    let start = participant.title + Self.holding(held)
    let wants = "\(start)\(held.kind == .none ? "" : " and") wants \(participant.wants.name)\(detail)"
    return wants + (isAlone ? ownEnding(participant) : ending(participant, next(after: index).title))
  }

  private static func holding(_ held: Object) -> String {
    switch held.kind {
    case .none: ""
    case .apply: " runs an iteration of \(held.name)"
    default: " holds \(held.name)"
    }
  }

  /// How the next one keeps the participant waiting.
  private func ending(_ participant: Participant, _ next: String) -> String {
    switch participant.link {
    case .holds: participant.wants.kind == .apply ? ", one of whose iterations \(next) runs" : ", which \(next) holds"
    case .isInside: ", one of which is \(next)"
    case .runsIteration: ", one of which \(next) runs"
    case .isMainThread: ", which is \(next)"
    }
  }

  /// The same, where that is the participant itself.
  private func ownEnding(_ participant: Participant) -> String {
    switch participant.link {
    case .holds, .isMainThread: ""
    case .isInside: ", and it is one of them itself"
    case .runsIteration: ", one of which it runs itself"
    }
  }

  private func details(_ index: Int, _ symbols: ReportSymbols) -> [String] {
    let participant = participants[index], held = held(by: index)
    var lines = participant.activity(symbols)
    if held.kind != .none, participants.count == 1 || held.address != participant.wants.address {
      lines.append("    holds: \(held.description)")
    }
    lines.append("    wants: \(participant.wants.description)")
    return lines + acquisition(participant, held, symbols) + participant.place(symbols)
  }

  /// Where it took what it holds. A queue's turn or an iteration shows in the stack, or is what the thread runs.
  private func acquisition(_ participant: Participant, _ held: Object, _ symbols: ReportSymbols) -> [String] {
    if let acquired = participant.acquired {
      return ["    acquired \(held.name) at:"] + symbols.lines(acquired).map { "      \($0)" }
    }
    if held.kind.showsInStack { return [] }
    return ["    acquired \(held.name): unknown: \(whyUnknown(held.kind))"]
  }

  private func whyUnknown(_ kind: WaitKind) -> String {
    if kind == .foreignMutex { return "the C library does not record it" }
    return LockOrder.mode == .off ? "run with SIGNALBOX_LOCK_ORDER=report" : "it was not recorded"
  }
}

extension DeadlockReport.Participant {
  /// The thread in words: by the queue whose item it runs, of which its own name has 15 bytes at most; else by its name.
  var title: String {
    if isMain { return "the main thread (\(threadID))" }
    return queue.map { "thread \(threadID) on queue \"\($0)\"" } ?? "thread \"\(threadName)\" (\(threadID))"
  }

  private var isMain: Bool { threadID == UInt64(Threads.mainID) }

  /// Since when it waits, and what it is inside of.
  func activity(_ symbols: ReportSymbols) -> [String] {
    ["  \(title), waiting for \(ReportTimes.decimals(seconds)) s:"] + whereabouts(symbols)
  }

  /// What it is inside of, and the item that it runs.
  func whereabouts(_ symbols: ReportSymbols) -> [String] {
    var lines: [String] = []
    if !frames.isEmpty { lines.append("    inside: " + frames.joined(separator: " < ")) }
    if let item { lines.append("    runs: \(symbols.text(of: item, on: stack))") }
    if let task { lines.append("    in \(task.line(symbols, on: stack))") }
    return lines
  }

  /// Where it waits.
  func place(_ symbols: ReportSymbols) -> [String] {
    guard !stack.isEmpty else { return ["    stack: not known"] }
    return ["    stack:"] + symbols.lines(stack).map { "      \($0)" }
  }

  /// The addresses that a report names.
  var addresses: [UInt] { stack + (acquired ?? []) + (item?.places ?? []) + (task?.places ?? []) }
}

extension WaitKind {
  /// Whether a thread is inside of it by a call that is still under way.
  fileprivate var showsInStack: Bool {
    switch self {
    case .none, .sync, .barrierSync, .asyncAndWait, .once, .apply, .operation, .operationQueue, .workItem: true
    default: false
    }
  }
}

// MARK: as machines read it

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
      participant.taskField(symbols), "\"acquired\":\(acquired)",
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
