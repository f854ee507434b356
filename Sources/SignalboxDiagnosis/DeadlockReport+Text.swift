// DeadlockReport+Text.swift: the report as people read it.
import SignalboxSystem

extension DeadlockReport {
  /// The whole report, several lines, each ended. Symbols are asked for here: that may start a helper process.
  public var text: String { text(symbols: ReportSymbols(self)) }

  func text(symbols: ReportSymbols) -> String {
    if !ring.isEmpty { return ringText }
    var lines = [headline]
    for index in participants.indices { lines.append("  " + edge(index)) }
    for index in participants.indices { lines += details(index, symbols) }
    lines.append("  mend: \(hint)")
    return lines.joined(separator: "\n") + "\n"
  }

  private var headline: String {
    let count = participants.count
    let who = count == 1 ? "a thread waits for itself" : "\(count) threads wait for one another"
    switch certainty {
    case .certain: return "deadlock: \(who), for ever"
    case .suspected: return "suspected deadlock: \(who), and nothing has moved between two looks"
    }
  }

  /// One edge: who holds what, and wants what of whom.
  private func edge(_ index: Int) -> String {
    let (participant, next) = (participants[index], next(after: index).title)
    let held = held(by: index)
    let holds = held.kind == .apply ? "runs an iteration of" : "holds"
    let isLoop = participant.wants.kind == .apply
    let whose = isLoop ? "one of which \(next) runs" : "which \(next) holds"
    let holder = participants.count == 1 ? "which it holds itself" : whose
    let detail = participant.detail.map { ", \($0)" } ?? ""
    return "\(participant.title) \(holds) \(held.name) and wants \(participant.wants.name)\(detail), \(holder)"
  }

  private func details(_ index: Int, _ symbols: ReportSymbols) -> [String] {
    let participant = participants[index]
    var lines = participant.activity(symbols)
    if let acquired = participant.acquired {
      lines.append("    acquired \(held(by: index).name):")
      lines += symbols.lines(acquired).map { "      \($0)" }
    } else if held(by: index).kind.isAcquired {
      lines.append("    acquired \(held(by: index).name): unknown: \(whyUnknown(held(by: index).kind))")
    }
    return lines + participant.place(symbols)
  }

  private func whyUnknown(_ kind: WaitKind) -> String {
    if kind == .foreignMutex { return "the C library takes no notes" }
    return LockOrder.mode == .off ? "run with SIGNALBOX_LOCK_ORDER=report" : "nobody took notes of it"
  }

  /// When a wait ends that nobody ends: `it never ends`, or by its time.
  static func end(_ timeLeft: UInt64?) -> String {
    timeLeft.map { "it ends by its timeout only, \(decimals(Double($0) / 1e9)) s from then" } ?? "it never ends"
  }

  static func decimals(_ seconds: Double) -> String {
    let tenths = Int64((max(0, seconds) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension DeadlockReport.Participant {
  /// The thread in words.
  var title: String { "thread \"\(threadName)\" (\(threadID))" }

  /// Since when it waits, and what it is inside of.
  func activity(_ symbols: ReportSymbols) -> [String] {
    var lines = ["  \(title), waiting for \(DeadlockReport.decimals(seconds)) s:"]
    if !frames.isEmpty { lines.append("    inside: " + frames.joined(separator: " < ")) }
    if let item {
      lines.append("    runs: \(item.kind)" + (symbols.function(of: item).map { ": \($0)" } ?? ""))
    }
    return lines
  }

  /// Where it waits.
  func place(_ symbols: ReportSymbols) -> [String] {
    guard !stack.isEmpty else { return ["    stack: not known"] }
    return ["    stack:"] + symbols.lines(stack).map { "      \($0)" }
  }

  /// The addresses that a report names.
  var addresses: [UInt] { stack + (acquired ?? []) + [item?.place].compactMap { $0 } }
}

/// The symbols of all addresses of one report, asked for at once.
struct ReportSymbols {
  private var texts: [UInt: String] = [:]

  init(_ report: DeadlockReport) { self.init(report.participants.flatMap(\.addresses)) }

  init(_ addresses: [UInt]) {
    for (address, text) in zip(addresses, SymbolText.lines(addresses)) { texts[address] = text }
  }

  func lines(_ addresses: [UInt]) -> [String] {
    addresses.enumerated().map { "\($0.offset) \(texts[$0.element] ?? "0x" + String($0.element, radix: 16))" }
  }

  /// The function of an item, in words; nil if it is not known.
  func function(of item: DeadlockReport.Item) -> String? { item.place.map { texts[$0] ?? "0x" + String($0 - 1, radix: 16) } }
}
